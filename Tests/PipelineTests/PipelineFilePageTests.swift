import Formats
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// What `docs/pipeline-file.md` says holds.
@Suite struct PipelineFilePageTests {
  private let page: String
  private let environment = PipelineEnvironment(stages: builtInStages, formats: builtInFormats)

  init() throws { page = try Checkout.text("docs/pipeline-file.md") }

  @Test func `the examples have no mistake and no warning`() throws {
    let examples = page.split(separator: "```json\n").dropFirst()
    #expect(examples.count >= 2)
    for example in examples {
      let text = try #require(example.split(separator: "```").first)
      let document = PipelineDocument(parsing: String(text), file: "pipeline-file.md")
      let request = PipelineRequest(input: "room.ply")
      #expect(document.resolve(in: environment, for: request).diagnostics == [])
    }
  }

  @Test(arguments: [
    "weld", "decimate faces=20% preserve=borders,seams",
    "decimate faces=5000 when='faces > 5000'",
  ])
  func `the one-line stages are understood`(stage: String) throws {
    #expect(page.contains(stage))
    let document = PipelineDocument(stages: [stage], outputs: ["out.glb"])
    #expect(document.resolve(in: environment).diagnostics == [])
  }

  @Test(arguments: ["faces(floor) > 100 and not (extent > 20m or texture)"])
  func `the condition is one`(text: String) throws {
    #expect(page.contains(text))
    _ = try Condition(parsing: text)
  }

  @Test func `every feature and every type is named`() {
    for feature in SceneFeature.allCases { #expect(page.contains(feature.rawValue)) }
    for type in [
      "bool", "integer", "number", "string", "length", "area", "angle", "amount", "scale", "bytes",
      "vector",
    ] {
      #expect(ParameterType(name: type) != nil)
      #expect(page.contains("`\(type)`"))
    }
  }
}
