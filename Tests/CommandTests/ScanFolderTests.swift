import Foundation
import MeshTestSupport
import Testing

/// Folders and files that stand for a scan: the only mesh in a folder, and the index of a capture.
@Suite struct ScanFolderTests {
  @Test func `the only mesh of a folder is the scan, as in an archive`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan("room/scan.obj")
    try folder.write("to do", to: "room/notes.md")
    for name in ["room", "room/", "./room"] {
      let outcome = try CommandProcess.run(["run", name, "-o", "out/${stem}.glb"], in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try CommandProcess.run(["info", name], in: folder).status == 0)
    }
    #expect(folder.exists("out/scan.glb"))
    try folder.writeScan("room/other.obj")
    let several = try CommandProcess.run(["run", "room", "-o", "a.glb"], in: folder)
    #expect(several.status == 66)
    #expect(several.errors.contains("'meshpipe batch'"), "\(several.errors)")
  }

  @Test func `a damaged capture is not taken for a mesh alone`() throws {
    let folder = try TemporaryFolder()
    for name in ["part", "several/one", "several/two"] {
      try folder.write("# Image list\n", to: "\(name)/images.txt")
      if name != "part" {
        try folder.write("1 PINHOLE 4 4 4 4 2 2\n", to: "\(name)/cameras.txt")
        try folder.write("# 3D points\n", to: "\(name)/points3D.txt")
      }
    }
    for (name, words) in [
      ("part", "looks like a capture (colmap), but 'cameras.txt' is missing"),
      ("several", "the folder contains 2 captures ('one', 'two'); name one of them"),
    ] {
      try folder.writeScan("\(name)/scan.obj")
      let outcome = try CommandProcess.run(["run", name, "-o", "a.glb"], in: folder)
      #expect(outcome.status != 0 && outcome.errors.contains(words), "\(outcome.errors)")
      #expect(!folder.exists("a.glb"))
    }
  }

  @Test func `an empty folder is called empty`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent("room"), withIntermediateDirectories: true)
    let outcome = try CommandProcess.run(["info", "room"], in: folder)
    #expect(outcome.status == 66 && outcome.errors.contains("room: the folder is empty"))
  }

  @Test func `frames without a mesh are told as such`() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "tf/a.png")
    try folder.writePicture("tf/a.png")
    try folder.write(
      """
      {"w": 1, "h": 1, "fl_x": 1, "fl_y": 1, "cx": 0.5, "cy": 0.5, "frames": [{"file_path": "a.png",
      "transform_matrix": [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]}]}
      """, to: "tf/transforms.json")
    for name in ["tf/transforms.json", "tf"] {
      let outcome = try CommandProcess.run(["run", name, "-o", "a.glb"], in: folder)
      #expect(outcome.status == 65)
      #expect(
        outcome.errors.contains("no mesh; name one as the input, and the capture with --frames"),
        "\(outcome.errors)")
    }
  }
}
