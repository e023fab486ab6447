/// Numbers formatted for people.
package enum NumberText {
  /// A whole number with thousands separators: `1,234,567`.
  package static func grouped(_ number: Int) -> String {
    var digits = String(number.magnitude)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    groups.insert(digits, at: 0)
    return (number < 0 ? "-" : "") + groups.joined(separator: ",")
  }

  /// A number in its shortest form: integers without a decimal point, others with an exact round
  /// trip.
  package static func shortest(_ number: Double) -> String {
    if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 { return String(whole) }
    return number.description
  }

  /// A number with this many decimal places.
  package static func fixed(_ number: Double, digits: Int) -> String {
    guard number.isFinite else { return "\(number)" }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    guard let whole = Int(exactly: (abs(number) * scale).rounded()) else { return "\(number)" }
    let sign = number < 0 && whole != 0 ? "-" : ""
    guard digits > 0 else { return sign + String(whole) }
    let text = String(whole)
    let filled = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
    return sign + filled.dropLast(digits) + "." + filled.suffix(digits)
  }

  /// A number with at most this many decimal places, and without zeros at their end: `12.5`, `12`.
  package static func trimmed(_ number: Double, digits: Int) -> String {
    var text = fixed(number, digits: digits)
    guard text.contains("."), !text.contains("e") else { return text }
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }

  /// A size in bytes with a decimal unit: `812 B`, `4.1 MB`.
  package static func byteCount(_ bytes: Int) -> String {
    var value = Double(bytes)
    var units = ["B", "kB", "MB", "GB", "TB"][...]
    while value >= 999.5, units.count > 1 {
      value /= 1000
      units.removeFirst()
    }
    return fixed(value, digits: bytes < 1000 || value >= 99.95 ? 0 : 1) + " \(units.first ?? "B")"
  }
}

extension String {
  /// A number with leading zeros: `000012`.
  package init(
    _ number: some BinaryInteger, digits: Int, radix: Int = 10, uppercase: Bool = false
  ) {
    let text = String(number, radix: radix, uppercase: uppercase)
    self = String(repeating: "0", count: Swift.max(0, digits - text.count)) + text
  }
}
