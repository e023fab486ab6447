extension String {
  /// The same, except that line breaks and tabs stay.
  package var withoutTerminalCommands: String {
    // Most texts have none, and bytes of multi-byte characters are never below 0x20.
    let isPlain = utf8.allSatisfy { ($0 >= 0x20 && $0 < 0x7F) || $0 == 0x0A || $0 == 0x09 }
    if isPlain { return self }
    var result = ""
    for scalar in unicodeScalars {
      scalar.appendShown(to: &result, keepingLines: true)
    }
    return result
  }

  /// The text without characters that would control a terminal or break a line: they become
  /// `\u{FFFD}`.
  package var withoutControlCharacters: String {
    var result = ""
    for scalar in unicodeScalars {
      scalar.appendShown(to: &result, keepingLines: false)
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Whether it shows what follows in another order, so that a name looks like another.
  private var turnsText: Bool {
    (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
  }

  /// Appends the scalar; a control character as `\u{FFFD}`, an invalid byte of a name as `\xE9`.
  fileprivate func appendShown(to text: inout String, keepingLines: Bool) {
    if let byte = ForeignByte.byte(of: self) {
      text += ForeignByte.text(of: byte)
    } else if properties.generalCategory != .control && !turnsText
      || keepingLines && (self == "\n" || self == "\t")
    {
      text.unicodeScalars.append(self)
    } else {
      text.unicodeScalars.append("\u{FFFD}")
    }
  }
}
