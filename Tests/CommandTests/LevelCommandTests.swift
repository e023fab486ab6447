import Foundation
import MeshPipeline
import Testing

/// Levels as the command's user meets them.
@Suite struct LevelCommandTests {
  static let pipeline = """
    { "meshpipe": 1,
      "variables": { "faces": { "type": "amount", "default": 9, "help": "Faces to keep." } },
      "levels": {
        "low": { "with": { "faces": 4 }, "note": "For far away." },
        "high": { "with": { "faces": "100%" } },
        "custom": { "enabled": false } },
      "stages": [
        { "use": "weld" },
        { "id": "light", "use": "decimate", "with": { "faces": "${faces}", "preserve": [] } } ],
      "outputs": [ { "path": "${stem}.${level}.ply" }, { "path": "${stem}.whole.ply", "from": "weld" } ] }
    """

  private func prepared() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    try folder.write(Self.pipeline, to: "levels.json")
    for name in folder.names { try folder.setTime(of: name, secondsFromNow: -60) }
    return folder
  }

  private func run(_ arguments: [String], in folder: TemporaryFolder) throws -> Outcome {
    let outcome = try CommandProcess.run(arguments, in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome
  }

  @Test func `a run writes every level, or those that are named`() throws {
    let folder = try prepared()
    _ = try run(["run", "levels.json", "scan.obj", "-o", "all/"], in: folder)
    let all = folder.url.appendingPathComponent("all")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: all.path).sorted()
        == ["scan.high.ply", "scan.low.ply", "scan.whole.ply"])
    _ = try run(
      ["run", "levels.json", "scan.obj", "-o", "two/", "--level", "custom", "--level", "low"],
      in: folder)
    let two = folder.url.appendingPathComponent("two")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: two.path).sorted()
        == ["scan.custom.ply", "scan.low.ply", "scan.whole.ply"])
    #expect(
      try Data(contentsOf: all.appendingPathComponent("scan.low.ply"))
        == Data(contentsOf: two.appendingPathComponent("scan.low.ply")))
    let unknown = try CommandProcess.run(
      ["run", "levels.json", "scan.obj", "-o", "x/", "--level", "lwo"], in: folder)
    #expect(unknown.status == 64)
    #expect(unknown.errors.contains("--level lwo: error: unknown level 'lwo'; did you mean 'low'?"))
    #expect(!unknown.errors.contains("never used"))
    #expect(!folder.exists("x"))
  }

  @Test func `help, plan and completions know the levels`() throws {
    let folder = try prepared()
    let help = try run(["run", "levels.json", "--help"], in: folder).text
    #expect(help.contains("Levels of levels.json:"))
    #expect(help.contains("--level low"))
    #expect(help.contains("For far away. (faces=4)"))
    #expect(help.contains("(only if named)"))
    let plan = try run(["plan", "levels.json", "scan.obj"], in: folder).text
    #expect(plan.contains("Levels:\n  low   faces=4\n  high  faces=100%\n"))
    #expect(plan.contains("  2  low.light (decimate): runs"))
    #expect(plan.contains("  3  high.light (decimate): runs"))
    #expect(plan.contains("takes weld"))
    let words = try run(
      ["--complete", "level", "h", "run", "levels.json", "scan.obj", "--level"], in: folder)
    #expect(words.text == "high\n")
    _ = try run(["check", "levels.json", "--level", "custom"], in: folder)
  }

  @Test func `nothing is done twice, and another choice of levels is another run`() throws {
    let folder = try prepared()
    func worked(_ more: String...) throws -> Bool {
      let outcome = try run(
        ["run", "levels.json", "scan.obj", "--if-changed", "--progress", "json"] + more, in: folder)
      return !outcome.errors.isEmpty
    }
    #expect(try worked())
    #expect(try !worked())
    #expect(try worked("--level", "high"))
    #expect(try !worked("--level", "high"))
    #expect(try worked("--var", "low.faces=5"))
    #expect(try !worked("--var", "low.faces=5"))
    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("scan.high.ply"))
    #expect(try worked("--var", "low.faces=5"))
    #expect(folder.exists("scan.high.ply"))
  }

  @Test func `a batch writes the levels of every item, and resumes by them`() throws {
    let site = try BatchSite()
    try site.folder.write(Self.pipeline, to: "web.json")
    let output = "out/{folder}/"
    let first = try site.batch("--level", "low", output: output)
    #expect(first.status == 0, "\(first.errors)")
    #expect(
      try site.contents(of: "out").keys.sorted() == [
        "a.low.ply", "a.whole.ply", "b.low.ply", "b.whole.ply", "day1/a.low.ply",
        "day1/a.whole.ply", "day1/c.low.ply", "day1/c.whole.ply",
      ])
    let again = try site.batch("--level", "low", "--resume", output: output)
    #expect(again.errors.contains("4 up to date"), "\(again.errors)")
    let all = try site.batch("--resume", output: output)
    #expect(all.errors.contains("4 done"), "\(all.errors)")
    #expect(try site.contents(of: "out").count == 12)
  }
}
