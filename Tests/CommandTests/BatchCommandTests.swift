import Foundation
import MeshPipeline
import Testing

@testable import MeshpipeCommand

/// A batch in a folder of its own, with small scans and a pipeline.
struct BatchSite {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.writePipeline("web.json")
    for name in ["a", "b", "day1/a", "day1/c"] {
      try folder.writeScan("scans/\(name).obj", cells: 2 + name.count)
    }
  }

  /// Runs 'batch' on the scans.
  func batch(
    _ options: String..., output: String = "out/{folder}/{stem}.glb"
  ) throws -> Outcome {
    try batch(options, output: output)
  }

  func batch(
    _ options: [String], output: String = "out/{folder}/{stem}.glb"
  ) throws -> Outcome {
    try CommandProcess.run(
      ["batch", "web.json", "scans", "-o", output, "-j2"] + options, in: folder)
  }

  /// The reasons that '--dry-run' gives, by item.
  func reasons(_ options: String...) throws -> [String: String] { try reasons(options) }

  func reasons(_ options: [String]) throws -> [String: String] {
    let outcome = try CommandProcess.run(
      ["batch", "web.json", "scans", "-o", "out/{folder}/{stem}.glb", "--dry-run", "--json"]
        + options, in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let entries = try #require(
      try JSONSerialization.jsonObject(with: outcome.output) as? [[String: Any]])
    var reasons: [String: String] = [:]
    for entry in entries {
      reasons[entry["item"] as? String ?? ""] = entry["reason"] as? String
    }
    return reasons
  }

  /// The bytes of all files in a folder that are not hidden, by path.
  func contents(of name: String) throws -> [String: Data] {
    let root = folder.url.appendingPathComponent(name)
    var contents: [String: Data] = [:]
    let paths = FileManager.default.subpaths(atPath: root.path) ?? []
    for path in paths where !path.hasPrefix(".") {
      let file = root.appendingPathComponent(path)
      if (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true {
        contents[path] = try Data(contentsOf: file)
      }
    }
    return contents
  }

  /// Nothing half-written is left.
  var isClean: Bool {
    let hidden = folder.url.appendingPathComponent("out/.meshpipe-batch").path
    let names = (FileManager.default.subpaths(atPath: hidden) ?? [])
    return !names.contains { $0.hasPrefix("staging") && $0.contains("/") }
  }

  /// The lines of the journal that tell of items.
  func entries() throws -> [[String: Any]] {
    try folder.text(of: "out/.meshpipe-batch/journal.jsonl").split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }.filter { $0["item"] != nil }
  }
}

@Suite struct BatchCommandTests {
  @Test func `a folder of scans becomes a folder of models, as 'run' would make them`() throws {
    let site = try BatchSite()
    let outcome = try site.batch()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.text.isEmpty)
    #expect(outcome.errors.contains("meshpipe: 4 done in "))
    let contents = try site.contents(of: "out")
    #expect(contents.keys.sorted() == ["a.glb", "b.glb", "day1/a.glb", "day1/c.glb"])
    let run = try CommandProcess.run(
      ["run", "web.json", "scans/day1/c.obj", "-o", "alone.glb"], in: site.folder)
    #expect(run.status == 0)
    #expect(
      contents["day1/c.glb"]
        == (try Data(contentsOf: site.folder.url.appendingPathComponent("alone.glb"))))
    #expect(site.isClean)
    let entries = try site.entries()
    #expect(entries.count == 4)
    #expect(
      entries.allSatisfy { $0["state"] as? String == "done" && ($0["key"] as? String)?.count == 64 }
    )
  }

  @Test func `a folder as the output repeats the inputs' folders`() throws {
    let site = try BatchSite()
    #expect(try site.batch(output: "out").status == 0)
    #expect(
      try site.contents(of: "out").keys.sorted()
        == ["scans/a.glb", "scans/b.glb", "scans/day1/a.glb", "scans/day1/c.glb"])
  }

  @Test func `results among the scans are no scans of the next batch`() throws {
    let site = try BatchSite()
    for _ in 0..<2 {
      let outcome = try site.batch(output: "scans/out/{folder}/{stem}.glb")
      #expect(outcome.errors.contains("meshpipe: 4 done in "), "\(outcome.errors)")
    }
  }

  @Test func `words that are no convention of poses are refused, as by 'run'`() throws {
    let outcome = try BatchSite().batch("--frames-convention", "gl,cw")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("'--frames-convention gl,cw': give one of gl and cv"))
  }

  @Test func `a damaged scan costs itself only`() throws {
    let site = try BatchSite()
    try site.folder.write("f 1 2 nonsense\n", to: "scans/bad.obj")
    let outcome = try site.batch()
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("meshpipe: error: scans/bad.obj:1"))
    #expect(outcome.errors.contains("meshpipe: 4 done, 1 failed in "))
    #expect(outcome.errors.contains("1 failed (65): expected a vertex index"))
    #expect(try site.contents(of: "out").count == 4)
    // Alone, its code is that of the batch.
    let alone = try CommandProcess.run(
      ["batch", "web.json", "scans/bad.obj", "-o", "out/{stem}.glb", "--resume", "-q"],
      in: site.folder)
    #expect(alone.status == 65)
  }

  @Test func `what is done is left alone until something changes`() throws {
    let site = try BatchSite()
    try site.folder.write("f 1 2 nonsense\n", to: "scans/bad.obj")
    #expect(try Set(site.reasons().values) == ["new"])
    #expect(try site.batch().status == 3)
    #expect(
      try site.reasons("--resume").values.sorted() == ["stillFailing"]
        + Array(repeating: "upToDate", count: 4))
    #expect(try site.reasons("--retry-failed")["scans/bad.obj"] == "failedBefore")
    #expect(try site.reasons()["scans/a.obj"] == "again")
    let again = try site.batch("--resume")
    #expect(again.status == 3)
    #expect(again.errors.contains("0 done, 4 up to date, 1 failed before"))

    try site.folder.writeScan("scans/a.obj", cells: 7)
    try FileManager.default.removeItem(
      at: site.folder.url.appendingPathComponent("out/day1/c.glb"))
    try site.folder.writeScan("scans/new.obj")
    try site.folder.writeScan("scans/bad.obj")
    let reasons = try site.reasons("--resume")
    #expect(reasons["scans/a.obj"] == "changed")
    #expect(reasons["scans/bad.obj"] == "changed")
    #expect(reasons["scans/day1/c.obj"] == "outputChanged")
    #expect(reasons["scans/new.obj"] == "new")
    #expect(reasons["scans/b.obj"] == "upToDate")
    let third = try site.batch("--resume")
    #expect(third.status == 0, "\(third.errors)")
    #expect(third.errors.contains("4 done, 2 up to date"))

    try site.folder.writePipeline(
      "web.json", stages: [#"{ "use": "weld" }"#, #"{ "use": "center" }"#])
    #expect(try Set(site.reasons("--resume").values) == ["recipeChanged"])
  }

  @Test func `a new frame of given frames makes results again, and rights of no plugin don't`()
    throws
  {
    let site = try BatchSite()
    try site.folder.writePipeline("web.json", stages: [#"{ "use": "weld", "when": "frames" }"#])
    try site.folder.writeSmallBundle()
    let options = ["--resume", "--frames", "room", "--force-poses", "--exclude", "day1"]
    func reasons(_ more: String...) throws -> Set<String> {
      try Set(site.reasons(options + more).values)
    }
    let outcome = try site.batch(options)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try reasons() == ["upToDate"])
    for option in ["--allow-network", "--allow-reading", "--allow-env"] {
      #expect(try reasons(option, "STUDIO") == ["upToDate"])
    }
    try site.folder.writePicture("room/images/frame_000002.png")
    #expect(try reasons() == ["recipeChanged"])
  }

  @Test func `what an option made fail is tried again without it`() throws {
    let site = try BatchSite()
    for name in ["a", "b", "day1/a", "day1/c"] { try site.folder.write("x", to: "out/\(name).glb") }
    #expect(try site.batch("--no-overwrite").status == 73)
    #expect(try Set(site.reasons("--resume", "--no-overwrite").values) == ["stillFailing"])
    #expect(try Set(site.reasons("--resume").values) == ["recipeChanged"])
    #expect(try site.batch("--resume").status == 0)
    #expect(try Set(site.reasons("--resume", "--no-overwrite").values) == ["upToDate"])
  }

  @Test func `frames from an archive are compared by the archive`() throws {
    let site = try BatchSite()
    try site.folder.writePipeline("web.json", stages: [#"{ "use": "weld", "when": "frames" }"#])
    try site.folder.writeSmallBundle()
    let tar = try #require(CommandProcess.program("tar"))
    #expect(try CommandProcess.run(tar, ["cf", "fr.tar", "room"], in: site.folder).status == 0)
    let options = ["--frames", "fr.tar", "--force-poses", "--exclude", "day1"]
    #expect(try site.batch(options).status == 0)
    #expect(try Set(site.reasons(options + ["--resume"]).values) == ["upToDate"])
    try site.folder.writePicture("room/images/frame_000001.png", white: false)
    #expect(try CommandProcess.run(tar, ["cf", "fr.tar", "room"], in: site.folder).status == 0)
    #expect(try Set(site.reasons(options + ["--resume"]).values) == ["changed"])
  }

  @Test func `messages name frames by the archive that they come from`() throws {
    let site = try BatchSite()
    try site.folder.writePipeline("web.json", stages: [#"{ "use": "weld", "when": "frames" }"#])
    try site.folder.writeSmallBundle()
    for index in 0..<2 { try site.folder.write("x", to: "room/images/frame_00000\(index).png") }
    let tar = try #require(CommandProcess.program("tar"))
    #expect(try CommandProcess.run(tar, ["cf", "fr.tar", "room"], in: site.folder).status == 0)
    let outcome = try site.batch("--frames", "fr.tar", "--exclude", "day1")
    #expect(outcome.status == 65)
    #expect(
      outcome.errors.contains("scans/a.obj: fr.tar/room: the capture (frames-bundle) has no"),
      "\(outcome.errors)")
    #expect(!outcome.errors.contains("meshpipe-scan-"))
  }

  @Test func `two items for one place fail, and cost no others`() throws {
    let site = try BatchSite()
    let outcome = try site.batch(output: "out/{stem}.glb")
    #expect(outcome.status == 3)
    #expect(
      outcome.errors.contains(
        "'scans/a.obj' and 'scans/day1/a.obj' would both be written to 'out/a.glb'"))
    #expect(!site.folder.exists("out/a.glb") && site.folder.exists("out/b.glb"))
  }

  @Test func `of one scan in several formats the preferred one is done`() throws {
    let site = try BatchSite()
    let made = try CommandProcess.run(["run", "scans/b.obj", "-o", "scans/b.ply"], in: site.folder)
    #expect(made.status == 0)
    let outcome = try site.batch("--prefer", "ply,obj", "--include", "*b*")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("1 scan is skipped"), "\(outcome.errors)")
    let journal = try site.batch("--prefer", "ply,obj", "--include", "*b*", "--dry-run")
    #expect(journal.text.contains("scans/b.obj: skipped"), "\(journal.text)")
  }

  @Test func `mistakes of template and pipeline are told before any work`() throws {
    let site = try BatchSite()
    let template = try site.batch(output: "out/{stm}.glb")
    #expect(template.status == 64)
    #expect(template.errors.contains("did you mean '{stem}'?"))
    #expect(try site.batch(output: "-").status == 64)
    try site.folder.writePipeline("web.json", stages: [#"{ "use": "wled" }"#])
    let pipeline = try site.batch()
    #expect(pipeline.status == 69)
    #expect(pipeline.errors.contains("did you mean 'weld'?"))
    try site.folder.write("{ \"meshpipe\": 1, ", to: "web.json")
    #expect(try site.batch().status == 78)
    #expect(!site.folder.exists("out"))
  }

  @Test func `stages without a file, and lines for programs`() throws {
    let site = try BatchSite()
    let outcome = try CommandProcess.run(
      [
        "batch", "scans/*.obj", "-s", "weld", "-o", "out/{stem}.ply", "-j1", "--progress", "json",
      ], in: site.folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = try outcome.errors.split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    #expect(lines.first { $0["event"] as? String == "batch" }?["due"] as? Int == 2)
    #expect(lines.filter { $0["event"] as? String == "item" }.count == 2)
    #expect(lines.last?["event"] as? String == "end")
    #expect(lines.last?["done"] as? Int == 2)
  }

  @Test func `a tile outside of the box is left out where the output says so`() throws {
    let folder = try TemporaryFolder()
    try folder.write("0 0 0\n1 0 0\n0 1 0\n", to: "tiles/a.xyz")
    try folder.write("9 0 0\n9 1 0\n8 1 0\n", to: "tiles/b.xyz")
    try folder.write(
      #"""
      { "meshpipe": 1, "stages": [ { "use": "crop", "with": { "max": [2, 2, 2] } } ],
        "outputs": [ { "path": "${stem}.ply", "when": "points" } ] }
      """#, to: "part.json")
    let outcome = try CommandProcess.run(
      ["batch", "part.json", "tiles", "-o", "out/{stem}.ply"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/out")
    #expect(names.filter { $0.hasSuffix(".ply") } == ["a.ply"])
    let plain = try CommandProcess.run(
      ["batch", "tiles", "-s", "crop max=2,2,2", "-o", "plain/{stem}.ply"], in: folder)
    #expect(plain.status == 3)
    #expect(plain.errors.contains(#"an output with "when": "faces or points" is left out then"#))
  }

  @Test func `the first failure ends it when that is asked for`() throws {
    let site = try BatchSite()
    for name in ["0", "00"] { try site.folder.write("f 1 2 nonsense\n", to: "scans/\(name).obj") }
    let outcome = try site.batch("--fail-fast", "-q")
    #expect(outcome.status == 65 || outcome.status == 3)
    #expect(try site.contents(of: "out").count < 4)
  }
}
