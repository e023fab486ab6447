import Foundation
import Testing

struct CaptureInputTests {
  /// A frames bundle with one picture, and a pipeline that is about frames.
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      {"frame_idx": 0, "resolution": [1, 1], "intrinsics": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], \
      "camera_in_world_4x4": [1, 0, 0, 0, 0, 1, 0, 2, 0, 0, 1, 0, 0, 0, 0, 1], "rgb_path": "a.png"}

      """, to: "room.1/frames.jsonl")
    try folder.writePicture("room.1/a.png")
    try folder.writeScan("room.1/mesh.obj")
    try folder.writeScan("other.obj")
    try folder.writePipeline(
      stages: [#"{ "use": "weld", "when": "frames", "expect": "frames == 1" }"#],
      outputs: ["out/${stem}.glb"])
    return folder
  }

  private func outcome(
    of stage: Int = 0, _ arguments: [String], in folder: TemporaryFolder,
    environment: [String: String] = CommandProcess.environment
  ) throws -> String? {
    let run = try CommandProcess.run(
      CommandProcess.executable, ["run", "pipeline.json"] + arguments + ["--report", "-"],
      in: folder, environment: environment)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    let report = try JSONSerialization.jsonObject(with: run.output) as? [String: Any]
    let stages = report?["stages"] as? [[String: Any]]
    return stages?[stage]["outcome"] as? String
  }

  @Test func `a capture folder is an input, and its name the stem`() throws {
    let folder = try folder()
    #expect(try outcome(["room.1"], in: folder) == "done")
    #expect(folder.exists("out/room.1.glb"))
  }

  @Test func `frames are found beside the mesh, named, or left out`() throws {
    let folder = try folder()
    #expect(try outcome(["room.1/mesh.obj"], in: folder) == "done")
    #expect(try outcome(["room.1/mesh.obj", "--frames", "none"], in: folder) == "skipped")
    #expect(try outcome(["other.obj"], in: folder) == "skipped")
    #expect(try outcome(["other.obj", "--frames", "room.1"], in: folder) == "done")
    #expect(try outcome(["other.obj", "--frames", "room.1/frames.jsonl"], in: folder) == "done")
  }

  @Test func `words that are no convention of poses are refused by 'info' as by 'run'`() throws {
    let folder = try folder()
    for verb in [["info"], ["run", "pipeline.json"]] {
      let refused = try CommandProcess.run(
        verb + ["room.1", "--frames-convention", "foo"], in: folder)
      #expect(refused.status == 64)
      #expect(refused.errors.contains("'--frames-convention foo': give one of gl and cv"))
    }
    let info = try CommandProcess.run(
      ["info", "room.1", "--frames-convention", "gl,c2w"], in: folder)
    #expect(info.status == 0, Comment(rawValue: info.errors))
  }

  @Test func `a capture that is not there is the only mistake`() throws {
    let folder = try folder()
    let run = try CommandProcess.run(
      ["run", "other.obj", "--frames", "missing", "-s", "bake-texture", "-o", "a.glb"], in: folder)
    #expect(run.status == 66)
    #expect(run.errors == "meshpipe: error: missing: can't read: no such file or directory\n")
  }

  @Test func `axes and unit of poses can be said`() throws {
    let folder = try folder()
    for option in [["--frames-up", "z"], ["--frames-unit", "mm"]] {
      for call in [
        ["info", "room.1"], ["plan", "pipeline.json", "room.1"],
        ["check", "pipeline.json", "room.1"],
        ["run", "pipeline.json", "room.1"],
        ["preview", "other.obj", "--compare", "room.1", "-o", "a.png", "--size", "8"],
      ] {
        let done = try CommandProcess.run(call + option, in: folder)
        #expect(done.status == 0, Comment(rawValue: "\(call + option): \(done.errors)"))
      }
    }
    let refused = try CommandProcess.run(["info", "room.1", "--frames-up", "w"], in: folder)
    #expect(refused.status == 64)
    // The camera 2 m above the floor along Y stands 2 m back where Z is up.
    _ = try CommandProcess.run(
      ["run", "room.1", "-o", "out/transforms.json", "--frames-up", "z"], in: folder)
    let text = try folder.text(of: "out/transforms.json")
    let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let frames = json?["frames"] as? [[String: Any]]
    let pose = frames?.first?["transform_matrix"] as? [[Double]]
    #expect(pose?.map { $0[3] } == [0, 0, -2, 1])
  }

  @Test func `an output of frames asks for them`() throws {
    let folder = try folder()
    let run = try CommandProcess.run(
      ["run", "other.obj", "--frames", "room.1", "-o", "out/transforms.json"], in: folder)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    #expect(folder.exists("out/transforms.json"))
  }

  @Test func `plan and check know of the frames`() throws {
    let folder = try folder()
    let plan = try CommandProcess.run(["plan", "pipeline.json", "room.1"], in: folder)
    #expect(plan.text.contains("'frames' holds"))
    let check = try CommandProcess.run(
      ["check", "pipeline.json", "other.obj", "--frames", "out"], in: folder)
    #expect(check.status == 66)
    let notOne = try CommandProcess.run(["check", "pipeline.json", "."], in: folder)
    #expect(notOne.status == 0)
  }

  @Test func `a pipeline that has no use for frames doesn't read them`() throws {
    let folder = try folder()
    try folder.write("{", to: "room.1/frames.jsonl")
    let run = try CommandProcess.run(["run", "room.1", "-o", "a.glb", "--strict"], in: folder)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    let named = try CommandProcess.run(
      ["run", "other.obj", "--frames", "room.1", "-o", "a.glb"], in: folder)
    #expect(named.status == 0)
    #expect(named.errors.contains("no part of the pipeline uses frames"))
    let used = try CommandProcess.run(["run", "pipeline.json", "room.1"], in: folder)
    #expect(used.status == 65)
    #expect(used.errors.contains("frames.jsonl:1:2"))
  }

  @Test func `the dependency file names the capture's files, and a new one is noticed`() throws {
    let folder = try folder()
    let arguments = ["run", "pipeline.json", "room.1", "--if-changed", "-MD"]
    #expect(try CommandProcess.run(arguments, in: folder).status == 0)
    let rule = try folder.text(of: "out/room.1.glb.d")
    for name in ["mesh.obj", "frames.jsonl", "a.png"] {
      #expect(rule.contains("room.1/\(name)"))
    }
    func isRunAgain() throws -> Bool {
      let run = try CommandProcess.run(arguments + ["--progress", "json"], in: folder)
      return run.errors.contains("\"step\"") || run.errors.contains("weld")
    }
    #expect(try !isRunAgain())
    try folder.writePicture("room.1/a.png", white: false)
    #expect(try isRunAgain())
    #expect(try !isRunAgain())
    try folder.write("", to: "room.1/images/more.txt")
    #expect(try isRunAgain())
  }

  @Test func `a capture without a mesh says how to name one`() throws {
    let folder = try folder()
    try FileManager.default.removeItem(
      at: folder.url.appendingPathComponent("room.1/mesh.obj"))
    let run = try CommandProcess.run(["run", "pipeline.json", "room.1"], in: folder)
    #expect(run.status == 65)
    #expect(run.errors.contains("has no mesh; name one as the input"))
  }

  @Test func `info shows a capture with its mesh, and every frame as JSON`() throws {
    let folder = try folder()
    let page = try CommandProcess.run(["info", "room.1"], in: folder)
    #expect(page.status == 0, Comment(rawValue: page.errors))
    for words in ["frames-bundle in room.1", "1 x 1", "coverage", "faces"] {
      #expect(page.text.contains(words), "\(page.text)")
    }
    let run = try CommandProcess.run(["info", "--json", "room.1/frames.jsonl"], in: folder)
    let json = try JSONSerialization.jsonObject(with: run.output) as? [String: Any]
    let capture = json?["capture"] as? [String: Any]
    #expect(capture?["frameCount"] as? Int == 1)
    let frames = capture?["frames"] as? [[String: Any]]
    #expect(frames?.first?["name"] as? String == "frame_000000")
    #expect(json?["faces"] as? Int == 32)
  }

  @Test func `an archive is an input, its name the stem, and nothing of it stays`() throws {
    let folder = try folder()
    let tar = try #require(CommandProcess.program("tar"))
    _ = try CommandProcess.run(tar, ["-czf", "scans.tar.gz", "room.1"], in: folder)
    _ = try CommandProcess.run(tar, ["-cf", "mesh.tar", "other.obj"], in: folder)
    _ = try CommandProcess.run(tar, ["-cf", "two.tar", "other.obj", "room.1/mesh.obj"], in: folder)
    // Other tests unpack archives into the common folder at the same time.
    let temporary = try TemporaryFolder()
    let environment = CommandProcess.environment.merging(["TMPDIR": temporary.path]) { $1 }
    func outcome(_ arguments: [String]) throws -> String? {
      try self.outcome(arguments, in: folder, environment: environment)
    }
    #expect(try outcome(["scans.tar.gz"]) == "done")
    #expect(folder.exists("out/scans.glb"))
    #expect(try outcome(["other.obj", "--frames", "scans.tar.gz"]) == "done")
    #expect(try outcome(["mesh.tar"]) == "skipped")
    #expect(folder.exists("out/other.glb"))
    let two = try CommandProcess.run(
      CommandProcess.executable, ["run", "pipeline.json", "two.tar"], in: folder,
      environment: environment)
    #expect(two.status == 65)
    #expect(two.errors.contains("two.tar: the archive contains 2 meshes"))
    #expect(temporary.names == [])
  }

  @Test func `the dependency file names an archive, not what was unpacked`() throws {
    let folder = try folder()
    let tar = try #require(CommandProcess.program("tar"))
    _ = try CommandProcess.run(tar, ["-cf", "scans.tar", "room.1"], in: folder)
    let run = try CommandProcess.run(
      ["run", "pipeline.json", "scans.tar", "-MF", "-", "--if-changed"], in: folder)
    #expect(run.text.contains("scans.tar"))
    #expect(!run.text.contains("frames.jsonl"))
    let again = try CommandProcess.run(
      ["run", "pipeline.json", "scans.tar", "--if-changed", "--progress", "json"], in: folder)
    #expect(!again.errors.contains("weld"))
  }
}
