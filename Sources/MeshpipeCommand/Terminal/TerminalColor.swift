import MeshPipeline

/// Colours of messages on a terminal.
///
/// None without a terminal, on a dumb one, or if `NO_COLOR` is set (no-color.org).
enum TerminalColor {
  /// The SGR parameters of each severity.
  private static let codes = ["error:": "1;31", "warning:": "1;35", "note:": "1;36"]

  static let isOn =
    StandardStream.errors.isTerminal
    && isWanted(
      noColor: FileSystem.environment("NO_COLOR"), terminal: FileSystem.environment("TERM"))

  /// Whether the user's environment allows colours.
  static func isWanted(noColor: String?, terminal: String?) -> Bool {
    (noColor ?? "").isEmpty && terminal != nil && terminal != "dumb"
  }

  /// A message with the first occurrence of its severity in colour.
  static func marking(_ severity: String, in message: String, isOn: Bool = isOn) -> String {
    guard isOn, let code = codes[severity], let place = message.firstRange(of: severity) else {
      return message
    }
    return message.replacingCharacters(in: place, with: "\u{1B}[\(code)m\(severity)\u{1B}[0m")
  }
}

extension String {
  fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}
