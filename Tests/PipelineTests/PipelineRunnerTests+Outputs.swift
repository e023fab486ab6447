import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// What a run writes, and what it leaves behind.
extension PipelineRunnerTests {
  @Test func `the up axis of an output is that output's alone`() throws {
    try run(
      """
      { "meshpipe": 1, "stages": [ { "use": "turn" } ],
        "outputs": [ { "path": "DIR/y.tri", "up": "y" }, { "path": "DIR/z.full" },
          { "path": "DIR/z.tri", "with": { "digits": 7 } } ] }
      """)
    #expect(try folder.read("y.tri").contains("up y"))
    #expect(try folder.read("z.tri").contains("up z"))
    #expect(try folder.read("z.tri").contains("digits 7"))
  }

  @Test func `a full disk leaves nothing behind`() throws {
    let failure = try #require(throws: RunFailure.self) {
      try run(
        """
        { "meshpipe": 1, "outputs": [
            { "path": "DIR/new/folder/good.tri" }, { "path": "DIR/new/out.doomed" } ] }
        """)
    }
    #expect(failure.exitCode == .inputOutput)
    #expect(
      failure.message == "\(folder.path)/new/out.doomed: can't write: no space left on device")
    #expect(folder.names == ["scan.tri"])
  }

  @Test func `an optional output may fail`() throws {
    let report = try run(
      """
      { "meshpipe": 1, "outputs": [
          { "path": "DIR/out.doomed", "optional": true }, { "path": "DIR/good.tri" } ] }
      """)
    #expect(report.outputs.map(\.files.count) == [0, 1])
    #expect(report.allWarnings.count == 1)
    #expect(folder.names == ["good.tri", "scan.tri"])
  }

  @Test(arguments: [
    (3, []), (7, ["'digits' of format 'tri' is left out, since 'full' has no such option"]),
  ])
  func `an output that is renamed to another format loses the options of its own`(
    digits: Int, warnings: [String]
  ) throws {
    let document = PipelineDocument(
      parsing: """
        { "meshpipe": 1, "stages": [ { "use": "nudge" } ],
          "outputs": [ { "path": "a.tri", "with": { "digits": \(digits) } } ] }
        """, file: "test.json")
    let resolution = document.resolve(
      in: TestKit.environment, for: PipelineRequest(output: "mine.full"))
    #expect(resolution.diagnostics.map(\.message) == warnings)
  }

  @Test func `of several outputs a file is the one with its extension`() throws {
    let report = try run(
      """
      { "meshpipe": 1, "outputs": [ { "path": "DIR/a.full" }, { "path": "DIR/b.tri" } ] }
      """
    ) { $0.output = folder.file("mine.tri") }
    #expect(report.outputs.map(\.path) == [folder.file("mine.tri")])
    #expect(folder.names == ["mine.tri", "scan.tri"])
  }

  @Test func `an output is written only when its condition holds`() throws {
    let report = try run(
      """
      { "meshpipe": 1, "outputs": [
          { "path": "DIR/points.tri", "when": "points > 0" },
          { "path": "DIR/faces.tri", "when": "faces > 0" } ] }
      """)
    #expect(report.outputs.map(\.outcome) == [.skipped("points is 0"), .done])
    #expect(folder.names == ["faces.tri", "scan.tri"])
  }

  @Test func `what an output would replace is refused before the input is read`() throws {
    try folder.write("mine", to: "out.tri")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o444], ofItemAtPath: folder.file("out.tri"))
    try folder.write("nonsense", to: "scan.tri")
    let text = #"{ "meshpipe": 1, "outputs": [ { "path": "DIR/out.tri" } ] }"#
    let failure = try #require(throws: RunFailure.self) { try run(text) }
    #expect(failure.exitCode == .cannotCreate)
    #expect(failure.message == "\(folder.file("out.tri")): is read-only; use --force to replace it")
  }
}
