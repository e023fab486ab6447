import MeshPipeline

/// Plain text for an 80-column terminal.
enum TextLayout {
  static let width = 80

  /// Text broken into lines at spaces; blank lines between paragraphs are kept.
  static func wrapped(_ text: String, indent: Int = 0, width: Int = TextLayout.width) -> [String] {
    let margin = String(repeating: " ", count: indent)
    return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
      var lines: [String] = []
      var line = ""
      for word in paragraph.split(separator: " ") {
        if !line.isEmpty, indent + line.count + 1 + word.count > width {
          lines.append(margin + line)
          line = ""
        }
        line += (line.isEmpty ? "" : " ") + word
      }
      return lines + [line.isEmpty ? "" : margin + line]
    }
  }

  /// Terms with their explanations in a second column, wrapped.
  ///
  /// A term too long for its column gets a separate line.
  static func definitions(_ entries: [(term: String, text: String)], indent: Int = 2) -> [String] {
    let longest = entries.map(\.term.count).max() ?? 0
    let column = indent + min(longest, 24) + 2
    return entries.flatMap { entry in
      let text = wrapped(entry.text, indent: column)
      let term = String(repeating: " ", count: indent) + entry.term
      guard term.count + 2 <= column, let first = text.first else { return [term] + text }
      return [padded(term, to: column) + first.dropFirst(column)] + text.dropFirst()
    }
  }

  /// Rows with aligned columns, two spaces between them.
  ///
  /// - Parameter right: The columns that are aligned to the right, for figures.
  static func table(_ rows: [[String]], right: Set<Int> = [], indent: Int = 0) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        right.contains(column)
          ? String(repeating: " ", count: widths[column] - cell.count) + cell
          : padded(cell, to: widths[column])
      }
      let line = String(repeating: " ", count: indent) + cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// A summary as a sentence: capitalised, with a full stop.
  static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + "."
  }

  static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// A duration as shown in a progress bar: `0.4 s`, `12 s`, `3 min 05 s`, `2 h 10 min`.
  static func duration(_ seconds: Double) -> String {
    if seconds < 9.95 { return NumberText.fixed(seconds, digits: seconds < 0.0995 ? 2 : 1) + " s" }
    let whole = Int(min(seconds, 1e9).rounded())
    func twoDigits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return "\(whole / 60) min \(twoDigits(whole % 60)) s" }
    return "\(whole / 3600) h \(twoDigits(whole / 60 % 60)) min"
  }
}
