import MeshPipeline

/// Cuts a text into blocks of whole lines, for threads to parse.
enum TextBlocks {
  /// The usual size of a block, whatever the number of threads is, so that results don't depend on it.
  static let size = 1 << 20

  /// The blocks of a text, in order.
  ///
  /// - Parameter joinsLines: Whether a backslash at the end of a line carries it on, so that no block
  ///   may end there.
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
    // Between the two halves of CR LF there is no line start.
    if bytes[last] == 0x0D, bytes[index] == 0x0A { return false }
    guard joinsLines else { return true }
    if bytes[last] == 0x0A, last > 0, bytes[last - 1] == 0x0D { last -= 1 }
    return last == 0 || bytes[last - 1] != 0x5C
  }
}

extension TextBlocks {
  /// The number of lines in a range that hold more than spaces.
  static func countLines(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
    var count = 0
    var isBlank = true
    for index in range {
      let byte = bytes[index]
      if byte > 0x20 {
        if isBlank { count += 1 }
        isBlank = false
      } else if byte == 0x0A || byte == 0x0D {
        isBlank = true
      }
    }
    return count
  }

  /// The number of line breaks before a byte, of any kind.
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
