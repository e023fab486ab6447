import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Batch

struct BatchReportTests {
  private let temporary: TemporaryFolder
  private let folder: BatchFolder

  init() throws {
    temporary = try TemporaryFolder()
    folder = BatchFolder(root: temporary.path)
  }

  private func entry(
    _ item: String, _ state: JournalEntry.State = .done, error: String = "", time: Int64 = 0
  ) -> JournalEntry {
    var entry = JournalEntry(item: item, state: state, exitCode: state == .done ? .success : .data)
    entry.error = error
    (entry.seconds, entry.size, entry.peakMemory) = (1.5, 1000, 50_000_000)
    (entry.facesBefore, entry.facesAfter) = (2000, 400)
    entry.outputs = [.init(path: item + ".glb", size: 300, sha256: "")]
    entry.time = time
    return entry
  }

  private func write(
    _ entries: [JournalEntry], shard: Shard? = nil, plan: JournalPlan? = nil
  ) throws {
    let journal = try Journal(folder, shard: shard)
    try journal.begin(JournalHeader(pipeline: "", arguments: [], isFresh: true, shard: shard))
    if let plan { try journal.append(plan) }
    try journal.append(entries)
  }

  // MARK: Status

  @Test func `a batch that came to its end is finished`() throws {
    try write([entry("a"), entry("b", .failed)], plan: JournalPlan(items: 2, due: 2))
    let status = try BatchStatus(of: folder)
    #expect(status.activity == .finished)
    #expect(status.due == 0)
    #expect(status.counts.done == 1 && status.counts.failed == 1)
    #expect(status.secondsLeft == nil)
  }

  @Test func `a killed batch has stopped, a locked one runs`() throws {
    var plan = JournalPlan(items: 5, due: 4)
    plan.time -= 2_000_000_000
    try write([entry("a"), entry("b")], plan: plan)
    #expect(try BatchStatus(of: folder).activity == .stopped)
    let lock = try BatchLock(folder)
    let status = try BatchStatus(of: folder)
    #expect(status.activity == .running && status.due == 2)
    #expect(try 0.8...1.01 ~= #require(status.rate))
    #expect(try 1.9...2.5 ~= #require(status.secondsLeft))
    withExtendedLifetime(lock) {}
  }

  @Test func `shards that have not begun are waited for`() throws {
    try write([entry("a")], shard: Shard(2, of: 3), plan: JournalPlan(items: 1, due: 1))
    let lock = try BatchLock(folder, shard: Shard(3, of: 3))
    try write([], shard: Shard(3, of: 3))
    let status = try BatchStatus(of: folder)
    #expect(status.parts.map(\.activity) == [.waiting, .finished, .running])
    #expect(status.due == nil)
    withExtendedLifetime(lock) {}
  }

  @Test func `a folder without a batch says what to name`() {
    let error = #expect(throws: NoBatch.self) { try BatchStatus(of: folder) }
    #expect(error?.exitCode == .noInput)
  }

  // MARK: Causes

  @Test(arguments: [
    ("a/room.obj:12: vertex 99 does not exist", "a/room.obj", "vertex … does not exist"),
    (
      "in.zip/b c.ply: the file ends in its header", "in.zip/b c.ply", "the file ends in its header"
    ),
    ("x.obj: can't open 'wood.png': no such file", "x.obj", "can't open … no such file"),
    ("took longer than 30 s", "x.obj", "took longer than … s"),
    ("", "x.obj", ""),
  ])
  func `a cause is what messages have in common`(message: String, item: String, cause: String) {
    #expect(FailureCause.shared(message, of: item) == cause)
  }

  @Test func `failures are counted by cause, the most frequent first`() {
    let causes = FailureCause.causes(of: [
      entry("a.obj"), entry("b.obj", .failed, error: "b.obj: empty"),
      entry("c.obj", .failed, error: "c.obj:7: vertex 3 does not exist"),
      entry("d.obj", .failed, error: "d.obj:9: vertex 12 does not exist"),
    ])
    #expect(causes.map(\.count) == [2, 1])
    #expect(causes.first?.example == "c.obj")
  }

  // MARK: The page and the JSON

  @Test func `several batches are reported together`() throws {
    let other = try TemporaryFolder()
    try write([entry("a"), entry("b", .failed, error: "no")])
    let journal = try Journal(BatchFolder(root: other.path))
    try journal.append([entry("a")])
    let report = try BatchReport(ofFolders: [temporary.path, other.path])
    #expect(report.counts.done == 2 && report.counts.failed == 1)
    #expect(report.totals.facesBefore == 6000 && report.totals.bytesWritten == 900)
    let json = report.json()
    #expect(json["meshpipeBatchReport"]?.number == 1)
    #expect(json["items"]?.elements.count == 3)
    #expect(json["counts"]?["failed"]?.number == 1)
    #expect(json["items"]?.elements.first?["folder"]?.text == temporary.path)
    #expect(report.json(includesItems: false)["items"] == nil)
  }

  @Test func `what comes from names and messages is only text in the page`() throws {
    let evil = "<script>alert('x')</script>\"&\u{1}"
    var done = entry(evil)
    done.warnings = [evil]
    try write([done, entry("b\(evil)", .failed, error: evil)])
    let page = try BatchReport(ofFolders: [temporary.path]).html(at: temporary.path + "/r.html")
    #expect(!page.contains("<script>alert"))
    #expect(page.components(separatedBy: "<script>").count == 2)
    #expect(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;\u{FFFD}"))
    #expect(!page.contains("\u{1}"))
  }

  @Test func `failures come first, and pictures are in the page until it gets heavy`() throws {
    var entries = ["a", "b", "c"].map { entry($0) }
    for index in entries.indices {
      entries[index].thumbnail = try Thumbnail.write(
        SceneFixtures.room, ofItem: entries[index].item, in: folder)
    }
    try write(entries + [entry("z", .failed, error: "bad")])
    let report = try BatchReport(ofFolders: [temporary.path])
    let path = temporary.path + "/reports/r.html"
    try FileSystem.createFolder(temporary.path + "/reports")
    let page = report.html(at: path)
    #expect(page.components(separatedBy: "data:image/jpeg;base64,/9j/").count == 4)
    let bad = try #require(page.range(of: "</small>z</bdi>"))
    let good = try #require(page.range(of: "</small>a</bdi>"))
    #expect(bad.lowerBound < good.lowerBound)
    var small = BatchHTML(report, at: path, inlineLimit: 0, cardLimit: 3)
    let light = small.text
    #expect(!light.contains("base64"))
    #expect(light.contains("src=\"../.meshpipe-batch/thumbnails/"))
    #expect(light.contains("1 more are not shown"))
    try report.write(to: path)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == page)
  }

  @Test func `a thumbnail that climbs out of its folder is not opened`() throws {
    try temporary.write("secret.jpg", [0xFF, 0xD8, 0xFF, 0])
    var item = entry("a")
    item.thumbnail = "../secret.jpg"
    try write([item])
    let page = try BatchReport(ofFolders: [temporary.path]).html(at: temporary.path + "/r.html")
    #expect(page.contains("image missing"))
  }

  @Test func `a report has a kind by its extension`() {
    #expect(throws: UnknownReportKind.self) { try BatchReport.kind(ofPath: "report.pdf") }
  }

  // MARK: Thumbnails

  @Test func `a thumbnail shows the scene, and nothing is no picture`() throws {
    let bytes = try #require(try Thumbnail.jpeg(of: SceneFixtures.room))
    let image = try JPEG.decode(bytes, path: "")
    #expect(SIMD2(image.width, image.height) == Thumbnail.size)
    #expect(bytes.count < 12_000)
    #expect(try Thumbnail.jpeg(of: Scene()) == nil)
  }

  @Test(
    arguments: [
      ([], ""), ([77], "TQ=="), ([77, 97], "TWE="), ([77, 97, 110], "TWFu"),
      ([255, 254, 253, 252], "//79/A=="),
    ] as [([UInt8], String)])
  func `base 64`(bytes: [UInt8], text: String) {
    #expect(URLText.base64(bytes) == text)
  }

  @Test func `paths are relative to the page`() {
    #expect(BatchHTML.relative("/a/b/c.jpg", to: "/a") == "b/c.jpg")
    #expect(BatchHTML.relative("/a/b/c.jpg", to: "/a/x/y") == "../../b/c.jpg")
    #expect(URLText.path("ä b/c.jpg") == "%C3%A4%20b/c.jpg")
  }

  @Test func `counts and times are short`() {
    #expect(BatchHTML.short(99_999) == "99,999")
    #expect(BatchHTML.short(123_456) == "123 k")
    #expect(BatchHTML.short(12_345_678) == "12.3 M")
    #expect(BatchHTML.duration(83) == "83.0 s")
    #expect(BatchHTML.duration(4321) == "72 min 1 s")
    #expect(BatchHTML.duration(100_000) == "27 h 46 min")
  }
}
