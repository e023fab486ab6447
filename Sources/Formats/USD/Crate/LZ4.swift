/// Compression in blocks of LZ4.
///
/// A block is a sequence of literal runs, each followed by a copy of earlier bytes (Yann Collet, "LZ4 block format
/// description"). The search is greedy with one candidate per hash of four bytes.
enum LZ4 {
  private static let minimumMatch = 4
  /// The last match begins at least as many bytes before the end.
  private static let matchLimit = 12
  /// The last bytes are literals.
  private static let lastLiterals = 5
  private static let farthest = 65_535
  private static let hashBits: UInt32 = 15

  /// The most bytes that a block may hold.
  static let mostBytes = 0x7E00_0000

  /// A block with all bytes, of which there may be ``mostBytes``.
  static func compressed(_ source: [UInt8]) -> [UInt8] {
    precondition(source.count <= mostBytes)
    var block: [UInt8] = []
    block.reserveCapacity(source.count / 2 + 16)
    var places = [Int32](repeating: -1, count: 1 << hashBits)
    var (place, anchor) = (0, 0)
    var misses = 0
    while place <= source.count - matchLimit {
      let word = Self.word(source, place)
      let hash = Int((word &* 2_654_435_761) >> (32 - hashBits))
      let candidate = Int(places[hash])
      places[hash] = Int32(place)
      guard candidate >= 0, place - candidate <= farthest,
        Self.word(source, candidate) == word
      else {
        // Where nothing repeats, ever larger steps.
        misses += 1
        place += 1 + misses >> 6
        continue
      }
      misses = 0
      var length = minimumMatch
      let most = source.count - lastLiterals - place
      while length < most, source[candidate + length] == source[place + length] { length += 1 }
      append(source[anchor..<place], match: (place - candidate, length), to: &block)
      place += length
      anchor = place
    }
    append(source[anchor...], match: nil, to: &block)
    return block
  }

  @inline(__always)
  private static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
    UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]) << 16
      | UInt32(bytes[place + 3]) << 24
  }

  private static func append(
    _ literals: ArraySlice<UInt8>, match: (distance: Int, length: Int)?, to block: inout [UInt8]
  ) {
    let copied = match.map { $0.length - minimumMatch } ?? 0
    block.append(UInt8(min(literals.count, 15) << 4 | min(copied, 15)))
    appendRest(of: literals.count, to: &block)
    block += literals
    guard let match else { return }
    block.append(UInt8(match.distance & 255))
    block.append(UInt8(match.distance >> 8))
    appendRest(of: copied, to: &block)
  }

  /// Lengths of 15 and more continue in bytes of their own, the last of which is below 255.
  private static func appendRest(of length: Int, to block: inout [UInt8]) {
    guard length >= 15 else { return }
    var rest = length - 15
    while rest >= 255 {
      block.append(255)
      rest -= 255
    }
    block.append(UInt8(rest))
  }
}
