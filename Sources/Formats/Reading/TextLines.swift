/// The lines of a text that aren't blank, without the spaces around them.
struct TextLines {
  /// The current line, counted from 0.
  private(set) var line: Int
  /// The first byte of the next line.
  private(set) var position: Int
  private let end: Int

  /// The longest line that can be points.
  private static let longest = 1 << 16

  /// - Parameter firstLine: The line that the range begins with, counted from 0.
  init(_ range: Range<Int>, firstLine: Int = 0) {
    (position, end, line) = (range.lowerBound, range.upperBound, firstLine - 1)
  }

  mutating func next(_ bytes: Span<UInt8>) throws(LineFault) -> Range<Int>? {
    while position < end {
      var (first, last) = (position, position)
      line += 1
      while last < end, bytes[last] != 0x0A, bytes[last] != 0x0D {
        last += 1
        guard last - first <= Self.longest else {
          throw fault("is longer than \(Self.longest) bytes; are these points?")
        }
      }
      let isPair = last + 1 < end && bytes[last] == 0x0D && bytes[last + 1] == 0x0A
      position = min(end, last + (isPair ? 2 : 1))
      while first < last, Self.isBlank(bytes[first]) { first += 1 }
      while first < last, Self.isBlank(bytes[last - 1]) { last -= 1 }
      if first < last { return first..<last }
    }
    return nil
  }

  /// The line of one of the next ones, counted from 0 as they are; at most that of a line that is too long.
  mutating func line(ofNext number: Int, _ bytes: Span<UInt8>) -> Int {
    for _ in 0...number {
      guard (try? next(bytes)) != nil else { break }
    }
    return line
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  func fault(_ message: String) -> LineFault { LineFault(line: max(0, line), message: message) }
}
