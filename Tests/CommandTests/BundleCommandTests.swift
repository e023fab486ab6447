import Foundation
import MeshTestSupport
import Testing

/// Captures as bundles on the command line.
struct BundleCommandTests {
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.writeSmallBundle()
    try folder.write(
      """
      { "meshpipe": 1, "stages": [],
        "outputs": [ { "path": "${stem}.bundle/", "format": "frames-bundle" } ] }
      """, to: "pipeline.json")
    return folder
  }

  private func bytes(_ name: String, in folder: TemporaryFolder) throws -> Data {
    try Data(contentsOf: URL(filePath: folder.path + "/" + name))
  }

  @Test func `a folder is written from a pipeline and from options, and passes 'verify'`() throws {
    let folder = try folder()
    let runs = [
      (["run", "pipeline.json", "room"], "room.bundle"),
      (["run", "pipeline.json", "room", "-o", "out/"], "out/room.bundle"),
      (["run", "room", "-o", "copy", "--output-format", "frames-bundle"], "copy"),
      (["run", "room", "-o", "copy.frames-bundle"], "copy.frames-bundle"),
    ]
    for (words, place) in runs {
      for _ in 0..<2 {
        let run = try CommandProcess.run(words, in: folder)
        #expect(run.status == 0, Comment(rawValue: run.errors))
      }
      for name in ["frames.jsonl", "mesh.obj", "images/frame_000001.png"] {
        #expect(
          try bytes("room/\(name)", in: folder) == bytes("\(place)/\(name)", in: folder))
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + place)
      #expect(
        Set(left) == [
          "README.md", "frames.jsonl", "images", "manifest.json", "manifest.sha256.json",
          "mesh.obj",
        ])
      #expect(try CommandProcess.run(["verify", place], in: folder).status == 0)
      #expect(try CommandProcess.run(["info", place], in: folder).status == 0)
    }
  }

  @Test func `images of other frames are not mixed in, and nothing is left of a refused run`()
    throws
  {
    let folder = try folder()
    let words = ["run", "room", "-o", "copy/", "--output-format", "frames-bundle"]
    #expect(try CommandProcess.run(words, in: folder).status == 0)
    try folder.write("x", to: "copy/images/frame_000007.png")
    let before = try folder.names(in: "copy")
    let refused = try CommandProcess.run(words, in: folder)
    #expect(refused.status == 73, Comment(rawValue: refused.errors))
    #expect(refused.errors.contains("images/frame_000007.png"), Comment(rawValue: refused.errors))
    #expect(try folder.names(in: "copy") == before)
    let input = try CommandProcess.run(
      ["run", "room", "-o", "room/", "--output-format", "frames-bundle"], in: folder)
    #expect(input.status == 0 || input.status == 73)
    #expect(try CommandProcess.run(["info", "room"], in: folder).status == 0)
  }

  @Test func `a capture without a mesh is written, too`() throws {
    let folder = try folder()
    try FileManager.default.removeItem(atPath: folder.path + "/room/mesh.obj")
    let run = try CommandProcess.run(["run", "pipeline.json", "room"], in: folder)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    #expect(
      try bytes("room/frames.jsonl", in: folder) == bytes("room.bundle/frames.jsonl", in: folder))
  }
}

extension TemporaryFolder {
  /// All names in a folder and below it.
  fileprivate func names(in name: String) throws -> Set<String> {
    Set(try FileManager.default.subpathsOfDirectory(atPath: path + "/" + name))
  }
}
