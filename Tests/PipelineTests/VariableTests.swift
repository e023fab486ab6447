import MeshPipeline
import MeshTestSupport
import Testing

/// Where the values of variables come from, and what they may be.
@Suite struct VariableTests {
  private static let text = """
    { "meshpipe": 1,
      "variables": {
        "faces": { "type": "integer", "default": 10, "minimum": 5, "maximum": 15, "environment": "FACES" },
        "size": { "type": "length", "default": "2cm", "minimum": "1cm" },
        "page": { "type": "[integer]", "default": [1024], "choices": [1024, 2048] } },
      "stages": [ { "use": "thin", "with": { "target": "${faces}", "maxError": "${size}", "ranks": "${page}" } } ],
      "outputs": [ { "path": "out.tri" } ] }
    """

  private func resolve(_ change: (inout PipelineRequest) -> Void) -> PipelineResolution {
    var request = PipelineRequest()
    request.environment = { _ in nil }
    change(&request)
    return PipelineDocument(parsing: Self.text, file: "p.json")
      .resolve(in: TestKit.environment, for: request)
  }

  private func faces(_ change: (inout PipelineRequest) -> Void) -> String? {
    resolve(change).pipeline?.variables.first { $0.name == "faces" }?.value.compactText
  }

  private func fault(_ variable: String) -> String {
    resolve { $0.variables = [variable] }.errors.map(\.description).joined(separator: "\n")
  }

  @Test func `a value comes from the option, a file, the environment, or the default`() {
    let file = VariableFile(path: "v.json", values: [.init("faces", 12)])
    #expect(faces { _ in } == "10")
    #expect(faces { $0.environment = { $0 == "FACES" ? "11" : nil } } == "11")
    #expect(
      faces {
        $0.environment = { _ in "11" }
        $0.variableFiles = [file]
      } == "12")
    #expect(
      faces {
        $0.variableFiles = [file]
        $0.variables = ["faces=14"]
      } == "14")
  }

  @Test func `values out of bounds are refused`() {
    #expect(fault("faces=4").contains("must be from 5 to 15"))
    #expect(fault("size=5mm").contains("must be at least 0.01 m"))
    #expect(fault("page=1024,512").contains("'512' is not one of 1024, 2048"))
    #expect(fault("page=2048,1024") == "")
    let file = VariableFile(path: "v.json", values: [.init("faces", 99)])
    let errors = resolve { $0.variableFiles = [file] }.errors.map(\.description)
    #expect(errors.count == 1)
    #expect(errors[0].contains("--var-file v.json"))
    #expect(errors[0].contains("'faces': must be from 5 to 15"))
  }

  @Test(arguments: [
    (#""type": "string", "minimum": "a""#, "has no minimum"),
    (#""type": "number", "minimum": 3, "maximum": 2"#, "the maximum is less than the minimum"),
    (#""type": "number", "default": 9, "maximum": 2"#, "default of variable 'x'"),
    (#""type": "number", "choices": [1, "b"]"#, "choices of variable 'x'"),
    (#""type": "number", "choices": 3"#, "expected an array of values"),
  ])
  func `bounds that can't be are mistakes`(declaration: String, message: String) {
    let document = PipelineDocument(
      parsing: #"{ "meshpipe": 1, "variables": { "x": { \#(declaration) } } }"#, file: "p.json")
    #expect(document.diagnostics.contains { $0.message.contains(message) })
  }

  @Test func `an option is found without its stage where only one has it`() {
    func errors(_ setting: String) -> String {
      let document = PipelineDocument(
        stages: ["thin target=5 id=a", "strip", "skin bytes=1 id=x", "skin id=y"],
        outputs: ["a.full"])
      let request = PipelineRequest(settings: [setting])
      return document.resolve(in: TestKit.environment, for: request).errors
        .map(\.description).joined()
    }
    #expect(errors("target=10%") == "")
    #expect(errors("bytes=2").contains("several stages have 'bytes': say which, x.bytes or y"))
    #expect(errors("targt=2").contains("did you mean 'target'?"))
  }

  @Test func `stages and variables come from included files`() throws {
    let folder = try TestKit.Folder()
    try folder.write(
      """
      { "meshpipe": 1, "variables": { "n": { "type": "amount", "default": 5 } },
        "stages": [ { "id": "few", "use": "thin", "with": { "target": "${n}" } },
          { "use": "thin", "with": { "target": 1, "wrong": 2 } } ],
        "outputs": [ { "path": "never.tri" } ] }
      """, to: "part.json")
    try folder.write(
      """
      { "meshpipe": 1, "stages": [ { "include": "part.json" }, { "use": "strip", "in": "few" } ],
        "outputs": [ { "path": "a.tri" } ] }
      """, to: "main.json")
    try folder.write(
      #"{ "meshpipe": 1, "stages": [ { "include": "loop.json" } ] }"#, to: "loop.json")
    let document = try PipelineDocument(path: folder.file("main.json"))
    #expect(document.includes.map(\.path) == [folder.file("part.json")])
    let resolution = document.resolve(in: TestKit.environment)
    let errors = resolution.errors.map(\.description)
    #expect(errors.count == 1)
    #expect(errors.first?.hasPrefix(folder.file("part.json") + ":3:") == true, "\(errors)")
    #expect(errors.first?.contains("unknown option 'wrong'") == true)
    let same = PipelineDocument(
      parsing: try folder.read("main.json"), file: folder.file("main.json"),
      includes: document.includes)
    #expect(same.stages.map { $0.id?.value } == document.stages.map { $0.id?.value })
    let loop = try PipelineDocument(path: folder.file("loop.json"))
    #expect(loop.diagnostics.contains { $0.message.contains("includes itself") })
  }
}
