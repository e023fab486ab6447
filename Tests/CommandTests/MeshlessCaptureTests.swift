import Foundation
import MeshTestSupport
import Testing

/// Captures without a mesh, of which a stage makes one.
struct MeshlessCaptureTests {
  private static let fusion = ["-s", "fuse-depth voxelSize=10cm"]

  @Test func `a capture without a mesh is the input of a stage that makes one`() throws {
    let folder = try TemporaryFolder.withMeshlessBundle()
    let arguments =
      ["run", "room"] + Self.fusion + ["-o", "${stem}.ply", "--if-changed", "-MD"]
    let run = try CommandProcess.run(arguments + ["--report", "report.json"], in: folder)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    #expect(folder.exists("room.ply"))
    #expect(run.errors.contains("no frame has an image; only depth maps are used"))
    let report =
      try JSONSerialization.jsonObject(with: Data(folder.text(of: "report.json").utf8))
      as? [String: Any]
    let input = report?["input"] as? [String: Any]
    #expect(input?["format"] as? String == "frames-bundle")
    #expect(input?["features"] as? [String] == ["depth"])
    let rule = try folder.text(of: "room.ply.d")
    #expect(rule.contains("room/depth/5.png"))
    #expect(!rule.contains("room \\"))
    // Nothing to do, until a depth map is another one.
    let again = try CommandProcess.run(arguments + ["--progress", "json"], in: folder)
    #expect(again.status == 0)
    #expect(!again.errors.contains("fuse-depth"), Comment(rawValue: again.errors))
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("room/depth/5.png"))
    let changed = try CommandProcess.run(arguments + ["--progress", "json"], in: folder)
    #expect(changed.errors.contains("fuse-depth"), Comment(rawValue: changed.errors))
  }

  @Test func `points are made of it by the pipeline points`() throws {
    let folder = try TemporaryFolder.withMeshlessBundle()
    let pipeline = Checkout.path("pipelines/points.json")
    let run = try CommandProcess.run(
      ["run", pipeline, "room", "-o", "out/"], in: folder)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    #expect(!run.errors.contains("skipped"), Comment(rawValue: run.errors))
    #expect(folder.exists("out/room.glb"))
    let ply = try Data(contentsOf: folder.url.appendingPathComponent("out/room.ply"))
    let header = ply.prefix { $0 < 128 }
    let text = String(decoding: header, as: UTF8.self)
    for property in ["float nx", "float range", "int frame"] {
      #expect(text.contains("property \(property)\n"), Comment(rawValue: text))
    }
  }

  @Test func `whether it is good enough is checked, drawn and shown`() throws {
    let folder = try TemporaryFolder.withMeshlessBundle()
    let pipeline = Checkout.path("pipelines/capture-check.json")
    let limit = ["--set", "minimumDepthShare=1.1,1.05"]
    let failed = try CommandProcess.run(
      ["run", pipeline, "room", "-o", "out/"] + limit, in: folder)
    #expect(failed.status == 65)
    #expect(
      failed.errors.contains("the capture fails at a gate: depth: 6 of 6 frames below 1.05"),
      Comment(rawValue: failed.errors))
    #expect(!folder.exists("out"))
    let warned = try CommandProcess.run(
      ["run", pipeline, "room", "-o", "out/", "--var", "stop=false"] + limit, in: folder)
    #expect(warned.status == 0, Comment(rawValue: warned.errors))
    #expect(warned.errors.contains("check-capture: failed: depth"))
    #expect(try folder.text(of: "out/room.gates.svg").contains("<polyline"))
    let info = try CommandProcess.run(["info", "room", "--gates"], in: folder)
    #expect(info.text.contains("confidence"), Comment(rawValue: info.text))
    #expect((info.status == 65) == info.text.contains("failed"), Comment(rawValue: info.text))
    let scan = try folder.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", to: "scan.obj")
    let none = try CommandProcess.run(["info", scan, "--gates"], in: folder)
    #expect(none.status == 65 && none.errors.contains("'--gates' has no frames to measure"))
  }

  @Test func `without such a stage the message names it`() throws {
    let folder = try TemporaryFolder.withMeshlessBundle()
    for stages in [["-s", "weld"], []] {
      let run = try CommandProcess.run(["run", "room"] + stages + ["-o", "a.ply"], in: folder)
      #expect(run.status == 65)
      #expect(
        run.errors.contains(
          "has no mesh; name one as the input, and the capture with --frames, or make one from its "
            + "depth maps with the stage 'fuse-depth'"), Comment(rawValue: run.errors))
    }
    let ignored = try CommandProcess.run(
      ["run", "room", "--frames", "none"] + Self.fusion + ["-o", "a.ply"], in: folder)
    #expect(ignored.status == 65)
    let early = try CommandProcess.run(
      ["run", "room", "-s", "bake-texture"] + Self.fusion + ["-o", "a.ply"], in: folder)
    #expect(early.status == 64)
    #expect(
      early.errors.contains(
        "stage 'bake-texture' needs faces, which no stage before it makes, and 'room' has no mesh"),
      Comment(rawValue: early.errors))
  }

  @Test func `check, plan and info know of it`() throws {
    let folder = try TemporaryFolder.withMeshlessBundle()
    try folder.writePipeline(
      stages: [#"{ "use": "fuse-depth", "when": "depth", "with": { "voxelSize": "10cm" } }"#],
      outputs: ["out/${stem}.ply"])
    let check = try CommandProcess.run(["check", "pipeline.json", "room"], in: folder)
    #expect(check.status == 0, Comment(rawValue: check.errors))
    let plan = try CommandProcess.run(["plan", "pipeline.json", "room"], in: folder)
    #expect(plan.text.contains("'depth' holds"), Comment(rawValue: plan.text + plan.errors))
    let info = try CommandProcess.run(["info", "room"], in: folder)
    #expect(info.status == 0, Comment(rawValue: info.errors))
    for words in [
      "0 frames and 6 maps without an image, 40 x 30",
      "none; 'fuse-depth' can make one from the depth maps",
    ] {
      #expect(info.text.contains(words), Comment(rawValue: info.text))
    }
    let json = try CommandProcess.run(["info", "room", "--json"], in: folder)
    let page = try JSONSerialization.jsonObject(with: json.output) as? [String: Any]
    let capture = page?["capture"] as? [String: Any]
    #expect(capture?["depthMapsAlone"] as? Int == 6)
    let meanings = page?["interpretation"] as? [[String: String]]
    #expect(meanings?.contains { $0["aspect"] == "cameras" } == true)
    #expect(info.text.contains("taken as"))
  }

  @Test func `a batch takes them from folders and archives`() throws {
    let folder = try TemporaryFolder.withMeshlessBundle()
    let tar = try #require(CommandProcess.program("tar"))
    for name in ["scans/a", "scans/b"] {
      let place = folder.url.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        at: folder.url.appendingPathComponent("room"), to: place)
    }
    _ = try CommandProcess.run(tar, ["-cf", "scans/c.tar", "room"], in: folder)
    let batch = ["batch", "scans", "-o", "out/{stem}.ply", "-j1"]
    let run = try CommandProcess.run(batch + Self.fusion, in: folder)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    for name in ["a", "b", "room"] { #expect(folder.exists("out/\(name).ply"), "\(name)") }
    let resumed = try CommandProcess.run(batch + Self.fusion + ["--resume"], in: folder)
    #expect(resumed.status == 0, Comment(rawValue: resumed.errors))
    let without = try CommandProcess.run(
      ["batch", "scans", "-o", "none/{stem}.ply", "-j1", "-s", "weld"], in: folder)
    #expect(without.status != 0)
    #expect(
      without.errors.contains("has no mesh; name one as the input"),
      Comment(rawValue: without.errors))
  }

  @Test func `pipelines for scans make a mesh of its depth maps, unless that is excluded`() throws {
    let folder = try TemporaryFolder.withMeshlessBundle()
    let pipeline = Checkout.path("pipelines/web.json")
    let run = try CommandProcess.run(
      ["run", pipeline, "room", "-o", "out/", "--set", "depths.voxelSize=10cm"], in: folder)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    #expect(folder.exists("out/room.glb"))
    let other = try CommandProcess.run(
      ["run", pipeline, "room", "-o", "other/", "--var", "geometry=scan"], in: folder)
    #expect(other.status == 65)
    #expect(other.errors.contains("has no mesh"), Comment(rawValue: other.errors))
    #expect(!folder.exists("other"))
  }
}
