import Batch
import MeshPipeline

/// Shows the progress of batches.
enum BatchStatusVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let report = try BatchReport(ofFolders: invocation.operands)
    try StandardStream.output.write(
      invocation.has(.json)
        ? report.json(includesItems: false).prettyText : BatchStatusText.text(report))
    return .success
  }
}

/// The page that shows the state of batches to people.
enum BatchStatusText {
  static func text(_ report: BatchReport) -> String {
    var lines: [String] = []
    for batch in report.batches {
      if !lines.isEmpty { lines.append("") }
      lines += self.lines(of: batch)
    }
    let causes = report.causes
    if !causes.isEmpty {
      let rows = causes.prefix(10).map { cause in
        [
          NumberText.grouped(cause.count), String(cause.exitCode.rawValue),
          cause.text.withoutControlCharacters,
          cause.example.withoutControlCharacters,
        ]
      }
      lines += [""]
      lines += TextLayout.table(
        [["failed", "exit", "cause", "for example"]] + rows, right: [0, 1], indent: 2)
      if causes.count > 10 { lines.append("  and \(causes.count - 10) more causes") }
    }
    lines += warnings(in: report)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func warnings(in report: BatchReport) -> [String] {
    let causes = WarningCause.causes(of: report.batches.flatMap(\.entries))
    if causes.isEmpty { return [] }
    let rows = causes.prefix(10).map { cause in
      [
        NumberText.grouped(cause.count), cause.message.withoutControlCharacters,
        cause.example.withoutControlCharacters,
      ]
    }
    let more = causes.count > 10 ? ["  and \(causes.count - 10) more warnings"] : []
    return [""]
      + TextLayout.table([["done", "warning", "for example"]] + rows, right: [0], indent: 2) + more
  }

  private static func lines(of batch: BatchStatus) -> [String] {
    var head = "\(batch.folder.root.withoutControlCharacters): \(batch.activity.rawValue)"
    if batch.parts.count == 1, batch.activity == .running, let run = batch.parts.first?.run {
      head += ", process \(run.process) on \(run.host)"
    }
    var rows: [[String]] = []
    func add(_ name: String, _ count: Int, _ more: String = "") {
      if count > 0 || name == "done" { rows.append([name, NumberText.grouped(count), more]) }
    }
    let counts = batch.counts
    add(
      "done", counts.done,
      counts.warned > 0 ? "\(NumberText.grouped(counts.warned)) with warnings" : "")
    add("failed", counts.failed)
    add("temporary", counts.temporary, "worth a retry")
    if let due = batch.due { add("due", due, timeLeft(of: batch)) }
    var lines = [head] + TextLayout.table(rows, right: [1], indent: 2)
    if batch.due == nil { lines.append("  the number of due items is not known yet") }
    if batch.damagedLines > 0 {
      lines.append("  \(batch.damagedLines) damaged lines in the journal; their items count as due")
    }
    return lines + shards(of: batch)
  }

  private static func timeLeft(of batch: BatchStatus) -> String {
    guard let rate = batch.rate, let left = batch.secondsLeft else { return "" }
    let digits = rate < 10 ? 2 : 0
    return "\(NumberText.fixed(rate, digits: digits)) items/s, \(TextLayout.duration(left)) left"
  }

  private static func shards(of batch: BatchStatus) -> [String] {
    guard batch.parts.contains(where: { $0.shard != nil }) else { return [] }
    let rows = batch.parts.map { part in
      [
        part.shard?.text ?? "", part.activity.rawValue, NumberText.grouped(part.counts.done),
        NumberText.grouped(part.counts.failed), NumberText.grouped(part.counts.temporary),
        part.due.map { NumberText.grouped($0) } ?? "?", part.run?.host ?? "",
      ]
    }
    let head = ["shard", "state", "done", "failed", "temporary", "due", "host"]
    return [""] + TextLayout.table([head] + rows, right: [2, 3, 4, 5], indent: 2)
  }
}
