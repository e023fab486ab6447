/// Text escaped for HTML.
enum HTMLText {
  /// A text between tags or in a quoted attribute; unprintable characters become `\u{FFFD}`.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.withoutTerminalCommands.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
