import NativeLibraries

/// How a crate stores many bytes and many integers (versions 0.4.0 and later).
enum CrateCoding {
  /// Bytes as one compressed chunk: a zero byte, which says that there is one, and a block of LZ4.
  static func chunk(_ bytes: [UInt8]) -> [UInt8] { [0] + LZ4.compressed(bytes) }

  /// Whether integers can be coded: a chunk has a limit.
  static func canCode(_ count: Int) -> Bool { 5 * count + 8 <= LZ4.mostBytes }

  /// Integers as compressed differences, modulo 2^32.
  ///
  /// A common difference is given first. Two bits for each integer say whether its difference to the one before is that
  /// (0), or follows after all these bits in one byte (1), in two (2) or in four (3).
  static func coded(_ numbers: [UInt32]) -> [UInt8] {
    let common = commonDifference(of: numbers)
    var codes = [UInt8](repeating: 0, count: (numbers.count + 3) / 4)
    var differences: [UInt8] = []
    differences.reserveCapacity(2 * numbers.count)
    var previous: UInt32 = 0
    for (index, number) in numbers.enumerated() {
      let difference = Int32(bitPattern: number &- previous)
      previous = number
      guard difference != common else { continue }
      let code = code(of: difference)
      codes[index / 4] |= UInt8(code << (2 * (index % 4)))
      switch code {
      case 1: differences.append(littleEndian: Int8(truncatingIfNeeded: difference))
      case 2: differences.append(littleEndian: Int16(truncatingIfNeeded: difference))
      default: differences.append(littleEndian: difference)
      }
    }
    return chunk([UInt8](littleEndian: [common]) + codes + differences)
  }

  private static func code(of difference: Int32) -> Int {
    if Int8(exactly: difference) != nil { return 1 }
    return Int16(exactly: difference) != nil ? 2 : 3
  }

  /// The most frequent of the small differences, the least of equally frequent ones.
  private static func commonDifference(of numbers: [UInt32]) -> Int32 {
    let range: Int32 = 1024
    var counts = [Int](repeating: 0, count: 2 * Int(range) + 1)
    var previous: UInt32 = 0
    for number in numbers {
      let difference = Int32(bitPattern: number &- previous)
      previous = number
      if difference >= -range, difference <= range { counts[Int(difference + range)] += 1 }
    }
    let most = counts.max() ?? 0
    return Int32(counts.firstIndex(of: most) ?? Int(range)) - range
  }
}
