import Foundation
import MeshTestSupport
import MeshpipeScene
import NativeLibraries
import Testing

/// Captures of several sessions become one.
@Suite struct JoinedCapturesTests {
  private static func folder() throws -> (TemporaryFolder, frames: Int) {
    let one = try CaptureFixture()
    // Another walk: it begins at the second camera.
    var other = try CaptureFixture()
    other.cameras.removeFirst()
    try one.writeFramesBundle()
    try other.writeFramesBundle()
    let folder = try TemporaryFolder()
    for (path, name) in [(one.path, "one"), (one.path, "copy"), (other.path, "other")] {
      try FileManager.default.copyItem(
        atPath: path, toPath: folder.url.appendingPathComponent(name).path)
    }
    return (folder, one.cameras.count + other.cameras.count)
  }

  private static func frames(_ name: String, in folder: TemporaryFolder) throws -> [[String: Any]] {
    let data = Data(try folder.text(of: name).utf8)
    let json = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    return try #require(json?["frames"] as? [[String: Any]])
  }

  @Test func `frames of all captures stay, each with its own image`() throws {
    let (folder, count) = try Self.folder()
    let run = try CommandProcess.run(
      ["run", "one/", "other/", "--join", "-o", "out/transforms.json", "--report", "r.json"],
      in: folder)
    #expect(run.status == 0, "\(run.errors)")
    let frames = try Self.frames("out/transforms.json", in: folder)
    #expect(frames.count == count)
    #expect(Set(frames.compactMap { $0["file_path"] as? String }).count == count)
  }

  @Test func `a capture that is given twice is taken once`() throws {
    let (folder, _) = try Self.folder()
    let run = try CommandProcess.run(
      ["run", "one/", "copy/", "--join", "-o", "out/transforms.json"], in: folder)
    #expect(run.status == 0)
    #expect(
      run.errors.contains("copy: its frames are left out, since they are those of one"),
      "\(run.errors)")
    let alone = try CommandProcess.run(["run", "one/", "-o", "alone/transforms.json"], in: folder)
    #expect(alone.status == 0, "\(alone.errors)")
    let (joined, own) = (
      try Self.frames("out/transforms.json", in: folder),
      try Self.frames("alone/transforms.json", in: folder)
    )
    #expect(joined.count == own.count)
  }

  @Test func `frames are left out on request, and a capture without a mesh then is at fault`()
    throws
  {
    let (folder, _) = try Self.folder()
    try FileManager.default.removeItem(
      at: folder.url.appendingPathComponent("other/mesh.obj"))
    let run = try CommandProcess.run(
      ["run", "one/", "other/", "--join", "--frames", "none", "-o", "x.ply"], in: folder)
    #expect(run.status == 65 && run.errors.contains("other"), "\(run.errors)")
    let fused = try CommandProcess.run(
      [
        "run", "one/", "other/", "--join", "-s", "fuse-depth voxelSize=5cm", "-o", "x.ply",
        "--report", "r.json",
      ], in: folder)
    #expect(fused.status == 0, "\(fused.errors)")
  }
}
