/// Words as a POSIX shell reads them back.
enum ShellText {
  /// A word in quotes where it needs them.
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

  /// Words with blanks between them.
  static func line(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }
}
