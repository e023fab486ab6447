import Foundation
import Testing

/// A folder with the journals of a batch in two shards, one of which has not begun.
private func journalFolder() throws -> TemporaryFolder {
  let folder = try TemporaryFolder()
  try FileManager.default.createDirectory(
    at: folder.url.appendingPathComponent("out/.meshpipe-batch"), withIntermediateDirectories: true)
  try folder.write(
    """
    {"meshpipeJournal": 1, "meshpipe": "0.1.0", "run": "fresh", "shard": "1/2", "time": "1000", "host": "node1"}
    {"items": 4, "due": 4, "time": "2000"}
    {"item": "a.obj", "state": "done", "exit": 0, "warnings": ["w"], "seconds": 1, "time": "3000"}
    {"item": "b.obj", "state": "failed", "exit": 65, "error": "b.obj:7: no face", "time": "4000"}
    {"item": "c\\u001b.obj", "state": "temporary", "exit": 75, "error": "was killed", "time": "5000"}

    """, to: "out/.meshpipe-batch/journal-1-of-2.jsonl")
  return folder
}

@Test func `batch status tells how a batch stands`() throws {
  let folder = try journalFolder()
  let outcome = try CommandProcess.run(["batch", "status", "out"], in: folder)
  #expect(outcome.status == 0, "\(outcome.errors)")
  #expect(
    outcome.text == """
      out: stopped
        done       1  1 with warnings
        failed     1
        temporary  1  worth a retry
        the number of due items is not known yet

        shard  state    done  failed  temporary  due  host
        1/2    stopped     1       1          1    1  node1
        2/2    waiting     0       0          0    ?

        failed  exit  cause       for example
             1    65  no face     b.obj
             1    75  was killed  c\u{FFFD}.obj

        done  warning  for example
           1  w        a.obj

      """)
  let json = try CommandProcess.run(["batch", "status", "out", "--json"], in: folder)
  let object = try #require(try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
  #expect(object["meshpipeBatchReport"] as? Int == 1)
  #expect((object["counts"] as? [String: Any])?["failed"] as? Int == 1)
}

@Test func `batch report reads several batches together`() throws {
  let folder = try journalFolder()
  try FileManager.default.copyItem(
    at: folder.url.appendingPathComponent("out"), to: folder.url.appendingPathComponent("more"))
  let outcome = try CommandProcess.run(
    ["batch", "report", "out", "more", "-o", "r.html", "-o", "r.json"], in: folder)
  #expect(outcome.status == 0, "\(outcome.errors)")
  let page = try folder.text(of: "r.html")
  #expect(page.components(separatedBy: "<article").count == 7)
  let json = try JSONSerialization.jsonObject(with: Data(try folder.text(of: "r.json").utf8))
  #expect(((json as? [String: Any])?["items"] as? [Any])?.count == 6)
}

@Test func `a batch that is not there, and a report that there is not, are refused`() throws {
  let folder = try TemporaryFolder()
  let missing = try CommandProcess.run(["batch", "status", "out"], in: folder)
  #expect(missing.status == 66)
  #expect(missing.errors.contains("out: no batch has its outputs there"))
  let kind = try CommandProcess.run(["batch", "report", "out", "-o", "r.pdf"], in: folder)
  #expect(kind.status == 64)
}
