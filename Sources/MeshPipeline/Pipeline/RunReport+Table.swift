import MeshpipeBase

extension RunReport {
  /// The report as a table for a terminal: one line for the input, each stage and each output, and
  /// the total.
  public var table: String { table(width: nil) }

  /// The report as a table with a maximum line length.
  ///
  /// Paths are cut at the start, names at the end; nil for no limit. No column gets narrower than a
  /// few characters. What was done is never cut, but continues on the next line.
  public func table(width: Int?) -> String {
    var rows: [[String]] = []
    if let input {
      rows.append(["read", input.path, input.counts.text, Self.time(input.seconds)])
    }
    for stage in stages {
      rows.append(Self.row(of: stage))
      rows += Self.summary(in: stage.notes)
    }
    for output in outputs {
      rows.append(Self.row(of: output))
      rows += Self.summary(in: output.notes)
    }
    let memory = peakMemory > 0 ? "peak memory \(NumberText.byteCount(peakMemory))" : ""
    rows.append([failure == nil ? "done" : "failed", "", memory, Self.time(seconds)])
    return Self.aligned(rows, width: width)
  }

  /// A row that continues the one before it with the summary that a stage or writer gives, if any.
  private static func summary(in notes: [StageContext.Note]) -> [[String]] {
    text(ofNote: "summary", in: notes).map { [["", "", $0, ""]] } ?? []
  }

  private static func row(of stage: StageReport) -> [String] {
    let work: String
    switch stage.outcome {
    case .skipped(let reason): work = "skipped: \(reason)"
    case .failed: work = "failed"
    case .done:
      work =
        stage.before == stage.after
        ? stage.after.text : "\(stage.before.text(like: stage.after)) → \(stage.after.text)"
    }
    return [
      stage.id, stage.id == stage.name ? "" : stage.name, work + stop(of: stage),
      stage.isRecalled ? "cached" : time(stage.seconds),
    ]
  }

  /// What kept a stage from reaching its target, according to its notes.
  private static func stop(of stage: StageReport) -> String {
    text(ofNote: "stoppedBy", in: stage.notes).map { ", stopped by \($0)" } ?? ""
  }

  private static func text(ofNote key: String, in notes: [StageContext.Note]) -> String? {
    let note = notes.first { $0.key == key }
    guard case .string(let text)? = note?.value.content else { return nil }
    return text
  }

  private static func row(of output: OutputReport) -> [String] {
    let work: String
    switch output.outcome {
    case .skipped(let reason): work = "skipped: \(reason)"
    case .failed: work = "failed"
    case .done:
      let bytes = NumberText.byteCount(output.files.reduce(0) { $0 + $1.bytes })
      let count = output.files.count > 1 ? " in \(output.files.count) files" : ""
      let isUnchanged = !output.files.isEmpty && output.files.allSatisfy(\.isUnchanged)
      work = "\(output.counts.text), \(bytes)\(count)\(isUnchanged ? ", unchanged" : "")"
    }
    return ["write", output.path, work, time(output.seconds)]
  }

  private static func aligned(_ rows: [[String]], width: Int?) -> String {
    var widths = [0, 0, 0, 0]
    for row in rows where !isSummary(row) {
      for (column, text) in row.enumerated() { widths[column] = max(widths[column], text.count) }
    }
    let gaps = 2 * (widths.count - 1)
    // The column of paths is narrowed first.
    for (column, least) in [(1, 16), (2, 24), (0, 12)] {
      let excess = widths.reduce(gaps, +) - (width ?? .max)
      if excess > 0 { widths[column] = max(min(widths[column], least), widths[column] - excess) }
    }
    let start = widths[0] + widths[1] + 4
    return rows.map { row in
      // Beside a summary there is no time, so it takes the rest of the line.
      let room = isSummary(row) ? max(start + 24, width ?? .max) : start + widths[2]
      let work = wrapped(row[2], width: room, indentation: start)
        .split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      var line = padded(row[0].shortened(to: widths[0], keepingEnd: false), to: widths[0] + 2)
      line += padded(row[1].shortened(to: widths[1], keepingEnd: true), to: widths[1] + 2)
      line += padded(String(work[0]), to: widths[2] + 2)
      // Times are right-aligned, so that their decimal points line up.
      line += String(repeating: " ", count: widths[3] - row[3].count) + row[3]
      while line.last == " " { line.removeLast() }
      return work.count > 1 ? "\(line)\n\(work[1])\n" : "\(line)\n"
    }.joined()
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// Whether a row continues the one before it.
  private static func isSummary(_ row: [String]) -> Bool {
    row[0].isEmpty && row[1].isEmpty && row[3].isEmpty
  }

  /// A time in seconds with as many digits as matter: `0.004 s`, `1.53 s`, `83.2 s`.
  package static func time(_ seconds: Double) -> String {
    let digits = seconds < 1 ? 3 : seconds < 10 ? 2 : 1
    return "\(NumberText.fixed(seconds, digits: digits)) s"
  }
}

extension RunReport.Counts {
  /// The size in words: `51,234 faces`, `1,000 points`.
  package var text: String {
    if points > 0, faces == 0 { return "\(NumberText.grouped(points)) points" }
    let text = "\(NumberText.grouped(faces)) faces"
    return points > 0 ? "\(text), \(NumberText.grouped(points)) points" : text
  }

  /// The size, without its noun if the other one has it.
  fileprivate func text(like other: RunReport.Counts) -> String {
    if points == 0, other.points == 0 { return NumberText.grouped(faces) }
    if faces == 0, other.faces == 0 { return NumberText.grouped(points) }
    return text
  }
}

extension String {
  /// The text, or as much of its start or end as fits with an ellipsis.
  fileprivate func shortened(to length: Int, keepingEnd: Bool) -> String {
    if count <= length { return self }
    return keepingEnd ? "…" + suffix(max(0, length - 1)) : prefix(max(0, length - 1)) + "…"
  }
}
