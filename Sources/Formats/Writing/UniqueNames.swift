/// Makes names unique.
struct UniqueNames {
  /// Between a name and its number.
  private let separator: String
  private var taken: Set<String> = []
  /// The next number to try, by name: a thousand meshes may have the same.
  private var nextNumbers: [String: Int] = [:]

  init(separator: String = ".") { self.separator = separator }

  /// The name on one line, with a number appended if it was used before.
  mutating func unique(_ name: String) -> String {
    let base = singleLine(name)
    var result = base
    var count = nextNumbers[base] ?? 2
    while !taken.insert(result).inserted {
      result = "\(base)\(separator)\(count)"
      count += 1
    }
    if result != base { nextNumbers[base] = count }
    return result
  }
}

/// A name without line breaks and other control characters, at which a text reader may stop.
func singleLine(_ name: String) -> String {
  String(
    String.UnicodeScalarView(
      name.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
}
