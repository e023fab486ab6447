import MeshPipeline

/// Reads JSON value by value, without keeping it: recordings have millions of numbers.
///
/// Identifiers of 64 bits are read as whole numbers, since doubles round those above 2⁵³.
struct FeatureScanner {
  typealias Fault = FeatureRecording.Fault

  /// A number, exactly if it is a whole one of up to 64 bits without a sign.
  struct Number {
    var value: Double
    var whole: UInt64?

    /// The same as an identifier; nil for fractions, negative numbers, and those that were rounded.
    var identifier: UInt64? {
      whole ?? (abs(value) <= 0x1p53 ? UInt64(exactly: value) : nil)
    }
  }

  private(set) var position: Int
  private let end: Int

  init(_ range: Range<Int>) { (position, end) = (range.lowerBound, range.upperBound) }

  func fault(_ message: String) -> Fault { Fault(offset: position, message: message) }

  /// The first byte of the next value or sign; nil at the end.
  mutating func next(_ bytes: Span<UInt8>) -> UInt8? {
    while position < end, bytes[position] <= 0x20 { position += 1 }
    return position < end ? bytes[position] : nil
  }

  // MARK: Structure

  /// Moves to the next element of a list or an object, whose first byte is that of the list itself at first.
  ///
  /// - Returns: Whether there is one; otherwise the list has ended.
  mutating func element(
    _ bytes: Span<UInt8>, _ isFirst: inout Bool, close: UInt8
  ) throws(Fault) -> Bool {
    if isFirst { position += 1 }
    defer { isFirst = false }
    let byte = next(bytes)
    if byte == close {
      position += 1
      return false
    }
    if isFirst, byte != nil { return true }
    guard byte == UInt8(ascii: ",") else { throw unexpected(bytes, "',' or the end of a list") }
    position += 1
    // A comma after the last element is forgiven.
    if next(bytes) == close {
      position += 1
      return false
    }
    return true
  }

  /// Reads a key and the colon after it.
  mutating func key(_ bytes: Span<UInt8>) throws(Fault) -> String {
    guard next(bytes) == UInt8(ascii: "\"") else { throw unexpected(bytes, "a key in quotes") }
    let key = try string(bytes)
    guard next(bytes) == UInt8(ascii: ":") else { throw unexpected(bytes, "':' after a key") }
    position += 1
    return key
  }

  /// Reads a string; escapes stay as they are, since no key that counts has any.
  private mutating func string(_ bytes: Span<UInt8>) throws(Fault) -> String {
    position += 1
    let start = position
    while position < end, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard position < end else {
      position = end
      throw fault("the file ends within a string")
    }
    position += 1
    return text(bytes, start..<position - 1)
  }

  /// Skips a value of any kind.
  mutating func skipValue(_ bytes: Span<UInt8>) throws(Fault) {
    var depth = 0
    repeat {
      switch next(bytes) {
      case nil: throw fault("the file ends where a value is expected")
      case UInt8(ascii: "\""): _ = try string(bytes)
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0 else { throw unexpected(bytes, "a value") }
        depth -= 1
        position += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        guard depth > 0 else { throw unexpected(bytes, "a value") }
        position += 1
      default:
        let start = position
        while position < end, Self.isWord(bytes[position]) { position += 1 }
        guard position > start else { throw unexpected(bytes, "a value") }
      }
    } while depth > 0
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  // MARK: Numbers

  mutating func number(_ bytes: Span<UInt8>) throws(Fault) -> Number {
    _ = next(bytes)
    let start = position
    var wordEnd = start
    while wordEnd < end, Self.isWord(bytes[wordEnd]) { wordEnd += 1 }
    // A word at the very end may be half of one.
    guard wordEnd < end else {
      position = end
      throw fault("the file ends within a record")
    }
    var place = start
    let whole = Digits.unsigned(bytes, &place, end: wordEnd)
    if place == wordEnd, let whole {
      position = wordEnd
      return Number(value: Double(whole), whole: whole)
    }
    place = start
    guard let value = Decimal.double(bytes, &place, end: wordEnd), place == wordEnd else {
      throw unexpected(bytes, "a number")
    }
    position = wordEnd
    return Number(value: value, whole: nil)
  }

  /// Reads an identifier, which may be written as text.
  mutating func identifier(_ bytes: Span<UInt8>) throws(Fault) -> UInt64 {
    let isText = next(bytes) == UInt8(ascii: "\"")
    let start = position
    let found: UInt64?
    let words: String
    if isText {
      words = try string(bytes)
      found = UInt64(words)
    } else {
      found = try number(bytes).identifier
      words = text(bytes, start..<position)
    }
    guard let found else {
      throw Fault(
        offset: start,
        message: "the identifier \(words.prefix(40)) is not a whole number from 0 to \(UInt64.max)")
    }
    return found
  }

  private func unexpected(_ bytes: Span<UInt8>, _ expectation: String) -> Fault {
    guard position < end else {
      return Fault(offset: end, message: "the file ends where \(expectation) is expected")
    }
    var wordEnd = position + 1
    while wordEnd < end, wordEnd < position + 24, Self.isWord(bytes[wordEnd]) { wordEnd += 1 }
    return Fault(
      offset: position,
      message: "expected \(expectation), found \(quoted(bytes, position..<wordEnd))")
  }
}
