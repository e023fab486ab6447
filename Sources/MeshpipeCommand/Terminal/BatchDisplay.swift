import Batch
import MeshPipeline

/// Shows the progress of a batch on standard error: one line per worker and one for the whole.
final class BatchDisplay {
  private struct Line {
    var item = ""
    var step = ""
    var fraction = 0.0
  }

  let style: ProgressDisplay.Style
  private let due: Int
  private var lines: [Line]
  private var drawn = 0
  private var lastDrawn = 0.0
  private let start = MonotonicClock.seconds

  init(_ style: ProgressDisplay.Style, jobs: Int, due: Int) {
    self.style = style
    self.due = due
    lines = [Line](repeating: Line(), count: jobs)
    if style == .json { tell("batch", [.init("due", due.json)]) }
  }

  func show(_ event: BatchEvent, _ tally: BatchTally) {
    if style == .json { tell(event) }
    switch event {
    case .started(let worker, let item): lines[worker] = Line(item: item.name)
    case .progress(let worker, let fraction, let step):
      lines[worker].fraction = fraction
      lines[worker].step = step
    case .idle(let worker): lines[worker] = Line()
    case .finished(let entry): report(entry)
    case .postponed, .unchanged: break
    }
    if style == .bar { draw(tally) }
  }

  private func report(_ entry: JournalEntry) {
    guard entry.state != .done, style != .json else { return }
    clear()
    let isNamed = entry.error.contains(entry.item)
    let text = isNamed ? entry.error : "\(entry.item): \(entry.error)"
    Messages.say("error: " + text.withoutControlCharacters)
  }

  /// Reports the end of the batch, for programs.
  func end(_ tally: BatchTally) {
    guard style == .json else { return }
    tell(
      "end",
      [
        .init("done", tally.done.json), .init("failed", tally.failed.json),
        .init("upToDate", tally.upToDate.json), .init("failedBefore", tally.failedBefore.json),
        .init("exitCode", Int(tally.exitCode.rawValue).json),
        .init("seconds", ProgressLine.rounded(tally.seconds)),
      ])
  }

  // MARK: Lines on a terminal

  /// Removes the drawn lines.
  func clear() {
    guard drawn > 0 else { return }
    try? StandardStream.errors.write("\u{1B}[\(drawn)A\r\u{1B}[J")
    drawn = 0
  }

  private func draw(_ tally: BatchTally) {
    let now = MonotonicClock.seconds
    guard now - start > 0.3, now - lastDrawn >= 0.1 else { return }
    lastDrawn = now
    let size = ProgressDisplay.terminalSize
    var rows = lines.prefix(max(1, size.rows - 2)).map { Self.row($0, width: size.columns - 1) }
    rows.append(total(tally, width: size.columns - 1))
    let up = drawn > 0 ? "\u{1B}[\(drawn)A\r" : ""
    try? StandardStream.errors.write(
      up + rows.map { "\($0)\u{1B}[K\n" }.joined() + "\u{1B}[J")
    drawn = rows.count
  }

  private static func row(_ line: Line, width: Int) -> String {
    guard !line.item.isEmpty else { return "  -" }
    let percent = "\(Int(min(1, max(0, line.fraction)) * 100))%"
    let head = "  " + String(repeating: " ", count: max(0, 4 - percent.count)) + percent + "  "
    let tail = line.step.isEmpty ? "" : "  " + line.step
    let room = max(8, width - head.count - tail.count)
    // The end of a path is more informative than its beginning.
    let item = line.item.count > room ? "…" + line.item.suffix(room - 1) : line.item
    return String((head + item + tail).withoutControlCharacters.prefix(width))
  }

  private func total(_ tally: BatchTally, width: Int) -> String {
    let fraction = due > 0 ? Double(tally.settled) / Double(due) : 1
    var text = "\(ProgressLine.cells(fraction))  \(tally.settled) of \(due)"
    if tally.failed > 0 { text += ", \(tally.failed) failed" }
    if tally.worked > 0 {
      text += "  \(NumberText.fixed(tally.rate, digits: tally.rate < 10 ? 1 : 0))/s"
      let left = Double(due - tally.settled) / max(tally.rate, 1e-9)
      if tally.worked > 2 { text += "  \(TextLayout.duration(left)) left" }
    }
    return String(text.prefix(width))
  }

  // MARK: Lines for programs

  private func tell(_ event: BatchEvent) {
    switch event {
    case .started(let worker, let item):
      tell("begin", [.init("item", item.name.json), .init("worker", worker.json)])
    case .progress(let worker, let fraction, let step):
      tell(
        "progress",
        [
          .init("item", lines[worker].item.json), .init("worker", worker.json),
          .init("overall", ProgressLine.rounded(fraction)), .init("step", step.json),
        ])
    case .postponed(let item, let reason):
      tell("retry", [.init("item", item.name.json), .init("message", reason.json)])
    case .unchanged(let entry): tell("item", Self.members(of: entry, state: "unchanged"))
    case .finished(let entry): tell("item", Self.members(of: entry, state: entry.state.rawValue))
    case .idle: break
    }
  }

  private static func members(of entry: JournalEntry, state: String) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = [
      .init("item", entry.item.json), .init("state", state.json),
      .init("exitCode", Int(entry.exitCode.rawValue).json),
      .init("seconds", ProgressLine.rounded(entry.seconds)),
      .init("outputs", entry.outputs.map(\.path).json),
    ]
    if !entry.error.isEmpty { members.append(.init("message", entry.error.json)) }
    if !entry.warnings.isEmpty { members.append(.init("warnings", entry.warnings.json)) }
    return members
  }

  private func tell(_ event: String, _ members: [JSONValue.Member]) {
    Messages.object([.init("event", event.json)] + members)
  }
}
