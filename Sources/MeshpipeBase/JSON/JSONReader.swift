/// Reads JSON with the position of every value, for messages that point at the mistake.
///
/// Strict RFC 8259 with three exceptions: `//` and `/* */` comments, a leading byte order mark, and
/// duplicate keys, which are reported and otherwise kept in the object. Any input gives a value or
/// a diagnostic, never a trap; nesting is limited to ``maximumDepth``.
package struct JSONReader {
  /// The largest number of nested arrays and objects.
  package static let maximumDepth = 128

  /// The result: no value if there was a syntax error.
  package struct Result: Sendable {
    /// Nil if there was a syntax error.
    package var value: JSONValue?
    /// Syntax errors and duplicate keys.
    package var diagnostics: [Diagnostic]
  }

  /// Reads a whole document.
  ///
  /// - Parameters:
  ///   - file: The name for diagnostics.
  ///   - takesNonFiniteNumbers: Whether NaN, Infinity and -Infinity are numbers, as in Python.
  package static func read(
    _ bytes: [UInt8], file: String = "", takesNonFiniteNumbers: Bool = false
  ) -> Result {
    var reader = JSONReader(bytes: bytes, file: file)
    reader.takesNonFiniteNumbers = takesNonFiniteNumbers
    do throws(Fault) {
      let value = try reader.document()
      return Result(value: value, diagnostics: reader.diagnostics)
    } catch {
      reader.report(error.message, at: reader.position(of: error.offset), path: JSONPath())
      return Result(value: nil, diagnostics: reader.diagnostics)
    }
  }

  /// Whether a valid text has comments.
  package static func holdsComments(_ bytes: [UInt8]) -> Bool {
    var isInString = false
    var previous: UInt8 = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if isInString, byte == UInt8(ascii: "\\") {
        index += 2
        continue
      }
      if byte == UInt8(ascii: "\"") { isInString.toggle() }
      // Outside of strings a slash begins a comment.
      if !isInString, previous == UInt8(ascii: "/") { return true }
      previous = isInString ? 0 : byte
      index += 1
    }
    return false
  }

  private struct Fault: Error {
    var message: String
    var offset: Int
  }

  private let bytes: [UInt8]
  private let file: String
  private var takesNonFiniteNumbers = false
  private var offset = 0
  private var line = 1
  private var lineStart = 0
  /// The last position whose column was computed, so that a long line is counted only once.
  private var counted = (lineStart: 0, place: 0, characters: 0)
  private var diagnostics: [Diagnostic] = []

  private init(bytes: [UInt8], file: String) {
    self.bytes = bytes
    self.file = file
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      offset = 3
      lineStart = 3
    }
  }

  private mutating func document() throws(Fault) -> JSONValue {
    try skipSpace()
    guard next != nil else { throw fault("the file is empty; expected a JSON value") }
    let value = try value(at: JSONPath(), depth: 0)
    try skipSpace()
    if let byte = next { throw fault("expected the end of the file, found \(name(of: byte))") }
    return value
  }

  private mutating func value(at path: JSONPath, depth: Int) throws(Fault) -> JSONValue {
    guard depth < Self.maximumDepth else {
      throw fault("nested deeper than \(Self.maximumDepth) levels")
    }
    let position = position(of: offset)
    switch next {
    case UInt8(ascii: "{"):
      return JSONValue(.object(try members(at: path, depth: depth)), at: position)
    case UInt8(ascii: "["):
      return JSONValue(.array(try elements(at: path, depth: depth)), at: position)
    case UInt8(ascii: "\""): return JSONValue(.string(try string()), at: position)
    case nil: throw fault("the file ends where a value is expected")
    case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
      return JSONValue(.number(try number()), at: position)
    default: return JSONValue(try word(), at: position)
    }
  }

  // MARK: Objects and arrays

  private mutating func members(
    at path: JSONPath, depth: Int
  ) throws(Fault) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    var positions: [String: SourcePosition] = [:]
    try list(closedBy: UInt8(ascii: "}"), "object") { (reader) throws(Fault) in
      let keyPosition = reader.position(of: reader.offset)
      guard reader.next == UInt8(ascii: "\"") else {
        throw reader.unexpected("a key in double quotes")
      }
      let key = try reader.string()
      if let first = positions[key] {
        reader.report(
          "duplicate key '\(key)'; the first is on line \(first.line)", at: keyPosition,
          path: path[key])
      } else {
        positions[key] = keyPosition
      }
      try reader.skipSpace()
      guard reader.next == UInt8(ascii: ":") else {
        throw reader.unexpected("':' after the key '\(key)'")
      }
      reader.offset += 1
      try reader.skipSpace()
      let value = try reader.value(at: path[key], depth: depth + 1)
      members.append(JSONValue.Member(key, value, keyPosition: keyPosition))
    }
    return members
  }

  private mutating func elements(at path: JSONPath, depth: Int) throws(Fault) -> [JSONValue] {
    var elements: [JSONValue] = []
    try list(closedBy: UInt8(ascii: "]"), "array") { (reader) throws(Fault) in
      elements.append(try reader.value(at: path[elements.count], depth: depth + 1))
    }
    return elements
  }

  /// Reads the comma-separated items between brackets.
  private mutating func list(
    closedBy close: UInt8, _ kind: String,
    _ element: (inout JSONReader) throws(Fault) -> Void
  ) throws(Fault) {
    let opening = position(of: offset)
    offset += 1
    try skipSpace()
    if next == close {
      offset += 1
      return
    }
    while true {
      try element(&self)
      try skipSpace()
      if next == close {
        offset += 1
        return
      }
      guard next == UInt8(ascii: ",") else {
        guard next != nil else {
          throw fault("the file ends inside the \(kind) that begins on line \(opening.line)")
        }
        throw unexpected("',' or '\(Character(Unicode.Scalar(close)))'")
      }
      let comma = offset
      offset += 1
      try skipSpace()
      if next == close {
        throw Fault(message: "remove the comma after the last entry of the \(kind)", offset: comma)
      }
    }
  }

  // MARK: Scalars

  private mutating func string() throws(Fault) -> String {
    let opening = offset
    offset += 1
    var content: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        guard let text = String(validating: content, as: UTF8.self) else {
          throw Fault(message: "the string is not valid UTF-8", offset: opening)
        }
        return text
      case UInt8(ascii: "\\"):
        try escape(into: &content)
      case 0..<0x20:
        if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
          throw Fault(message: "the string has no closing quote on its line", offset: opening)
        }
        throw fault("control characters in a string must be written as an escape like \\t")
      default:
        content.append(byte)
        offset += 1
      }
    }
    throw Fault(message: "the string has no closing quote", offset: opening)
  }

  private mutating func escape(into content: inout [UInt8]) throws(Fault) {
    let start = offset
    offset += 1
    let letter = next
    offset += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(letter ?? 0)
    case UInt8(ascii: "b"): content.append(8)
    case UInt8(ascii: "f"): content.append(12)
    case UInt8(ascii: "n"): content.append(10)
    case UInt8(ascii: "r"): content.append(13)
    case UInt8(ascii: "t"): content.append(9)
    case UInt8(ascii: "u"):
      var code = try hexadecimal(start)
      if 0xD800..<0xDC00 ~= code, next == UInt8(ascii: "\\") {
        offset += 1
        guard next == UInt8(ascii: "u") else { throw loneSurrogate(start) }
        offset += 1
        let low = try hexadecimal(start)
        guard 0xDC00..<0xE000 ~= low else { throw loneSurrogate(start) }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw loneSurrogate(start) }
      content += Array(String(Character(scalar)).utf8)
    default:
      throw Fault(message: "unknown escape in a string; write \\\\ for a backslash", offset: start)
    }
  }

  private func loneSurrogate(_ start: Int) -> Fault {
    Fault(message: "unpaired surrogate", offset: start)
  }

  private mutating func hexadecimal(_ start: Int) throws(Fault) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw Fault(message: "\\u needs four hexadecimal digits", offset: start)
      }
      code = code << 4 + UInt32(digit)
      offset += 1
    }
    return code
  }

  private mutating func number() throws(Fault) -> Double {
    let start = offset
    func digits(_ reader: inout JSONReader) -> Int {
      let first = reader.offset
      while let byte = reader.next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte {
        reader.offset += 1
      }
      return reader.offset - first
    }
    if next == UInt8(ascii: "-") { offset += 1 }
    if takesNonFiniteNumbers, bytes[offset...].starts(with: Array("Infinity".utf8)) {
      offset += 8
      return -.infinity
    }
    let whole = offset
    var isValid = digits(&self) > 0
    if isValid, offset - whole > 1, bytes[whole] == UInt8(ascii: "0") { isValid = false }
    if next == UInt8(ascii: ".") {
      offset += 1
      isValid = digits(&self) > 0 && isValid
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      offset += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { offset += 1 }
      isValid = digits(&self) > 0 && isValid
    }
    if let byte = next, isWordByte(byte) { isValid = false }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    guard isValid, let number = Double(text) else {
      while let byte = next, isWordByte(byte) { offset += 1 }
      let text = String(decoding: bytes[start..<offset], as: UTF8.self)
      throw Fault(
        message: "'\(text)' is not a number; a value with a unit needs quotes", offset: start)
    }
    guard number.isFinite else {
      throw Fault(message: "the number \(text) is too large", offset: start)
    }
    return number
  }

  private mutating func word() throws(Fault) -> JSONValue.Content {
    let start = offset
    while let byte = next, isWordByte(byte) { offset += 1 }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    switch text {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null": return .null
    case "NaN" where takesNonFiniteNumbers: return .number(.nan)
    case "Infinity" where takesNonFiniteNumbers: return .number(.infinity)
    case "":
      throw unexpected("a value")
    default:
      throw Fault(
        message: "unknown word '\(text)'; a string needs double quotes", offset: start)
    }
  }

  // MARK: Characters

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: "%"), 0x80...:
      true
    default: false
    }
  }

  /// Skips whitespace and comments, and counts lines: line breaks occur nowhere else.
  private mutating func skipSpace() throws(Fault) {
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\n"): breakLine()
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): offset += 1
      case UInt8(ascii: "/"): try skipComment()
      default: return
      }
    }
  }

  private mutating func skipComment() throws(Fault) {
    let start = offset
    offset += 1
    switch next {
    case UInt8(ascii: "/"):
      while let byte = next, byte != UInt8(ascii: "\n") { offset += 1 }
    case UInt8(ascii: "*"):
      let startLine = line
      let startOfLine = lineStart
      offset += 1
      while let byte = next {
        if byte == UInt8(ascii: "\n") {
          breakLine()
          continue
        }
        offset += 1
        if byte == UInt8(ascii: "*"), next == UInt8(ascii: "/") {
          offset += 1
          return
        }
      }
      (line, lineStart) = (startLine, startOfLine)
      throw Fault(message: "the comment has no closing '*/'", offset: start)
    default: throw Fault(message: "expected a value or a comment, found '/'", offset: start)
    }
  }

  private mutating func breakLine() {
    offset += 1
    line += 1
    lineStart = offset
  }

  /// The position of an offset in the current line; columns count Unicode scalars.
  private mutating func position(of index: Int) -> SourcePosition {
    let index = min(index, bytes.count)
    let start = min(lineStart, index)
    if counted.lineStart != start || counted.place > index { counted = (start, start, 0) }
    counted.characters += bytes[counted.place..<index].count { $0 & 0xC0 != 0x80 }
    counted.place = index
    return SourcePosition(line: line, column: counted.characters + 1)
  }

  private func name(of byte: UInt8) -> String {
    switch byte {
    case 0x21...0x7E: "'\(Character(Unicode.Scalar(byte)))'"
    case 0..<0x21, 0x7F: "a control character"
    default: "a non-ASCII character"
    }
  }

  private func unexpected(_ expected: String) -> Fault {
    fault("expected \(expected), found \(next.map(name(of:)) ?? "the end of the file")")
  }

  private func fault(_ message: String) -> Fault { Fault(message: message, offset: offset) }

  private mutating func report(_ message: String, at position: SourcePosition, path: JSONPath) {
    diagnostics.append(Diagnostic(file: file, position: position, path: path, message: message))
  }
}
