import MeshPipeline
import MeshpipeBase
import Testing

/// Options and variables that got another name may still be given by the one that they had.
@Suite struct FormerNameTests {
  private func resolve(
    _ options: String, levels: String = "", _ change: (inout PipelineRequest) -> Void = { _ in }
  ) -> PipelineResolution {
    let text = """
      {
        "meshpipe": 1,
        "variables": {
          "share": { "type": "number", "default": 0.2, "formerly": ["part", "piece"] }
        },\(levels)
        "stages": [ { "use": "thin", "with": { "target": 5, \(options) } } ],
        "outputs": [ { "path": "out\(levels.isEmpty ? "" : "-${level}").tri" } ]
      }
      """
    var request = PipelineRequest(input: "scan.tri")
    change(&request)
    return PipelineDocument(parsing: text, file: "p.json").resolve(
      in: TestKit.environment, for: request)
  }

  @Test func `both names of an option resolve to the same, and the former one is told once`() throws
  {
    let present = resolve(#""ratio": "${share}""#)
    let former = resolve(#""sureness": "${share}""#)
    #expect(try former.get().json == present.get().json)
    #expect(present.diagnostics.isEmpty)
    #expect(
      former.diagnostics.map(\.description) == [
        "p.json:6:55: warning: 'sureness' of stage 'thin' is now called 'ratio' [stages[0].with.sureness]"
      ])
  }

  @Test func `it is told once for all levels`() throws {
    let levels = #""levels": { "low": { "with": { "share": 0.1 } }, "high": {} },"#
    let resolution = resolve(#""sureness": "${share}""#, levels: levels)
    #expect(try resolution.get().stages.count == 2)
    #expect(resolution.diagnostics.count { $0.message.contains("is now called") } == 1)
  }

  @Test(arguments: [#""ratio": 0.1"#, #""sureness": 0.1"#], ["ratio", "sureness"])
  func `a setting replaces the option under either name`(option: String, name: String) throws {
    for setting in ["\(name)=0.7", "thin.\(name)=0.7"] {
      let resolution = resolve(option) { $0.settings = [setting] }
      let thin = try #require(try resolution.get().stages[0].stage as? Thin)
      #expect(thin.parameters.ratio == 0.7)
      let told = [option.contains("sureness"), name == "sureness"].count { $0 }
      let warnings = resolution.diagnostics.filter { $0.message.contains("is now called") }
      #expect(warnings.count == told, "\(warnings)")
    }
  }

  @Test func `a one-line stage takes it, too`() throws {
    let resolution = PipelineDocument(
      stages: ["thin target=5 sureness=0.7"], outputs: ["out.tri"]
    ).resolve(in: TestKit.environment, for: PipelineRequest(input: "scan.tri"))
    let thin = try #require(try resolution.get().stages[0].stage as? Thin)
    #expect(thin.parameters.ratio == 0.7)
    #expect(
      resolution.diagnostics.map(\.description) == [
        "-s 'thin target=5 sureness=0.7': warning: 'sureness' of stage 'thin' is now called 'ratio'"
      ])
  }

  @Test func `variables have the value of either name`() throws {
    let present = resolve(#""ratio": "${share}""#) { $0.variables = ["share=0.7"] }
    let former = resolve(#""ratio": "${share}""#) { $0.variables = ["piece=0.7"] }
    #expect(try former.get().json == present.get().json)
    #expect(
      former.diagnostics.map(\.description) == [
        "--var piece=0.7: warning: the variable 'piece' is now called 'share'"
      ])
  }

  @Test func `former names are deprecated in the schema, and on no page`() throws {
    let schema = PipelineSchema(TestKit.environment).json.compactText
    #expect(
      schema.contains(
        #""sureness": { "description": "Now called 'ratio'.", "deprecated": true, "#))
    let page = StageDefinition(Thin.self)
    #expect(!page.markdown().contains("sureness") && !page.text().contains("sureness"))
    #expect(!page.json.compactText.contains("sureness"))
  }
}
