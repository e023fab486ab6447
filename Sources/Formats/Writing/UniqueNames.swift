/// Names of which no two are alike.
struct UniqueNames {
  private var taken: Set<String> = []

  /// The name in one line, with a number behind it when it was given out before.
  mutating func unique(_ name: String) -> String {
    let base = singleLine(name)
    var result = base
    var count = 2
    while !taken.insert(result).inserted {
      result = "\(base).\(count)"
      count += 1
    }
    return result
  }
}

/// A name without line breaks and other control characters, at which a reader of text may stop.
func singleLine(_ name: String) -> String {
  String(
    String.UnicodeScalarView(
      name.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
}
