import MeshPipeline
import Testing

/// What is said of an output's up axis before the scan is read.
struct UpAxisWarningTests {
  private func warnings(_ stages: String, as up: SignedAxis?) -> [String] {
    let document = PipelineDocument(
      parsing: """
        { "meshpipe": 1, "stages": [\(stages)], "outputs": [ { "path": "a.tri" } ] }
        """, file: "test.json")
    var request = PipelineRequest(input: "scan.tri")
    request.inputReading.up = up
    return document.resolve(in: TestKit.environment, for: request).diagnostics.map(\.message)
  }

  @Test func `what only the numbers can tell is left to them`() {
    #expect(warnings("", as: nil) == [])
    #expect(warnings("", as: .y) == [])
    let said = warnings("", as: .z)
    #expect(said.count == 1 && said[0].hasPrefix("the scene is Z up"))
  }

  @Test func `a stage that turns the scene decides, unless it may be skipped`() {
    #expect(warnings(#"{ "use": "turn" }"#, as: nil).count == 1)
    #expect(warnings(#"{ "use": "turn" }"#, as: .y).count == 1)
    #expect(warnings(#"{ "use": "turn", "when": "normals" }"#, as: .y) == [])
    #expect(warnings(#"{ "use": "turn", "with": { "up": "y" } }"#, as: .z) == [])
  }
}
