extension String {
  /// The same but for line breaks and tabs, which stay.
  public var withoutTerminalCommands: String {
    // Most texts have none, and bytes of several are never below 0x20.
    let isPlain = utf8.allSatisfy { ($0 >= 0x20 && $0 < 0x7F) || $0 == 0x0A || $0 == 0x09 }
    if isPlain { return self }
    var result = ""
    for scalar in unicodeScalars {
      let isControl =
        scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
      result.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
    }
    return result
  }

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
