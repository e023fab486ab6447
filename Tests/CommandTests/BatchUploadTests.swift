import Foundation
import MeshTestSupport
import Testing

/// Uploads of a batch, each item by itself.
struct BatchUploadTests {
  private let server: UploadTests.Server
  private let site: BatchSite

  init() throws {
    server = try UploadTests.Server()
    site = try BatchSite()
  }

  private func batch(to place: String, _ options: [String] = []) throws -> Program {
    try Program.run(
      Program.meshpipe,
      [
        "batch", "web.json", "scans", "-o", "out/{folder}/{stem}.glb", "-j2", "--upload",
        "\(server.url)/\(place)", "--upload-retries", "0", "--retries", "0",
      ] + options,
      in: site.folder.path, environment: ["MESHPIPE_UPLOAD_TOKEN": "", "no_proxy": "*"])
  }

  @Test func `outputs are sent to their folders, and not sent again`() throws {
    let names = ["a.glb", "b.glb", "day1/a.glb", "day1/c.glb"]
    let first = try batch(to: "ok/x")
    #expect(first.status == 0, "\(first.errors)")
    #expect(server.sentNames(to: "ok/x").sorted() == names)
    #expect(
      try server.file("ok__x__day1__c.glb")
        == site.contents(of: "out")["day1/c.glb"])
    let again = try batch(to: "ok/x", ["--resume"])
    #expect(again.status == 0 && again.errors.contains("up to date"), "\(again.errors)")
    #expect(server.sentNames(to: "ok/x").count == 4)
    // Elsewhere nothing was sent yet.
    let other = try batch(to: "ok/y", ["--resume"])
    #expect(other.status == 0, "\(other.errors)")
    #expect(server.sentNames(to: "ok/y").sorted() == names)
  }

  @Test func `a bundle of each capture is sent with its folder`() throws {
    try site.folder.writeSmallBundle()
    for day in ["day1", "day2"] {
      try FileManager.default.createDirectory(
        atPath: site.folder.path + "/captures/\(day)", withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: site.folder.path + "/room", toPath: site.folder.path + "/captures/\(day)/room")
    }
    let batch = try Program.run(
      Program.meshpipe,
      [
        "batch", "captures", "-o", "out/{folder}/{stem}.frames-bundle", "--upload",
        "\(server.url)/ok",
      ],
      in: site.folder.path, environment: ["MESHPIPE_UPLOAD_TOKEN": "", "no_proxy": "*"])
    #expect(batch.status == 0, "\(batch.errors)")
    let names = server.sentNames(to: "ok")
    #expect(names.count == 14)
    for day in ["day1", "day2"] {
      let bundle = "\(day)/room.frames-bundle"
      #expect(names.last { $0.hasPrefix(bundle) } == "\(bundle)/frames.jsonl")
      #expect(try CommandProcess.run(["verify", "out/\(bundle)"], in: site.folder).status == 0)
    }
  }

  @Test(arguments: [("403", 74, "failed"), ("500", 75, "temporary")])
  func `an item that can't be sent has failed`(
    place: String, status: Int32, state: String
  ) throws {
    let batch = try batch(to: place)
    #expect(batch.status == status, "\(batch.errors)")
    let entries = try site.entries()
    #expect(entries.count == 4)
    for entry in entries {
      #expect(entry["state"] as? String == state)
      #expect((entry["error"] as? String)?.contains("not uploaded: ") == true, "\(entry)")
    }
    // The outputs are there all the same.
    #expect(try site.contents(of: "out").count == 4)
  }

  @Test func `only what failed is sent later`() throws {
    // Each request fails once.
    #expect(try batch(to: "busy/x").status == 75)
    var runs = 0
    while try batch(to: "busy/x", ["--retry-failed"]).status != 0, runs < 3 { runs += 1 }
    #expect(runs < 3)
    #expect(server.log.count { $0.hasPrefix("PUT /busy/x/") && $0.contains(" 201 ") } == 4)
  }

  @Test func `what can't be uploaded is refused before any work`() throws {
    let refused: [([String], String)] = [
      (["-o", "out.zip:{stem}.glb"], "needs files"),
      (["-o", "out", "--emit", "make"], "build file"),
      (["-o", "out", "--no-overwrite"], "--no-overwrite"),
    ]
    for (options, words) in refused {
      let outcome = try CommandProcess.run(
        ["batch", "web.json", "scans", "--upload", server.url] + options, in: site.folder)
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }
    let outcome = try site.batch("--upload-retries", "2")
    #expect(outcome.status == 64 && outcome.errors.contains("needs '--upload'"))
    let line = try site.batch("--upload", server.url, "--emit", "parallel", "--shards", "2")
    #expect(line.text.contains("--upload \(server.url)"), "\(line.text) \(line.errors)")
    #expect(server.log.isEmpty)
  }
}
