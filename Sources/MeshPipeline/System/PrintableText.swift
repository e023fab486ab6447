extension String {
  /// The text without characters that would write over a terminal or break a line: they become `\u{FFFD}`.
  public var withoutControlCharacters: String {
    var result = ""
    for scalar in unicodeScalars {
      let isControl = scalar.properties.generalCategory == .control
      result.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
    }
    return result
  }
}
