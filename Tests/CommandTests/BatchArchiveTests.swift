import Foundation
import MeshPipeline
import Testing

@testable import MeshpipeCommand

@Suite struct BatchArchiveTests {
  private func site() throws -> BatchSite {
    let site = try BatchSite()
    let tar = try #require(CommandProcess.program("tar"))
    #expect(try CommandProcess.run(tar, ["cf", "all.tar", "scans"], in: site.folder).status == 0)
    return site
  }

  private func batch(_ site: BatchSite, _ arguments: String...) throws -> Outcome {
    try CommandProcess.run(["batch", "web.json"] + arguments, in: site.folder)
  }

  /// Gives the archive a time that can't be that of another change.
  private func age(_ site: BatchSite, by seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -seconds)],
      ofItemAtPath: site.folder.path + "/all.tar")
  }

  @Test func `the scans of an archive become what the files would`() throws {
    let site = try site()
    #expect(try site.batch(output: "files/{folder}/{stem}.glb").status == 0)
    let outcome = try batch(site, "all.tar", "-o", "out/{stem}.glb", "--exclude", "**/day1", "-j2")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try site.contents(of: "out").keys.sorted() == ["a.glb", "b.glb"])
    #expect(try site.contents(of: "out")["a.glb"] == site.contents(of: "files")["a.glb"])
    #expect(site.isClean)
    #expect(try site.entries().map { $0["item"] as? String }.contains("all.tar/scans/a.obj"))
  }

  @Test func `a message names the scan in the archive and not where it was unpacked`() throws {
    let site = try BatchSite()
    try site.folder.write("f 1 2 nonsense\n", to: "scans/bad.obj")
    let tar = try #require(CommandProcess.program("tar"))
    #expect(try CommandProcess.run(tar, ["cf", "all.tar", "scans"], in: site.folder).status == 0)
    let outcome = try batch(site, "all.tar", "-o", "out/{folder}/{stem}.glb", "-j1")
    #expect(outcome.status == 3)
    #expect(
      outcome.errors.contains("meshpipe: error: all.tar/scans/bad.obj:1: expected a vertex index"))
    #expect(!outcome.errors.contains("staging"))
  }

  @Test func `an archive that only looks changed is unpacked and then left alone`() throws {
    let site = try site()
    try age(site, by: 100)
    let arguments = ["all.tar", "-o", "out/{folder}/{stem}.glb", "-j2", "--resume"]
    func resume() throws -> String {
      try CommandProcess.run(["batch", "web.json"] + arguments, in: site.folder).errors
    }
    #expect(try resume().contains("4 done in"))
    #expect(try resume().contains("0 done, 4 up to date"))
    #expect(try site.entries().count == 4)
    try age(site, by: 50)
    #expect(try resume().contains("0 done, 4 up to date"))
    // What was found is remembered.
    #expect(try site.entries().count == 8)
    #expect(try resume().contains("0 done, 4 up to date"))
    #expect(try site.entries().count == 8)
  }

  @Test(arguments: ["room", "fr.tar"])
  func `what lies beside an archive makes its scans again when it changes`(frames: String) throws {
    let site = try site()
    try site.folder.writePipeline("web.json", stages: [#"{ "use": "weld", "when": "frames" }"#])
    try site.folder.writeSmallBundle()
    let tar = try #require(CommandProcess.program("tar"))
    func pack() throws {
      #expect(try CommandProcess.run(tar, ["cf", "fr.tar", "room"], in: site.folder).status == 0)
    }
    try pack()
    try age(site, by: 100)
    func resume() throws -> String {
      try batch(
        site, "all.tar", "-o", "out/{folder}/{stem}.glb", "--frames", frames, "--force-poses",
        "--resume"
      ).errors
    }
    #expect(try resume().contains("4 done in"))
    #expect(try resume().contains("0 done, 4 up to date"))
    try site.folder.writePicture("room/images/frame_000001.png", white: false)
    try pack()
    #expect(try resume().contains("4 done in"))
    #expect(try resume().contains("0 done, 4 up to date"))
  }

  @Test func `outputs go into an archive whose bytes do not depend on the jobs`() throws {
    let site = try BatchSite()
    func zip(_ name: String, _ options: String...) throws -> Data {
      let outcome = try CommandProcess.run(
        ["batch", "web.json", "scans", "-o", "\(name):{folder}/{stem}.glb"] + options,
        in: site.folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let path = name.hasPrefix("/") ? name : "\(site.folder.path)/\(name)"
      return try Data(contentsOf: URL(filePath: path))
    }
    let one = try zip("one/out.zip", "-j1")
    let two = try zip("two/out.zip", "-j2")
    #expect(one == two)
    // Wherever the archive is, and however its path is written.
    #expect(try zip("out.zip") == one)
    #expect(try zip("./here.zip") == one)
    #expect(try zip("four//./out.zip") == one)
    #expect(try zip(site.folder.path + "/five/out.zip") == one)
    // A scan more, and one less: the others are taken over from the archive as it is.
    try site.folder.writeScan("scans/e.obj", cells: 9)
    try FileManager.default.removeItem(at: site.folder.url.appendingPathComponent("scans/a.obj"))
    let resumed = try zip("one/out.zip", "--resume")
    #expect(resumed != one)
    #expect(resumed == (try zip("three/out.zip")))
    let listing = try CommandProcess.run(
      ["batch", "web.json", "scans", "-o", "one/out.zip:{folder}/{stem}.glb", "-n", "--resume"],
      in: site.folder)
    #expect(listing.text.contains("4 items, 0 to do"))
    #expect(listing.text.contains("scans/e.obj -> one/out.zip:e.glb: "))
    // An archive that is not what was written has to be made again.
    try site.folder.write("nonsense", to: "one/out.zip")
    #expect(try zip("one/out.zip", "--resume") == resumed)
  }

  @Test func `two scans for one name in an archive are told by that name`() throws {
    let site = try BatchSite()
    try site.folder.writeScan("scans/a.ply", cells: 3)
    let outcome = try CommandProcess.run(
      ["batch", "web.json", "scans", "-o", "all.zip:{stem}.glb"], in: site.folder)
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("would all be written to 'all.zip:a.glb'"))
    #expect(outcome.errors.contains("--exclude"))
  }

  @Test func `an archive does not give way for an empty one`() throws {
    let site = try BatchSite()
    try site.folder.write("v 0 0\n", to: "broken/a.obj")
    try site.folder.write("the last good one", to: "old.zip")
    for name in ["old.zip", "new.zip"] {
      let outcome = try CommandProcess.run(
        ["batch", "web.json", "broken", "-o", "\(name):{stem}.glb"], in: site.folder)
      #expect(outcome.status == 65)
    }
    #expect(try Data(contentsOf: site.folder.url.appending(path: "old.zip")).count == 17)
    #expect(!FileManager.default.fileExists(atPath: site.folder.path + "/new.zip"))
  }

  @Test func `a report shows what became of the items`() throws {
    let site = try BatchSite()
    try site.folder.write("f 1 2 nonsense\n", to: "scans/bad.obj")
    let outcome = try site.batch("--report", "report.html", "--report", "report.json")
    #expect(outcome.status == 3, "\(outcome.errors)")
    let page = try site.folder.text(of: "report.html")
    #expect(page.contains("c.obj") && page.contains("data:image/jpeg;base64,"))
    let json = try site.folder.text(of: "report.json")
    #expect(json.contains("expected a vertex index"))
    #expect(try site.batch("--report", "report.txt").status == 64)
  }
}
