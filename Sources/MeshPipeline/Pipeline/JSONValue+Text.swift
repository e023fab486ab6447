extension JSONValue {
  /// A number in its shortest form: whole numbers without a point, others as they read back exactly.
  public static func text(of number: Double) -> String {
    if let whole = Int64(exactly: number), abs(whole) < 1 << 53 { return String(whole) }
    return number.description
  }

  /// A fraction as a percentage, with the rounding error of the multiplication removed.
  static func percentText(of fraction: Double) -> String {
    text(of: (fraction * 100 * 1e9).rounded() / 1e9) + "%"
  }

  /// The value as JSON in one line.
  public var compactText: String {
    var text = ""
    write(to: &text, indentation: nil, column: 0)
    return text
  }

  /// The value as JSON over several lines, indented by two, with a line break at the end.
  ///
  /// Objects keep their order and short ones stay in one line, so that the same value always gives
  /// the same text.
  public var prettyText: String {
    var text = ""
    write(to: &text, indentation: 0, column: 0)
    return text + "\n"
  }

  /// - Parameters:
  ///   - indentation: The indentation of this value, or nil for all in one line.
  ///   - column: Where the value begins in its line.
  private func write(to text: inout String, indentation: Int?, column: Int) {
    switch content {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    // JSON has no word for numbers that are not finite.
    case .number(let number): text += number.isFinite ? Self.text(of: number) : "null"
    case .string(let string): Self.write(string, to: &text)
    case .array(let elements):
      let items = elements.map { (key: String?.none, value: $0) }
      writeList(items, "[", "]", to: &text, indentation: indentation, column: column)
    case .object(let members):
      let items = members.map { (key: String?.some($0.key), value: $0.value) }
      writeList(items, "{", "}", to: &text, indentation: indentation, column: column)
    }
  }

  private func writeList(
    _ items: [(key: String?, value: JSONValue)], _ open: String, _ close: String,
    to text: inout String, indentation: Int?, column: Int
  ) {
    let inner = open == "{" && !items.isEmpty ? " " : ""
    var lineBreak = inner
    var separator = ", "
    var end = inner
    if let indentation, !fitsInLine(from: column) {
      lineBreak = "\n" + String(repeating: " ", count: indentation + 2)
      separator = "," + lineBreak
      end = "\n" + String(repeating: " ", count: indentation)
    }
    text += open + (items.isEmpty ? "" : lineBreak)
    for (index, item) in items.enumerated() {
      if index > 0 { text += separator }
      var start = (indentation ?? 0) + 2
      if let key = item.key {
        Self.write(key, to: &text)
        text += ": "
        start += key.utf8.count + 4
      }
      item.value.write(to: &text, indentation: indentation.map { $0 + 2 }, column: start)
    }
    text += (items.isEmpty ? "" : end) + close
  }

  /// Whether a list is plain enough for one line: short, and no object within.
  private func fitsInLine(from column: Int) -> Bool {
    switch content {
    case .array(let elements) where elements.isEmpty: true
    case .object(let members) where members.isEmpty: true
    case .array(let elements):
      elements.allSatisfy(\.isScalar) && column + compactText.utf8.count <= 96
    case .object(let members):
      members.count <= 4 && members.allSatisfy { $0.value.isScalar }
        && column + compactText.utf8.count <= 80
    default: true
    }
  }

  private var isScalar: Bool {
    switch content {
    case .array, .object: false
    default: true
    }
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{0}"..<"\u{20}", "\u{7F}", "\u{2028}", "\u{2029}":
        let hex = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
