import Foundation
import MeshTestSupport
import Testing

/// Rooms of RoomPlan, by themselves and beside scans.
@Suite struct RoomCommandTests {
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(RoomFixture().text, to: "flat.json")
    return folder
  }

  @Test func `a room is told from a pipeline and read as a scan`() throws {
    let folder = try folder()
    try folder.writePipeline(outputs: ["${stem}.ply"])
    for arguments in [
      ["run", "flat.json", "-o", "a.glb"], ["run", "flat.json", "-s", "weld", "-o", "b.glb"],
      ["run", "pipeline.json", "flat.json", "-o", "."],
      ["batch", "flat.json", "-o", "c/{stem}.glb"],
      ["batch", "pipeline.json", "*.json", "--exclude", "pipeline.json", "-o", "d/"],
      ["check", "pipeline.json", "flat.json"],
    ] {
      let outcome = try CommandProcess.run(arguments, in: folder)
      #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
    }
    for file in ["a.glb", "b.glb", "flat.ply", "c/flat.glb", "d/flat.ply"] {
      #expect(folder.exists(file), "\(file)")
    }
    let info = try CommandProcess.run(["info", "flat.json"], in: folder).text
    #expect(info.contains("storage") && info.contains("wall-1"), "\(info)")
    let piped = try CommandProcess.run(
      ["info", "-"], in: folder, input: Data(RoomFixture().text.utf8))
    #expect(piped.status == 0 && piped.text.contains("storage"), "\(piped.errors)")
  }

  @Test func `another JSON file is refused with the reason`() throws {
    let folder = try folder()
    try folder.write("{\"a\": 1}", to: "other.json")
    try folder.writePipeline()
    let alone = try CommandProcess.run(["run", "other.json", "-o", "a.glb"], in: folder)
    #expect(alone.status == 64 && alone.errors.contains("RoomPlan"), "\(alone.errors)")
    let scan = try CommandProcess.run(["run", "pipeline.json", "other.json"], in: folder)
    #expect(scan.status == 69 && scan.errors.contains("RoomPlan"), "\(scan.errors)")
    let check = try CommandProcess.run(["check", "flat.json"], in: folder)
    #expect(check.status == 64 && check.errors.contains("needs PIPELINE"), "\(check.errors)")
  }

  @Test func `a scan takes classes from the room beside it, or from a given one`() throws {
    let folder = try folder()
    try folder.writeScan()
    let label = ["run", "scan.obj", "-s", "label-from-room", "-o", "a.ply", "-f"]
    let missing = try CommandProcess.run(label, in: folder)
    #expect(missing.status == 64 && missing.errors.contains("--room"), "\(missing.errors)")
    let absent = try CommandProcess.run(label + ["--room", "no.json"], in: folder)
    #expect(absent.status == 66 && absent.errors.contains("no.json"), "\(absent.errors)")
    let given = try CommandProcess.run(label + ["--room", "flat.json", "-MD"], in: folder)
    #expect(given.status == 0, "\(given.errors)")
    #expect(try folder.text(of: "a.ply.d").contains("flat.json"))
    let info = try CommandProcess.run(["info", "a.ply"], in: folder).text
    #expect(info.contains("floor") && !info.contains("wall"), "\(info)")
    let unused = try CommandProcess.run(
      ["run", "scan.obj", "-o", "b.ply", "--room", "flat.json"], in: folder)
    #expect(unused.errors.contains("no part of the pipeline uses a room"), "\(unused.errors)")
    // Beside it, in a run and in a batch, until it is ignored.
    try folder.write(RoomFixture().text, to: "CapturedRoom.json")
    #expect(try CommandProcess.run(label, in: folder).status == 0)
    let ignored = try CommandProcess.run(label + ["--room", "none"], in: folder)
    #expect(ignored.status == 64, "\(ignored.errors)")
    let batch = try CommandProcess.run(
      ["batch", "scan.obj", "-s", "label-from-room", "-o", "out/{stem}.ply"], in: folder)
    #expect(batch.status == 0, "\(batch.errors)")
  }
}
