extension RunReport {
  /// The report as a table for a terminal: one line for the input, each stage and each output, and
  /// the total.
  public var table: String {
    var rows: [[String]] = []
    if let input {
      rows.append([
        "read", input.path, input.counts.text, Self.time(input.seconds),
      ])
    }
    for stage in stages { rows.append(Self.row(of: stage)) }
    for output in outputs { rows.append(Self.row(of: output)) }
    let memory = peakMemory > 0 ? "peak memory \(NumberText.byteCount(peakMemory))" : ""
    rows.append([failure == nil ? "done" : "failed", "", memory, Self.time(seconds)])
    return Self.aligned(rows)
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
      time(stage.seconds),
    ]
  }

  /// What kept a stage from its target, when it says so in a note.
  private static func stop(of stage: StageReport) -> String {
    let note = stage.notes.first { $0.key == "stoppedBy" }
    guard case .string(let reason)? = note?.value.content else { return "" }
    return ", stopped by \(reason)"
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

  private static func aligned(_ rows: [[String]]) -> String {
    var widths = [0, 0, 0, 0]
    for row in rows {
      for (column, text) in row.enumerated() { widths[column] = max(widths[column], text.count) }
    }
    return rows.map { row in
      var line = ""
      for (column, text) in row.enumerated() {
        let space = String(repeating: " ", count: widths[column] - text.count)
        // Times stand to the right, so that their points are below one another.
        line += column == 3 ? space + text : text + space + "  "
      }
      return line + "\n"
    }.joined()
  }

  /// A time in seconds with as many digits as matter: `0.004 s`, `1.53 s`, `83.2 s`.
  public static func time(_ seconds: Double) -> String {
    let digits = seconds < 1 ? 3 : seconds < 10 ? 2 : 1
    return "\(NumberText.fixed(seconds, digits: digits)) s"
  }
}

extension RunReport.Counts {
  /// The size in words: `51,234 faces`, `1,000 points`.
  public var text: String {
    if points > 0, faces == 0 { return "\(NumberText.grouped(points)) points" }
    let text = "\(NumberText.grouped(faces)) faces"
    return points > 0 ? "\(text), \(NumberText.grouped(points)) points" : text
  }

  /// The size without its word where the other one says it.
  fileprivate func text(like other: RunReport.Counts) -> String {
    if points == 0, other.points == 0 { return NumberText.grouped(faces) }
    if faces == 0, other.faces == 0 { return NumberText.grouped(points) }
    return text
  }
}
