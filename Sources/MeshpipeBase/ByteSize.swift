/// A number of bytes as written by people: `2GiB`, `500MB`, `4096`.
package enum ByteSize {
  /// The names of factors, without the optional final `B`, in lower case.
  private static let factors: [(name: String, bytes: Double)] = [
    ("", 1), ("k", 1e3), ("m", 1e6), ("g", 1e9), ("t", 1e12), ("ki", 1024), ("mi", 1_048_576),
    ("gi", 1_073_741_824), ("ti", 1_099_511_627_776),
  ]

  /// The units in their usual spelling.
  package static let unitNames = [
    "", "B", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB",
  ]

  /// The number of bytes; nil if the text is invalid.
  ///
  /// - Parameter text: A non-negative number and a unit of powers of 1000 (`kB`, `MB`, `GB`, `TB`)
  ///   or of 1024 (`KiB`, `MiB`, `GiB`, `TiB`), ignoring case and with or without the `B`.
  package static func bytes(of text: String) -> Int? {
    let text = text.lowercased().filter { $0 != " " }
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    var unit = text.dropFirst(digits.count)
    if unit.hasSuffix("b") { unit = unit.dropLast() }
    guard let number = Double(digits),
      let factor = factors.first(where: { $0.name == unit })
    else { return nil }
    return Int(exactly: (number * factor.bytes).rounded())
  }

  /// A number of bytes in the largest unit that fits: `2 GiB`, `1.5 MiB`.
  package static func text(of bytes: Int) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var (value, unit) = (Double(bytes), 0)
    while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10)\(tenths % 10 == 0 ? "" : ".\(tenths % 10)") \(units[unit])"
  }
}
