import MeshPipeline

/// The source line of a diagnostic, with a caret below the position.
enum SourceExcerpt {
  /// The line and the caret's; empty if the file can't be read or has no such position.
  static func lines(of diagnostic: Diagnostic) -> [String] {
    let place = diagnostic.position
    guard place != .none,
      let bytes = try? FileSystem.contents(of: diagnostic.file, limit: 1 << 20)
    else { return [] }
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard lines.indices.contains(place.line - 1) else { return [] }
    return lines[place.line - 1].isEmpty
      ? []
      : excerpt(
        of: String(lines[place.line - 1]), number: place.line, column: place.column,
        width: ProgressDisplay.terminalSize.columns)
  }

  /// A numbered line, and a caret below a column counted from 1; the line is cut to the width.
  static func excerpt(of line: String, number: Int, column: Int, width: Int) -> [String] {
    let margin = "\(number)".count + 1
    let room = max(16, width - margin - 3)
    // In a long line the position is in the first two thirds of the visible part.
    let start = column - 1 < room * 2 / 3 ? 0 : column - 1 - room / 2
    let shown = line.dropFirst(start).prefix(room)
      .map { $0 == "\t" ? " " : String($0).withoutControlCharacters }.joined()
    let padding = String(repeating: " ", count: margin)
    let caret = String(repeating: " ", count: max(0, column - 1 - start)) + "^"
    return [" \(number) | \(shown)", "\(padding) | \(caret)"]
  }
}
