import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Batch

struct JournalTests {
  private let temporary: TemporaryFolder
  private let folder: BatchFolder

  init() throws {
    temporary = try TemporaryFolder()
    folder = BatchFolder(root: temporary.path)
  }

  private func header(fresh: Bool = true, shard: Shard? = nil) -> JournalHeader {
    JournalHeader(pipeline: "abc", arguments: ["p.json", "in"], isFresh: fresh, shard: shard)
  }

  private func entry(_ item: String, _ state: JournalEntry.State = .done) -> JournalEntry {
    JournalEntry(item: item, state: state, exitCode: state == .done ? .success : .data)
  }

  private func lines() throws -> [String] {
    try String(contentsOfFile: folder.journal(of: nil), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private func addBytes(_ text: String) throws {
    let file = try #require(FileHandle(forWritingAtPath: folder.journal(of: nil)))
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  @Test func `an entry comes back as it was written`() throws {
    var written = entry("a \"quoted\"\nname/ä.obj", .failed)
    written.key = "k"
    written.error = "line 3: no"
    written.warnings = ["w1", "w2"]
    written.seconds = 1.25
    written.peakMemory = 123_456_789
    written.size = Int.max
    written.inputs = [
      .init(
        path: "a.obj", size: 9_007_199_254_740_993, modified: 1_732_205_294_123_456_789,
        sha256: "00")
    ]
    written.missing = ["a.mtl"]
    written.outputs = [.init(path: "a.glb", size: 5, sha256: "ff")]
    (written.facesBefore, written.facesAfter) = (10, 2)
    written.thumbnail = "thumbnails/1.jpg"
    written.attempt = 3
    written.shard = "2/4"
    written.time = 1_732_205_294_123_456_789
    let journal = try Journal(folder)
    try journal.begin(header())
    try journal.append([written])
    let contents = try JournalContents(reading: journal.path)
    #expect(contents.entries == [written])
    #expect(contents.runs.map(\.arguments) == [["p.json", "in"]])
    #expect(contents.damagedLines.isEmpty && !contents.endsTorn)
  }

  @Test func `the last entry of an item counts, in the order of the first`() throws {
    let journal = try Journal(folder)
    try journal.begin(header())
    try journal.append([entry("a", .temporary), entry("b")])
    try journal.append([entry("a")])
    let contents = try JournalContents(reading: journal.path)
    #expect(contents.entries.map(\.item) == ["a", "b"])
    #expect(contents["a"]?.state == .done)
    #expect(contents["c"] == nil)
  }

  @Test func `a fresh run forgets, a resumed one goes on`() throws {
    let journal = try Journal(folder)
    try journal.begin(header())
    try journal.append([entry("a")])
    try journal.begin(header(fresh: false))
    try journal.append(JournalPlan(items: 3, due: 2))
    try journal.append([entry("b")])
    var contents = try JournalContents(reading: journal.path)
    #expect(contents.entries.count == 2 && contents.runs.count == 2)
    #expect(contents.plan?.due == 2 && contents.triedSincePlan == 1)
    try journal.begin(header())
    contents = try JournalContents(reading: journal.path)
    #expect(contents.entries.isEmpty && contents.runs.count == 1 && contents.plan == nil)
  }

  @Test func `a journal that is not there is empty`() throws {
    #expect(try JournalContents(reading: folder.journal(of: nil)).entries.isEmpty)
  }

  @Test func `a torn line is passed over and closed off`() throws {
    do {
      let journal = try Journal(folder)
      try journal.begin(header())
      try journal.append([entry("a")])
    }
    try addBytes(#"{ "item": "b", "sta"#)
    var contents = try JournalContents(reading: folder.journal(of: nil))
    #expect(contents.entries.map(\.item) == ["a"])
    #expect(contents.endsTorn && contents.damagedLines.isEmpty)
    let journal = try Journal(folder)
    try journal.begin(header(fresh: false))
    try journal.append([entry("c")])
    contents = try JournalContents(reading: journal.path)
    #expect(contents.entries.map(\.item) == ["a", "c"])
    #expect(!contents.endsTorn && contents.damagedLines.isEmpty)
  }

  @Test func `a line that lacks its line break alone is whole`() throws {
    do { try Journal(folder).append([entry("a")]) }
    let path = folder.journal(of: nil)
    var bytes = try FileSystem.contents(of: path)
    bytes.removeLast()
    try Data(bytes).write(to: URL(filePath: path))
    #expect(try JournalContents(reading: path).entries.count == 1)
    try Journal(folder).append([entry("b")])
    #expect(try JournalContents(reading: path).entries.map(\.item) == ["a", "b"])
    #expect(try lines().count == 3)
  }

  @Test(arguments: [
    "garbage", "{}", #"{ "item": "x" }"#, #"{ "item": "x", "state": "odd", "exit": 0 }"#,
    #"{ "item": "x", "state": "done", "exit": 0, "outputs": [{}] }"#,
    #"{ "item": "x", "state": "done", "exit": 1e300 }"#, "\u{0}\u{0}\u{0}",
  ])
  func `a damaged line is counted and costs nothing else`(line: String) throws {
    let journal = try Journal(folder)
    try journal.append([entry("a")])
    try addBytes(line + "\n")
    try journal.append([entry("b")])
    let contents = try JournalContents(reading: journal.path)
    #expect(contents.entries.map(\.item) == ["a", "b"])
    #expect(contents.damagedLines == [2])
  }

  @Test func `every beginning of a journal can be read`() throws {
    let journal = try Journal(folder)
    try journal.begin(header())
    try journal.append(["a", "b", "c"].map { entry($0) })
    let bytes = try FileSystem.contents(of: journal.path)
    for count in 0...bytes.count {
      let cut = Array(bytes.prefix(count))
      let contents = try JournalContents(reading: try temporary.write("cut.jsonl", cut))
      // A line counts from its closing bracket on.
      let whole = cut.split(separator: UInt8(ascii: "\n")).count { $0.last == UInt8(ascii: "}") }
      #expect(contents.entries.count == max(0, whole - 1))
      #expect(contents.damagedLines.isEmpty)
    }
  }

  @Test func `a newer journal is refused`() throws {
    try temporary.write(
      ".meshpipe-batch/journal.jsonl", "{\"meshpipeJournal\": 2, \"meshpipe\": \"9.0\"}\n")
    let error = #expect(throws: JournalError.self) {
      try JournalContents(reading: folder.journal(of: nil))
    }
    #expect(error?.message.contains("journal.jsonl:1: written by meshpipe 9.0") == true)
    #expect(error?.exitCode == .unavailable)
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (951_827_696, "2000-02-29T12:34:56Z"),
    (1_795_278_494, "2026-11-21T16:28:14Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
    (-1, "1969-12-31T23:59:59Z"),
  ])
  func `times are told in UTC`(seconds: Int, text: String) {
    #expect(UTC.text(of: Int64(seconds) * 1_000_000_000) == text)
  }

  @Test func `many threads write whole lines`() throws {
    let journal = try Journal(folder)
    DispatchQueue.concurrentPerform(iterations: 40) { index in
      try? journal.append([self.entry("item \(index)"), self.entry("other \(index)")])
    }
    #expect(try JournalContents(reading: journal.path).entries.count == 80)
  }

  // MARK: Shards together

  private func write(_ shard: Shard?, fresh: Bool, time: Int64, _ entries: [JournalEntry]) throws {
    let journal = try Journal(folder, shard: shard)
    var run = header(fresh: fresh, shard: shard)
    run.time = time
    try journal.begin(run)
    try journal.append(
      entries.map {
        var entry = $0
        entry.time = time + 1
        return entry
      })
  }

  @Test func `journals of shards are read together`() throws {
    try write(Shard(1, of: 2), fresh: true, time: 10, [entry("a"), entry("b", .failed)])
    try write(Shard(2, of: 2), fresh: true, time: 12, [entry("c")])
    try write(Shard(1, of: 2), fresh: false, time: 20, [entry("b")])
    let contents = try JournalContents(reading: folder)
    #expect(Set(contents.entries.map(\.item)) == ["a", "b", "c"])
    #expect(contents["b"]?.state == .done)
    #expect(contents.runs.map(\.time) == [10, 12, 20])
  }

  @Test func `a resumed run may be divided otherwise`() throws {
    try write(nil, fresh: true, time: 10, [entry("a", .failed), entry("b")])
    try write(Shard(1, of: 2), fresh: false, time: 20, [entry("a")])
    let contents = try JournalContents(reading: folder)
    #expect(contents.entries.map(\.item) == ["a", "b"])
    #expect(contents["a"]?.state == .done)
  }

  @Test func `a fresh run divided otherwise forgets what was before`() throws {
    try write(nil, fresh: true, time: 10, [entry("old"), entry("b")])
    try write(Shard(1, of: 2), fresh: true, time: 20, [entry("b")])
    try write(Shard(2, of: 2), fresh: true, time: 22, [entry("c")])
    #expect(Set(try JournalContents(reading: folder).entries.map(\.item)) == ["b", "c"])
    try write(nil, fresh: true, time: 30, [entry("d")])
    #expect(try JournalContents(reading: folder).entries.map(\.item) == ["d"])
  }
}
