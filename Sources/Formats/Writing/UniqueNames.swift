/// Names of which no two are alike.
struct UniqueNames {
  private var taken: Set<String> = []
  /// The number to try next, by name: a thousand meshes may have the same.
  private var nextNumbers: [String: Int] = [:]

  /// The name in one line, with a number behind it when it was given out before.
  mutating func unique(_ name: String) -> String {
    let base = singleLine(name)
    var result = base
    var count = nextNumbers[base] ?? 2
    while !taken.insert(result).inserted {
      result = "\(base).\(count)"
      count += 1
    }
    if result != base { nextNumbers[base] = count }
    return result
  }
}

/// A name without line breaks and other control characters, at which a reader of text may stop.
func singleLine(_ name: String) -> String {
  String(
    String.UnicodeScalarView(
      name.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
}
