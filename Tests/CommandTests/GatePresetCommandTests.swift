import Foundation
import MeshTestSupport
import Testing

/// Presets of gates on the command line and in pipelines.
struct GatePresetCommandTests {
  @Test func `a file of limits is read, and a mistake in it is told with line and column`() throws {
    let folder = try TemporaryFolder.withMeshlessBundle()
    try folder.write("{\n  \"minimumDepthShare\": [1.1, 1.05]\n}\n", to: "own/limits.json")
    let pipeline =
      #"{ "meshpipe": 1, "stages": [{ "use": "check-capture", "with": { "preset": "limits.json" } }], "#
      + #""outputs": [{ "path": "${stem}.gates.svg" }] }"#
    try folder.write(pipeline, to: "own/check.json")
    let failed = try CommandProcess.run(
      ["run", "own/check.json", "room", "-o", "out/"], in: folder)
    #expect(failed.status == 65)
    #expect(failed.errors.contains("depth: 6 of 6 frames below 1.05"), "\(failed.errors)")

    // As an argument the path is relative to the current folder.
    let stage = ["run", "room", "-s", "check-capture preset=own/limits.json stop=false"]
    let run = try CommandProcess.run(
      stage + ["-o", "a.gates.svg", "-MD", "-MF", "a.d"], in: folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try folder.text(of: "a.d").contains("own/limits.json"))

    try folder.write("{\n  \"minimumDepthShar\": [1.1, 1.05]\n}\n", to: "own/limits.json")
    for arguments in [["check", "own/check.json"], ["info", "room", "--gates=own/limits.json"]] {
      let wrong = try CommandProcess.run(arguments, in: folder)
      #expect(wrong.status == 78)
      #expect(
        wrong.errors.contains("own/limits.json:2:3: error: "), "\(wrong.errors)")
      #expect(wrong.errors.contains("did you mean 'minimumDepthShare'?"), "\(wrong.errors)")
    }
    try folder.write("{ \"minimumDepthShare\": [1, }", to: "own/limits.json")
    let broken = try CommandProcess.run(["check", "own/check.json"], in: folder)
    #expect(broken.status == 78 && broken.errors.contains("own/limits.json:1:"), "\(broken.errors)")
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("own/limits.json"))
    let missing = try CommandProcess.run(["check", "own/check.json"], in: folder)
    #expect(missing.status == 78 && missing.errors.contains("own/limits.json"), "\(missing.errors)")
  }

  @Test func `info takes a preset by name`() throws {
    let folder = try TemporaryFolder.withMeshlessBundle()
    let fixed = try CommandProcess.run(["info", "room", "--gates=static"], in: folder)
    #expect(fixed.text.contains("lock-shift") && !fixed.text.contains("turn-rate"))
    #expect(fixed.status == 65)
    let wrong = try CommandProcess.run(["info", "room", "--gates=statik"], in: folder)
    #expect(wrong.status == 64 && wrong.errors.contains("did you mean 'static'?"))
    let help = try CommandProcess.run(["info", "--help"], in: folder)
    #expect(help.text.contains("--gates[=PRESET]"))
  }

  @Test func `a name that is no preset is told with a better one`() throws {
    let folder = try TemporaryFolder.withMeshlessBundle()
    let wrong = try CommandProcess.run(
      ["run", "room", "-s", "check-capture preset=oclusion", "-o", "a.gates.svg"], in: folder)
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("did you mean 'occlusion'?"), "\(wrong.errors)")
  }
}
