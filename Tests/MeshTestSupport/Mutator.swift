/// Damages files at random, the same way for the same seed.
package struct Mutator {
  private var random: SeededGenerator

  package init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func below(_ bound: Int) -> Int {
    bound > 0 ? Int(random.next() % UInt64(bound)) : 0
  }

  /// A copy with one to four kinds of damage.
  package mutating func mutate(_ original: [UInt8]) -> [UInt8] {
    var bytes = original
    for _ in 0...below(4) {
      switch below(8) {
      case 0: bytes.removeSubrange(below(bytes.count + 1)...)
      case 1: flipBits(&bytes)
      case 2: scatterBytes(&bytes)
      case 3: moveLines(&bytes)
      case 4, 5: replaceNumber(&bytes)
      case 6: copyPiece(&bytes)
      default: cutPiece(&bytes)
      }
    }
    return bytes
  }

  /// A copy in which one to four numbers are others: a text that is sound but for what it says.
  package mutating func mutateNumbers(_ text: [UInt8]) -> [UInt8] {
    var bytes = text
    for _ in 0...below(4) { replaceTextNumber(&bytes) }
    return bytes
  }

  private mutating func flipBits(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    for _ in 0...below(8) { bytes[below(bytes.count)] ^= 1 << UInt8(below(8)) }
  }

  private mutating func scatterBytes(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    for _ in 0...below(16) { bytes[below(bytes.count)] = UInt8(below(256)) }
  }

  private mutating func moveLines(_ bytes: inout [UInt8]) {
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    for _ in 0...below(3) {
      let (from, to) = (below(lines.count), below(lines.count))
      if below(3) == 0 { lines.remove(at: from) } else { lines.swapAt(from, to) }
      if lines.isEmpty { lines = [[]] }
    }
    bytes = Array(lines.joined(separator: [0x0A]))
  }

  /// Numbers that have broken readers before.
  private static let numbers = [
    "0", "-1", "1", "2", "255", "256", "65535", "65536", "2147483647", "2147483648", "-2147483648",
    "4294967295", "4294967296", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808",
    "99999999999999999999999", "1e999", "-1e999", "1e-999", "nan", "inf", "0.5", "1.5", "3000000",
    "",
  ]

  private mutating func replaceNumber(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    if below(4) == 0, bytes.count > 8 {
      // A binary number: small, large, or just beyond a limit.
      let place = below(bytes.count - 4)
      let value = [0, 1, 0x7F, 0xFF, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x1_0000, 0x8000_0000][below(8)]
      for byte in 0..<4 { bytes[place + byte] = UInt8(value >> (8 * byte) & 255) }
      return
    }
    replaceTextNumber(&bytes)
  }

  private mutating func replaceTextNumber(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    let start = below(bytes.count)
    guard let first = bytes[start...].firstIndex(where: { $0 &- 0x30 <= 9 }) else { return }
    let end = bytes[first...].firstIndex { $0 &- 0x30 > 9 } ?? bytes.count
    bytes.replaceSubrange(first..<end, with: Self.numbers[below(Self.numbers.count)].utf8)
  }

  private mutating func copyPiece(_ bytes: inout [UInt8]) {
    let start = below(bytes.count)
    let piece = Array(bytes[start..<min(bytes.count, start + below(200))])
    bytes.insert(contentsOf: piece, at: below(bytes.count + 1))
  }

  private mutating func cutPiece(_ bytes: inout [UInt8]) {
    let start = below(bytes.count)
    bytes.removeSubrange(start..<min(bytes.count, start + below(60)))
  }
}
