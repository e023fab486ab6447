import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// Scans besides the input.
extension PipelineRunnerTests {
  @Test func `inputs of the file become one scene with the scan`() throws {
    try folder.write("columns 2", to: "Door_2.tri")
    try folder.write("columns 1", to: "chair.tri")
    let report = try run(
      """
      { "meshpipe": 1,
        "inputs": [ { "path": "${dir}/Door_2.tri" }, { "path": "DIR/chair.tri", "name": "chair" } ],
        "outputs": [ { "path": "DIR/one.tri" } ] }
      """)
    #expect(report.input?.counts.faces == 26)
    #expect(report.input?.sideFiles == [folder.file("Door_2.tri"), folder.file("chair.tri")])
    #expect(try folder.read("one.tri").contains(#"["wall", "floor", "door"]"#))
  }

  @Test func `an input with an id is apart from the scan, for stages and outputs`() throws {
    try folder.write("columns 2", to: "heavy.tri")
    let text = """
      { "meshpipe": 1, "inputs": [ { "id": "heavy", "path": "${dir}/heavy.tri" } ],
        "stages": [ { "use": "nudge" }, { "id": "both", "use": "nudge", "in": ["nudge", "heavy"] } ],
        "outputs": [ { "path": "DIR/a.tri", "from": "nudge" }, { "path": "DIR/b.tri", "from": "heavy" },
          { "path": "DIR/c.tri" } ] }
      """
    let report = try run(text)
    #expect(report.input?.counts.faces == 20)
    #expect(report.input?.sideFiles == [folder.file("heavy.tri")])
    #expect(report.outputs.map(\.counts.faces) == [4, 20, 24])
    #expect(report.outputs.map(\.from) == ["heavy", "nudge", "both"])
    // As an argument it takes the place of the file's.
    try folder.write("columns 3", to: "other.tri")
    let other = try run(text) {
      var scan = PipelineRequest.JoinedScan(path: folder.file("other.tri"))
      scan.id = "heavy"
      $0.joined = [scan]
    }
    #expect(other.outputs.map(\.counts.faces) == [6, 20, 26])
  }

  @Test func `ids of inputs and stages differ, and each input is for something`() throws {
    func messages(_ inputs: String, _ stage: String) -> [String] {
      PipelineDocument(
        parsing: """
          { "meshpipe": 1, "inputs": [ \(inputs) ], "stages": [ \(stage) ],
            "outputs": [ { "path": "a.tri" } ] }
          """, file: "test.json"
      ).resolve(in: TestKit.environment, for: PipelineRequest()).diagnostics.map(\.message)
    }
    let heavy = #"{ "id": "heavy", "path": "heavy.tri" }"#
    let nudge = #"{ "use": "nudge" }"#
    #expect(messages(heavy, nudge) == ["nothing uses the input 'heavy'"])
    #expect(messages(heavy, #"{ "use": "nudge", "in": ["input", "heavy"] }"#) == [])
    #expect(
      messages(heavy, #"{ "use": "nudge", "id": "heavy", "in": "heavy" }"#)
        == ["the id 'heavy' is already taken by an input"])
    #expect(
      messages("\(heavy), \(heavy)", #"{ "use": "nudge", "in": "heavy" }"#).first
        == "the id 'heavy' is already taken by an input")
    #expect(
      messages(heavy, #"{ "use": "nudge", "in": "heavi" }"#).contains {
        $0.contains("unknown id 'heavi'") && $0.contains("heavy")
      })
    #expect(messages(#"{ "id": "input", "path": "a.tri" }"#, nudge).count == 1)
  }
}
