/// Words quoted for a POSIX shell.
enum ShellText {
  /// A word, quoted if necessary.
  static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.unicodeScalars.allSatisfy { scalar in
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", ":", "=", "@", "%", "+", ",": true
        default: false
        }
      }
    return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }

  /// Words separated by spaces.
  static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }
}
