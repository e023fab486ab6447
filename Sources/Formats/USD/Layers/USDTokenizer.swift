import MeshPipeline

/// Splits the text of a layer into words, texts, numbers and marks.
struct USDTokenizer {
  let bytes: [UInt8]
  let path: String
  private(set) var place: Int

  init(_ source: USDBytes) throws {
    let bytes = try source.with(0..<source.count) { [UInt8](copying: $0) }
    self.bytes = bytes
    path = source.path
    place = textStart(of: bytes.span)
  }

  func fault(_ message: String) -> ReadingError {
    .line(path: path, line: TextBlocks.lineBreaks(bytes.span, before: place) + 1, message)
  }

  var isAtEnd: Bool { place >= bytes.count }

  /// The next byte that is not blank or part of a comment; nil at the end.
  mutating func peek() -> UInt8? {
    while place < bytes.count {
      let byte = bytes[place]
      if byte <= 0x20 {
        place += 1
      } else if byte == UInt8(ascii: "#") {
        while place < bytes.count, bytes[place] != 0x0A, bytes[place] != 0x0D { place += 1 }
      } else if byte == UInt8(ascii: "/"), place + 1 < bytes.count, bytes[place + 1] == 0x2F {
        while place < bytes.count, bytes[place] != 0x0A, bytes[place] != 0x0D { place += 1 }
      } else {
        return byte
      }
    }
    return nil
  }

  /// Passes a mark if it is next.
  mutating func skip(_ mark: Unicode.Scalar) -> Bool {
    guard peek() == UInt8(ascii: mark) else { return false }
    place += 1
    return true
  }

  mutating func expect(_ mark: Unicode.Scalar) throws {
    guard skip(mark) else { throw fault("expected '\(mark)' instead of \(rest)") }
  }

  /// What is next, for errors.
  private var rest: String {
    place < bytes.count
      ? quoted(bytes.span, place..<min(bytes.count, place + 16)) : "the end of the file"
  }

  // MARK: Words

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"), 0x80...:
      true
    default: false
    }
  }

  /// A name with its namespaces, such as `primvars:st`; nil if none is next.
  mutating func word() -> String? {
    guard let byte = peek(), Self.isOfWord(byte) || byte == UInt8(ascii: "!") else { return nil }
    let start = place
    while place < bytes.count, Self.isOfWord(bytes[place]) { place += 1 }
    return start == place ? nil : String(decoding: bytes[start..<place], as: UTF8.self)
  }

  /// A word that is next, which stays.
  mutating func peekWord() -> String? {
    _ = peek()
    let start = place
    defer { place = start }
    return word()
  }

  // MARK: Texts

  var isText: Bool {
    place < bytes.count && (bytes[place] == UInt8(ascii: "\"") || bytes[place] == UInt8(ascii: "'"))
  }

  /// A text in quotes, single or triple.
  mutating func text() throws -> String {
    _ = peek()
    guard isText else { throw fault("expected a text in quotes instead of \(rest)") }
    let mark = bytes[place]
    let isTriple = place + 2 < bytes.count && bytes[place + 1] == mark && bytes[place + 2] == mark
    let length = isTriple ? 3 : 1
    place += length
    var result: [UInt8] = []
    while place < bytes.count {
      let byte = bytes[place]
      if byte == mark, isTriple ? isTripled(mark) : true {
        place += length
        return String(decoding: result, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\"), place + 1 < bytes.count {
        place += 1
        appendEscaped(to: &result)
      } else if !isTriple, byte == 0x0A {
        break
      } else {
        result.append(byte)
      }
      place += 1
    }
    throw fault("a text has no closing quote")
  }

  private func isTripled(_ mark: UInt8) -> Bool {
    place + 2 < bytes.count && bytes[place + 1] == mark && bytes[place + 2] == mark
  }

  private mutating func appendEscaped(to result: inout [UInt8]) {
    switch bytes[place] {
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "r"): result.append(0x0D)
    default: result.append(bytes[place])
    }
  }

  /// What is between two marks, such as a path in `<` and `>`; `@@@` may enclose a file, too, in which it is `\@@@`.
  mutating func enclosed(_ open: Unicode.Scalar, _ close: Unicode.Scalar) throws -> String {
    try expect(open)
    let mark = UInt8(ascii: close)
    let isTriple = open == "@" && isTripledHere(mark)
    if isTriple { place += 2 }
    let start = place
    while place < bytes.count, !(bytes[place] == mark && (!isTriple || isTripled(mark))),
      bytes[place] != 0x0A
    {
      let isEscaped =
        isTriple && bytes[place...].prefix(4).elementsEqual([UInt8(ascii: "\\"), mark, mark, mark])
      place += isEscaped ? 4 : 1
    }
    guard place < bytes.count, bytes[place] == mark else { throw fault("'\(close)' is missing") }
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
    place += isTriple ? 3 : 1
    return isTriple ? text.replacing("\\@@@", with: "@@@") : text
  }

  private func isTripledHere(_ mark: UInt8) -> Bool {
    place + 1 < bytes.count && bytes[place] == mark && bytes[place + 1] == mark
  }

  // MARK: Numbers

  /// A number; nil if none is next.
  mutating func number() -> Double? {
    guard let first = peek() else { return nil }
    let start = place
    if first == UInt8(ascii: "-") || first == UInt8(ascii: "+") { place += 1 }
    var mantissa: UInt64 = 0
    var (digits, fraction) = (0, 0)
    var hasPoint = false
    while place < bytes.count {
      let byte = bytes[place]
      if byte &- 0x30 <= 9 {
        if digits < 19 { mantissa = mantissa * 10 + UInt64(byte - 0x30) }
        digits += 1
        if hasPoint { fraction += 1 }
      } else if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else {
        break
      }
      place += 1
    }
    let isPlain = place >= bytes.count || !Self.isOfNumber(bytes[place])
    if isPlain, digits > 0, digits <= 15, fraction < Self.powers.count {
      // Both are exact, and so the quotient is the nearest number.
      let value = Double(mantissa) / Self.powers[fraction]
      return first == UInt8(ascii: "-") ? -value : value
    }
    while place < bytes.count, Self.isOfNumber(bytes[place]) { place += 1 }
    if let value = Double(String(decoding: bytes[start..<place], as: UTF8.self)) { return value }
    place = start
    return nil
  }

  /// Whether a byte may be in a number, such as `1e-5` and `inf`.
  private static func isOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), 0x2B, 0x2D, 0x2E:
      true
    default: false
    }
  }

  private static let powers: [Double] = (0..<16).map {
    (0..<$0).reduce(1.0) { power, _ in power * 10 }
  }

  // MARK: Passing over

  /// Passes over a value in brackets with all in it.
  mutating func skipBrackets() throws {
    let start = place
    var depth = 0
    repeat {
      guard let byte = peek() else {
        place = start
        throw fault("a bracket is not closed")
      }
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        place += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        place += 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = try text()
      case UInt8(ascii: "@"): _ = try enclosed("@", "@")
      case UInt8(ascii: "<"): _ = try enclosed("<", ">")
      default: place += 1
      }
    } while depth > 0
  }
}
