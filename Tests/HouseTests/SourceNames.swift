/// The names in a source file: those that it declares for other files, and those that it uses.
///
/// Found by the words alone, without a compiler. Types and functions outside of types count, and members of
/// extensions; nested types and members of types are reached through the type, which is named then.
struct SourceNames {
  /// Types and functions that stand outside of types.
  private(set) var declared: Set<String> = []
  /// Members that extensions add.
  private(set) var members: Set<String> = []
  /// Names that may be types or functions: no member access.
  private(set) var used: Set<String> = []
  /// Names behind a dot.
  private(set) var accessed: Set<String> = []
  /// Every name behind a word that declares one, at any depth, once for each time.
  private(set) var declarations: [String] = []

  private static let types: Set = [
    "struct", "class", "enum", "protocol", "actor", "typealias",
  ]
  private static let membersOfExtensions: Set = types.union(["func", "var", "let"])
  private static let modifiers: Set = [
    "public", "package", "internal", "private", "fileprivate", "static", "final", "mutating",
    "nonisolated", "indirect", "consuming", "borrowing", "class",
  ]

  init(_ text: String) {
    let tokens = SourceTokens(text).tokens
    var depth = 0
    var isInExtension = false
    for (index, token) in tokens.enumerated() {
      if token == "{" { depth += 1 }
      if token == "}" { depth -= 1 }
      guard token.isName else { continue }
      let before = index > 0 ? tokens[index - 1] : ""
      if before == "." {
        accessed.insert(token)
      } else if !Self.membersOfExtensions.contains(before) {
        used.insert(token)
      }
      guard index + 1 < tokens.count, tokens[index + 1].isName, before != "." else { continue }
      if depth == 0 && token == "extension" { isInExtension = true }
      let name = tokens[index + 1]
      guard Self.membersOfExtensions.contains(token), !Self.modifiers.contains(name) else {
        continue
      }
      declarations.append(name)
      if depth == 0 { isInExtension = false }
      guard !Self.isPrivate(tokens[..<index]) else { continue }
      if depth == 0, token != "var", token != "let" { declared.insert(name) }
      if depth == 1, isInExtension { members.insert(name) }
    }
  }

  /// Whether the modifiers in front of a declaration hide it from other files.
  private static func isPrivate(_ before: ArraySlice<String>) -> Bool {
    for word in before.reversed() {
      if word == "private" || word == "fileprivate" { return true }
      guard modifiers.contains(word) else { return false }
    }
    return false
  }
}

/// The words and marks of a source file, without comments and texts; what texts interpolate is code.
struct SourceTokens {
  private(set) var tokens: [String] = []
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
    readCode(untilParenthesis: false)
  }

  private func has(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[index...].starts(with: $0) }
  }

  private mutating func readCode(untilParenthesis: Bool) {
    var depth = 0
    while index < bytes.count {
      let byte = bytes[index]
      if has("//") {
        skip { $0 != UInt8(ascii: "\n") }
      } else if has("/*") {
        skipComment()
      } else if byte == UInt8(ascii: "\"") || (byte == UInt8(ascii: "#") && isRawText) {
        readText()
      } else if byte.isOfName {
        let start = index
        skip { $0.isOfName }
        tokens.append(String(decoding: bytes[start..<index], as: UTF8.self))
      } else {
        index += 1
        if byte == UInt8(ascii: "(") { depth += 1 }
        if byte == UInt8(ascii: ")") { depth -= 1 }
        if depth < 0 && untilParenthesis { return }
        // Names between backticks are names.
        if byte > 0x20 && byte != UInt8(ascii: "`") {
          tokens.append(String(decoding: [byte], as: UTF8.self))
        }
      }
    }
  }

  private mutating func skip(while holds: (UInt8) -> Bool) {
    while index < bytes.count, holds(bytes[index]) { index += 1 }
  }

  private mutating func skipComment() {
    var depth = 0
    repeat {
      if has("/*") {
        depth += 1
        index += 2
      } else if has("*/") {
        depth -= 1
        index += 2
      } else {
        index += 1
      }
    } while depth > 0 && index < bytes.count
  }

  /// Whether signs of a raw text stand here: `#"`.
  private var isRawText: Bool {
    bytes[index...].drop { $0 == UInt8(ascii: "#") }.first == UInt8(ascii: "\"")
  }

  private mutating func readText() {
    let start = index
    skip { $0 == UInt8(ascii: "#") }
    let signs = Array(bytes[start..<index])
    let quotes = Array((has("\"\"\"") ? "\"\"\"" : "\"").utf8)
    let end = quotes + signs
    let escape = [UInt8(ascii: "\\")] + signs
    index += quotes.count
    while index < bytes.count {
      if bytes[index] == end[0], bytes[index...].starts(with: end) {
        index += end.count
        return
      }
      if bytes[index] == escape[0], bytes[index...].starts(with: escape) {
        index += escape.count + 1
        if index <= bytes.count, bytes[index - 1] == UInt8(ascii: "(") {
          readCode(untilParenthesis: true)
        }
      } else {
        index += 1
      }
    }
  }
}

extension UInt8 {
  fileprivate var isOfName: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }
}

extension String {
  fileprivate var isName: Bool { utf8.first.map(\.isOfName) ?? false }
}
