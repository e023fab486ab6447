import MeshPipeline

/// Iterates over the words of an OFF file; `#` begins a comment anywhere.
struct OFFWords {
  private(set) var position: Int
  /// The number of line breaks before ``position``.
  private(set) var line = 0
  let end: Int

  init(_ range: Range<Int>) { (position, end) = (range.lowerBound, range.upperBound) }

  /// Moves to the next word of the line.
  ///
  /// - Returns: False if there is none.
  mutating func findWordOnLine(_ bytes: Span<UInt8>) -> Bool {
    while position < end {
      switch bytes[position] {
      case 0x0A, 0x0D: return false
      case 0x23: skipToLineEnd(bytes)
      case 0...0x20: position += 1
      default: return true
      }
    }
    return false
  }

  /// Moves to the next word, on this line or a later one; false at the end of the file.
  mutating func findWord(_ bytes: Span<UInt8>) -> Bool {
    while !findWordOnLine(bytes) {
      guard position < end else { return false }
      let isPair = bytes[position] == 0x0D && position + 1 < end && bytes[position + 1] == 0x0A
      position += isPair ? 2 : 1
      line += 1
    }
    return true
  }

  mutating func skipToLineEnd(_ bytes: Span<UInt8>) {
    while position < end, bytes[position] != 0x0A, bytes[position] != 0x0D { position += 1 }
  }

  /// The range of the word at the current position.
  func word(_ bytes: Span<UInt8>) -> Range<Int> {
    var last = position
    while last < end, bytes[last] > 0x20, bytes[last] != 0x23 { last += 1 }
    return position..<last
  }

  mutating func skip(_ count: Int) { position += count }

  /// The number of words up to the end of the line; the position is unchanged.
  func wordCountOnLine(_ bytes: Span<UInt8>, atMost limit: Int) -> Int {
    var scout = self
    var count = 0
    while count < limit, scout.findWordOnLine(bytes) {
      scout.position = scout.word(bytes).upperBound
      count += 1
    }
    return count
  }

  /// Reads the current word as a number.
  mutating func float(_ bytes: Span<UInt8>) throws(LineFault) -> Float {
    guard let value = Decimal.float(bytes, &position, end: end) else {
      throw fault("expected a number, found \(quoted(bytes, word(bytes)))")
    }
    return value
  }

  /// Reads the current word as a non-negative whole number.
  mutating func integer(_ bytes: Span<UInt8>, _ what: String) throws(LineFault) -> Int {
    let range = word(bytes)
    var value = 0
    for index in range {
      let digit = bytes[index] &- 0x30
      guard digit <= 9, value < 1 << 40 else {
        throw fault("expected \(what), found \(quoted(bytes, range))")
      }
      value = 10 * value + Int(digit)
    }
    position = range.upperBound
    return value
  }

  func fault(_ message: String) -> LineFault { LineFault(line: line, message: message) }
}
