import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// A photographed room whose pictures are in a video alone, in archives of all kinds.
struct CaptureArchiveTests {
  /// `room/` with three frames, `video.mov`, depth maps and `mesh.obj`.
  private func folder() throws -> TemporaryFolder {
    let capture = try SyntheticCapture {
      ($0.frameCount, $0.size, $0.samples) = (3, SIMD2(64, 48), 1)
      ($0.depthSize, $0.cell) = (SIMD2(16, 12), 1)
    }
    let folder = try TemporaryFolder()
    try folder.writeBundle(of: capture, hasPictures: false)
    let video = try MotionJPEG.avi(of: capture.frames.map { try $0.loadImage() })
    try Data(video).write(to: folder.url.appendingPathComponent("room/video.mov"))
    return folder
  }

  /// Packs `room/`; nil without a program for it.
  private func packed(_ name: String, in folder: TemporaryFolder) throws -> String {
    let isZip = name.hasSuffix(".zip")
    let program = URL(fileURLWithPath: try Checkers.program(isZip ? "python3" : "tar"))
    if name.hasSuffix("zst") { _ = try Checkers.program("zstd") }
    let arguments = isZip ? ["-m", "zipfile", "-c", name, "room"] : ["-caf", name, "room"]
    let outcome = try CommandProcess.run(program, arguments, in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return name
  }

  private func succeed(_ arguments: [String], in folder: TemporaryFolder) throws -> Outcome {
    let outcome = try CommandProcess.run(arguments, in: folder)
    #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
    return outcome
  }

  @Test(arguments: ["room.zip", "room.tgz", "room.tar.zst"])
  func `an archive is looked at, compared, measured and handed on like a folder`(
    name: String
  ) throws {
    let folder = try folder()
    let archive = try packed(name, in: folder)
    let page = try succeed(["info", archive], in: folder).text
    for words in ["frames-bundle in \(archive)", "64 x 48, in a video", "coverage"] {
      #expect(page.contains(words), "\(page)")
    }
    for (capture, picture) in [(archive, "a.png"), ("room", "b.png")] {
      let place = ["--frame", "1", "--size", "64", "-o", picture]
      _ = try succeed(["preview", capture, "--compare", capture] + place, in: folder)
    }
    #expect(
      try Data(contentsOf: folder.url.appendingPathComponent("a.png"))
        == Data(contentsOf: folder.url.appendingPathComponent("b.png")))
    let report = try succeed(
      ["run", archive, "-s", "report-coverage samples=500", "-o", "seen.ply", "--report", "-"],
      in: folder)
    #expect(report.text.contains("\"seenBy\""))
  }

  /// A name that JSON escapes and that a terminal would take for a command.
  @Test(arguments: ["a\"b\\c\u{1B}[2J/scan.tar", "a\"b.tar"])
  func `what was unpacked has the archive's name in pages and in JSON, however it is written`(
    name: String
  ) throws {
    let folder = try TemporaryFolder()
    try folder.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 3\n", to: "scan.obj")
    try folder.write("", to: name)
    let tar = try #require(CommandProcess.program("tar"))
    _ = try CommandProcess.run(tar, ["--force-local", "-cf", name, "scan.obj"], in: folder)
    let page = try CommandProcess.run(["plan", name, "-s", "weld", "-o", "o.obj"], in: folder)
    #expect(page.status == 0, "\(page.errors)")
    for arguments in [["plan", "--json"], ["run", "--report", "-"]] {
      let json = try JSONSerialization.jsonObject(
        with: succeed(arguments + [name, "-s", "weld", "-o", "o.obj"], in: folder).output)
      let object = try #require(json as? [String: Any])
      let pipeline = try #require(object["pipeline"] as? [String: Any])
      #expect(pipeline["input"] as? String == "\(name)/scan.obj")
    }
    try folder.write("v 0 0 0\nf 1 2 3\n", to: "scan.obj")
    _ = try CommandProcess.run(tar, ["--force-local", "-cf", name, "scan.obj"], in: folder)
    let failed = try CommandProcess.run(["run", name, "-o", "o.obj"], in: folder).errors
    let shown = name.replacing("\u{1B}", with: "\u{FFFD}")
    #expect(failed.contains("error: \(shown)/scan.obj:2: "), "\(failed)")
    let lines = try CommandProcess.run(
      ["run", name, "-o", "o.obj", "--progress", "json"], in: folder
    ).errors
    for line in lines.split(separator: "\n") {
      let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let text = try #require((json?["name"] ?? json?["message"]) as? String)
      #expect(text.hasPrefix("\(name)/scan.obj"), "\(line)")
    }
  }

  @Test func `'info' and 'report-coverage' say the same coverage`() throws {
    let folder = try folder()
    func object(_ arguments: [String]) throws -> [String: Any] {
      let json = try JSONSerialization.jsonObject(with: succeed(arguments, in: folder).output)
      return try #require(json as? [String: Any])
    }
    let info = try object(["info", "--json", "room"])["capture"] as? [String: Any]
    let shares = try #require(info?["coverage"] as? [String: Double])
    let run = try object(
      ["run", "room", "-s", "report-coverage samples=20000", "-o", "seen.ply", "--report", "-"])
    let stage = try #require((run["stages"] as? [[String: Any]])?.first)
    let coverage = (stage["notes"] as? [String: Any])?["coverage"] as? [String: Any]
    let seenBy = try #require(coverage?["seenBy"] as? [String: Double])
    let unseen = try #require(seenBy["0"])
    #expect(unseen > 0.05 && unseen < 0.95)
    #expect(abs(try #require(shares["seen"]) - (1 - unseen)) < 0.0002)
    #expect(abs(try #require(shares["seenByThree"]) - (seenBy["3+"] ?? -1)) < 0.0002)
  }

  @Test(arguments: ["room", "room.tgz"])
  func `what is in the outputs is called like the capture, not like its mesh`(
    input: String
  ) throws {
    let folder = try folder()
    if input != "room" { _ = try packed(input, in: folder) }
    _ = try succeed(["run", input, "-o", "a.gltf"], in: folder)
    let json = try JSONSerialization.jsonObject(with: Data(folder.text(of: "a.gltf").utf8))
    let file = try #require(json as? [String: Any])
    for list in ["scenes", "nodes", "meshes"] {
      let names = (file[list] as? [[String: Any]])?.map { $0["name"] as? String }
      #expect(names == ["room"], "\(list)")
    }
    // A mesh that is named by itself keeps its name.
    _ = try succeed(["run", "room/mesh.obj", "-o", "b.gltf"], in: folder)
    #expect(try folder.text(of: "b.gltf").contains(#""name": "mesh""#))
  }

  @Test(arguments: ["transforms.json", "frames.jsonl", "images.txt"])
  func `cameras out of an archive bring their pictures, which would be gone`(file: String) throws {
    let folder = try folder()
    let archive = try packed("room.tgz", in: folder)
    _ = try succeed(["run", archive, "-o", "out/\(file)"], in: folder)
    let page = try succeed(["info", "out/\(file)"], in: folder).text
    #expect(page.contains("frames    3") && page.contains("64 x 48"), "\(page)")
  }

  @Test func `pictures in an archive are copied, and those in a folder are referred to`() throws {
    let folder = try folder()
    _ = try succeed(["run", "room", "-o", "plain/transforms.json"], in: folder)
    let tar = try #require(CommandProcess.program("tar"))
    _ = try CommandProcess.run(tar, ["-czf", "plain.tgz", "plain"], in: folder)
    _ = try succeed(
      ["run", "room/mesh.obj", "--frames", "plain.tgz", "-o", "copy/transforms.json"], in: folder)
    #expect(folder.names(in: "copy").count { $0.hasSuffix(".jpg") } == 3)
    _ = try succeed(
      [
        "run", "room/mesh.obj", "--frames", "plain", "-o", "refer/transforms.json",
        "--allow-external",
      ], in: folder)
    #expect(folder.names(in: "refer") == ["transforms.json"])
    // What is elsewhere is opened on demand, and told of once for all frames.
    let refused = try CommandProcess.run(["info", "refer/transforms.json"], in: folder)
    #expect(refused.status == 65)
    #expect(refused.errors.contains("3 frames are left out"), "\(refused.errors)")
    _ = try succeed(["info", "refer/transforms.json", "--allow-external"], in: folder)
  }

  @Test func `the only capture in an archive beside the mesh is its own`() throws {
    let folder = try folder()
    let tar = try #require(CommandProcess.program("tar"))
    func pack(_ name: String, _ content: String) throws {
      _ = try CommandProcess.run(tar, ["-cf", name, content], in: folder)
    }
    try folder.copy(folder.url.appendingPathComponent("room/mesh.obj").path, to: "scans/mesh.obj")
    try pack("scans/mesh.tar", "scans/mesh.obj")
    try folder.write("no archive", to: "scans/bad.zip")
    func status(_ options: String...) throws -> Int32 {
      try CommandProcess.run(
        ["run", "scans/mesh.obj", "-o", "out/transforms.json"] + options, in: folder
      ).status
    }
    #expect(try status() == 64)
    try pack("scans/cap.tar", "room")
    #expect(try status() == 0)
    #expect(try succeed(["info", "out"], in: folder).text.contains("frames    3"))
    #expect(try status("--frames", "none") == 64)
    #expect(
      try succeed(["info", "scans/mesh.obj"], in: folder).text
        .contains("beside it (frames-bundle); 'meshpipe info scans/cap.tar'"))
    // Of two nobody knows which one is meant; and one that needs no unpacking comes first.
    try pack("scans/cap 2.tar", "room")
    #expect(try status() == 64)
    try folder.copy(folder.url.appendingPathComponent("out").path, to: "scans/sparse")
    #expect(try status() == 0)
  }

  @Test func `info of a mesh tells of the capture beside it`() throws {
    let folder = try folder()
    #expect(
      try succeed(["info", "room/mesh.obj"], in: folder).text.contains("'meshpipe info room'"))
    #expect(
      try !succeed(["info", "room/mesh.obj", "--frames", "none"], in: folder).text
        .contains("meshpipe info"))
  }
}

extension TemporaryFolder {
  func copy(_ path: String, to name: String) throws {
    let place = url.appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: URL(fileURLWithPath: path), to: place)
  }

  fileprivate func names(in folder: String) -> [String] {
    let path = url.appendingPathComponent(folder).path
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}
