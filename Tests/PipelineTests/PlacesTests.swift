import Formats
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// Paths of outputs and defaults of variables that mean something else than they seem to.
struct PlacesTests {
  private func messages(
    _ text: String, climbing: PipelineRequest.Climbing = .warned
  ) -> [String] {
    var request = PipelineRequest()
    request.climbing = climbing
    return PipelineDocument(parsing: text, file: "p.json")
      .resolve(
        in: PipelineEnvironment(stages: builtInStages, formats: builtInFormats), for: request
      )
      .diagnostics.map { "\($0)" }
  }

  private func output(_ path: String, climbing: PipelineRequest.Climbing = .warned) -> [String] {
    messages(#"{"meshpipe":1,"outputs":[{"path":"\#(path)"}]}"#, climbing: climbing)
  }

  @Test func `a default that refers to a variable is refused`() {
    let text = """
      {"meshpipe":1,"variables":{"a":{"type":"string","default":"${b}"},
      "b":{"type":"string","default":"x"}},"outputs":[{"path":"${a}.glb"}]}
      """
    #expect(
      messages(text) == [
        "p.json:1:59: error: the default of 'a' is '${b}', but a default can't refer to other variables; "
          + "write ${b} instead of '${a}' [variables.a.default]"
      ])
  }

  @Test func `a fault of options that are not there has a place`() {
    let text = """
      {"meshpipe":1,"stages":[{"use":"filter-classification","with":{}}],
      "outputs":[{"path":"a.glb"}]}
      """
    #expect(messages(text).first?.hasPrefix("p.json:1:32: error: ") == true)
  }

  @Test func `what other programs replace is told`() {
    #expect(output("${stem}.glb") == [])
    #expect(output("$${stem}.glb").count == 0)
    #expect(output("{stem}.glb").first?.contains("the variable is '${stem}'") == true)
    #expect(output("$stem.glb").first?.contains("the variable is '${stem}'") == true)
    #expect(output("~/a.glb").first?.contains("'~' is not expanded") == true)
  }

  @Test func `a name that no volume takes is an error`() {
    let name = String(repeating: "a", count: 252)
    #expect(output(name.dropLast(1) + ".glb") == [])
    #expect(output(name + ".glb").first?.contains("has 256 bytes") == true)
  }

  @Test func `an output that climbs out of its folder is refused, unless it is allowed`() {
    #expect(output("../a.glb", climbing: .allowed) == [])
    #expect(output("../a.glb").first?.contains("warning: the path leaves") == true)
    #expect(output("x/../../a.glb", climbing: .refused).first?.contains("error: the path") == true)
    #expect(output("x/..a.glb", climbing: .refused) == [])
    #expect(output("/tmp/a.glb", climbing: .refused).first?.contains("error: the path") == true)
    #expect(output("/tmp/a.glb", climbing: .allowed) == [])
  }

  @Test func `a format that is not read is known by its name`() {
    let registry = FormatRegistry(builtInFormats, foreign: foreignFormats)
    #expect(
      registry.explanation(forForeign: "room.SKP")?.hasPrefix(
        "'.skp' is a model of SketchUp, which is not supported: ") == true)
    #expect(registry.explanation(forForeign: "room.obj") == nil)
    for format in builtInFormats where format is any ReadableFormat.Type {
      for name in format.extensions {
        #expect(registry.explanation(forForeign: "a.\(name)") == nil, "\(name)")
      }
    }
  }

  @Test func `stages are checked in time proportional to their number`() {
    expectProportionalTime(upTo: 4000) { count in
      let stages = Array(repeating: #"{"use":"weld"}"#, count: count).joined(separator: ",")
      #expect(
        messages(#"{"meshpipe":1,"stages":[\#(stages)],"outputs":[{"path":"a.glb"}]}"#) == [])
    }
  }
}
