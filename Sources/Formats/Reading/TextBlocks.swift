import MeshPipeline

/// Splits a text into blocks of whole lines for parallel parsing.
enum TextBlocks {
  /// The usual size of a block, independent of the number of threads, so that results don't depend
  /// on it.
  static let size = 1 << 20

  /// The blocks of a text, in order.
  ///
  /// - Parameter joinsLines: Whether a backslash at the end of a line continues it, so that no
  ///   block may end there.
  static func ranges(
    _ bytes: Span<UInt8>, of range: Range<Int>, joinsLines: Bool
  ) -> [Range<Int>] {
    var blocks: [Range<Int>] = []
    var start = range.lowerBound
    while start < range.upperBound {
      var end = min(start + size, range.upperBound)
      while end < range.upperBound, !isLineStart(bytes, end, joinsLines: joinsLines) { end += 1 }
      blocks.append(start..<end)
      start = end
    }
    return blocks
  }

  private static func isLineStart(_ bytes: Span<UInt8>, _ index: Int, joinsLines: Bool) -> Bool {
    var last = index - 1
    guard bytes[last] == 0x0A || bytes[last] == 0x0D else { return false }
    // No line starts between CR and LF.
    if bytes[last] == 0x0D, bytes[index] == 0x0A { return false }
    guard joinsLines else { return true }
    if bytes[last] == 0x0A, last > 0, bytes[last - 1] == 0x0D { last -= 1 }
    return last == 0 || bytes[last - 1] != 0x5C
  }
}

extension TextBlocks {
  /// The number of non-blank lines in a range.
  ///
  /// Eight bytes at a time: a one for each non-space byte is added to a word of ones in all bytes
  /// except line breaks, so that only a non-blank line carries a one to the break at its end.
  static func countLines(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
    let (ones, low): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x7F7F_7F7F_7F7F_7F7F)
    var count = 0
    var carry: UInt64 = 0
    var position = range.lowerBound
    while position + 8 <= range.upperBound {
      let word: UInt64 = bytes.word(at: position)
      let (feeds, returns) = (word ^ ones &* 0x0A, word ^ ones &* 0x0D)
      let others = (feeds & low &+ low | feeds) & (returns & low &+ low | returns)
      let breaks = ~others >> 7 & ones
      let filled = ((word & low) &+ ones &* 0x5F | word) >> 7 & ones
      let (sum, isOver) = (~(breaks &* 0xFF)).addingReportingOverflow(filled)
      let (ends, isOverAgain) = sum.addingReportingOverflow(carry)
      // The sum of all bytes; not all supported processors can count bits.
      count += Int(((ends & breaks) &* ones) >> 56)
      carry = isOver || isOverAgain ? 1 : 0
      position += 8
    }
    var isBlank = carry == 0
    for index in position..<range.upperBound {
      let byte = bytes[index]
      if byte == 0x0A || byte == 0x0D {
        if !isBlank { count += 1 }
        isBlank = true
      } else if byte > 0x20 {
        isBlank = false
      }
    }
    return isBlank ? count : count + 1
  }

  /// The number of line breaks of any kind before a byte.
  static func lineBreaks(_ bytes: Span<UInt8>, before offset: Int) -> Int {
    var count = 0
    for index in 0..<min(offset, bytes.count) {
      if bytes[index] == 0x0A {
        count += 1
      } else if bytes[index] == 0x0D, index + 1 == bytes.count || bytes[index + 1] != 0x0A {
        count += 1
      }
    }
    return count
  }
}

/// The start of a file's text: after the byte order mark that some programs write.
func textStart(of bytes: Span<UInt8>) -> Int {
  bytes.count > 2 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
}
