/// One bit for each texel of a rectangle.
package struct TexelMap {
  let width: Int
  let height: Int
  let wordsPerRow: Int
  private var words: [UInt64]

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    wordsPerRow = (width + 63) / 64
    words = [UInt64](repeating: 0, count: wordsPerRow * height)
  }

  subscript(x: Int, y: Int) -> Bool {
    (words[y * wordsPerRow + (x >> 6)] >> UInt64(x & 63)) & 1 == 1
  }

  /// Occupies the texels of a triangle if all of them are free.
  mutating func take(_ triangle: TexelTriangle?) -> Bool {
    guard let triangle else { return true }
    var isFree = true
    triangle.forEachSpan { span in
      if isFree { isFree = self.isFree(row: span.row, span.columns) }
    }
    guard isFree else { return false }
    triangle.forEachSpan { take(row: $0.row, $0.columns) }
    return true
  }

  /// The 64 texels of a row from column `64 * word` on, the first in the lowest bit; 0 outside.
  func word(_ word: Int, row: Int) -> UInt64 {
    guard row >= 0, row < height, word >= 0, word < wordsPerRow else { return 0 }
    return words[row * wordsPerRow + word]
  }

  /// Occupies the texels of one word whose bits are set.
  mutating func take(row: Int, word: Int, bits: UInt64) {
    words[row * wordsPerRow + word] |= bits
  }

  /// Occupies adjacent texels.
  mutating func take(row: Int, _ columns: Range<Int>) {
    let first = columns.lowerBound >> 6
    let last = (columns.upperBound - 1) >> 6
    for word in first...last {
      words[row * wordsPerRow + word] |= Self.mask(ofWord: word, columns)
    }
  }

  /// Occupies the texels of another map of the same size.
  mutating func take(_ other: TexelMap) {
    for index in words.indices { words[index] |= other.words[index] }
  }

  /// The number of occupied texels.
  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// The number of texels that are occupied in another map of the same size, too.
  func sharedCount(with other: TexelMap) -> Int {
    zip(words, other.words).reduce(0) { $0 + ($1.0 & $1.1).nonzeroBitCount }
  }

  private func isFree(row: Int, _ columns: Range<Int>) -> Bool {
    let first = columns.lowerBound >> 6
    let last = (columns.upperBound - 1) >> 6
    return (first...last).allSatisfy { word in
      words[row * wordsPerRow + word] & Self.mask(ofWord: word, columns) == 0
    }
  }

  /// The bits of a word for the columns of a range.
  private static func mask(ofWord word: Int, _ columns: Range<Int>) -> UInt64 {
    let start = max(columns.lowerBound - word << 6, 0)
    let end = min(columns.upperBound - word << 6, 64)
    return (UInt64.max << UInt64(start)) & (UInt64.max >> UInt64(64 - end))
  }
}

extension Atlas {
  /// The texels of a page whose centres are in a face.
  package func coverage(ofPage page: Int) -> TexelMap {
    var map = TexelMap(width: pages[page].x, height: pages[page].y)
    for face in 0..<faceCount where Int(facePages[face]) == page {
      forEachSpan(ofFace: face) { map.take(row: $0.row, $0.columns) }
    }
    return map
  }
}
