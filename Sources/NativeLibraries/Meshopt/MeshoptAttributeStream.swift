/// The attribute codec of version 1, which `KHR_meshopt_compression` has added to that of
/// `EXT_meshopt_compression`.
///
/// Of each block of elements, the bytes at one place in them follow one another, as deltas. Written after appendix A
/// (mode 0) of the extension, since meshoptimizer knows it only from its version 0.23 on.
struct MeshoptAttributeStream {
  /// The byte that such a stream begins with.
  static let header: UInt8 = 0xA1
  /// The most bytes that a byte stands for: two bits of control for the bytes at one place of a block.
  static let largestRatio = 1024

  private static let group = 16
  private static let mostInBlock = 256
  private static let bytesOfBlock = 8192
  /// The bytes after the blocks, of which zeros are the first.
  private static let leastTail = 24
  /// The bits of a delta, by the control of a place and the header of a group; 0 for deltas that are all 0.
  private static let bits: [[Int]] = [[0, 1, 2, 4], [1, 2, 4, 8]]

  /// A stream that ends too early or late, or has a mode that does not exist.
  struct Damage: Error {}

  private let bytes: [UInt8]
  /// Where the blocks end.
  private let end: Int
  private let stride: Int
  private var offset = 1
  /// The element before the next block.
  private var previous: [UInt8]
  /// How the four bytes at each place are deltas.
  private let channels: [UInt8]

  /// - Parameter stride: The bytes of an element: a multiple of four up to 256.
  init(_ bytes: [UInt8], stride: Int) throws(Damage) {
    let tail = stride + stride / 4
    let end = bytes.count - max(tail, Self.leastTail)
    guard end >= 1, bytes[0] == Self.header else { throw Damage() }
    self.bytes = bytes
    self.end = end
    self.stride = stride
    let baseline = bytes.count - tail
    previous = Array(bytes[baseline..<baseline + stride])
    channels = Array(bytes[(baseline + stride)...])
    // The upper bits of a channel rotate, which only exclusive ors know.
    guard channels.allSatisfy({ $0 & 15 == 2 || $0 < 2 }) else { throw Damage() }
  }

  /// All elements, one after the other.
  ///
  /// - Parameter count: Their number, for which there is memory.
  mutating func elements(_ count: Int) throws(Damage) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count * stride)
    let most = min(Self.bytesOfBlock / stride & ~(Self.group - 1), Self.mostInBlock)
    var first = 0
    while first < count {
      let block = min(count - first, most)
      try decode(block, into: &result, at: first * stride)
      first += block
    }
    guard offset == end else { throw Damage() }
    return result
  }

  private mutating func take(_ count: Int) throws(Damage) -> Range<Int> {
    guard count <= end - offset else { throw Damage() }
    defer { offset += count }
    return offset..<offset + count
  }

  private mutating func decode(
    _ count: Int, into result: inout [UInt8], at start: Int
  ) throws(Damage) {
    let groups = (count + Self.group - 1) / Self.group
    let width = groups * Self.group
    let controls = try take(stride / 4)
    var deltas = [UInt8](repeating: 0, count: 4 * width)
    for channel in 0..<stride / 4 {
      let control = bytes[controls.lowerBound + channel]
      for place in 0..<4 {
        let target = place * width
        switch control >> (2 * UInt8(place)) & 3 {
        case 2: for index in target..<target + count { deltas[index] = 0 }
        case 3:
          let source = try take(count).lowerBound
          for index in 0..<count { deltas[target + index] = bytes[source + index] }
        case let mode: try unpack(groups, bits: Self.bits[Int(mode)], into: &deltas, at: target)
        }
      }
      let place = start + 4 * channel
      switch channels[channel] & 15 {
      case 0: addBytes(count, of: deltas, width: width, to: &result, at: place)
      case 1: addWords(count, of: deltas, width: width, to: &result, at: place)
      default:
        let rotation = UInt32(channels[channel] >> 4)
        addExclusively(count, of: deltas, width: width, rotation: rotation, to: &result, at: place)
      }
    }
    let last = start + (count - 1) * stride
    previous = Array(result[last..<last + stride])
  }

  /// Unpacks the deltas of groups, each of a number of bits that its header names.
  private mutating func unpack(
    _ groups: Int, bits table: [Int], into deltas: inout [UInt8], at start: Int
  ) throws(Damage) {
    let headers = try take((groups + 3) / 4).lowerBound
    for group in 0..<groups {
      let header = bytes[headers + group / 4] >> (2 * UInt8(group % 4)) & 3
      let bits = table[Int(header)]
      let target = start + group * Self.group
      // The bits of sixteen deltas are twice as many bytes.
      let source = try take(2 * bits).lowerBound
      switch bits {
      case 0: for index in 0..<Self.group { deltas[target + index] = 0 }
      case 8: for index in 0..<Self.group { deltas[target + index] = bytes[source + index] }
      default:
        let sentinel: UInt8 = 1 << UInt8(bits) - 1
        let perByte = 8 / bits
        for index in 0..<Self.group {
          let place = index % perByte
          // Single bits begin with the lowest, others with the highest.
          let shift = bits * (bits == 1 ? place : perByte - 1 - place)
          let delta = bytes[source + index / perByte] >> UInt8(shift) & sentinel
          deltas[target + index] = delta == sentinel ? bytes[try take(1).lowerBound] : delta
        }
      }
    }
  }

  // MARK: Deltas

  private func addBytes(
    _ count: Int, of deltas: [UInt8], width: Int, to result: inout [UInt8], at start: Int
  ) {
    for byte in 0..<4 {
      var value = previous[start % stride + byte]
      for index in 0..<count {
        let delta = deltas[byte * width + index]
        value &+= delta >> 1 ^ (0 &- delta & 1)
        result[start + byte + index * stride] = value
      }
    }
  }

  private func addWords(
    _ count: Int, of deltas: [UInt8], width: Int, to result: inout [UInt8], at start: Int
  ) {
    for byte in [0, 2] {
      let before = start % stride + byte
      var value = UInt16(previous[before]) | UInt16(previous[before + 1]) << 8
      for index in 0..<count {
        let low = byte * width + index
        let delta = UInt16(deltas[low]) | UInt16(deltas[low + width]) << 8
        value &+= delta >> 1 ^ (0 &- delta & 1)
        let target = start + byte + index * stride
        result[target] = UInt8(truncatingIfNeeded: value)
        result[target + 1] = UInt8(truncatingIfNeeded: value >> 8)
      }
    }
  }

  private func addExclusively(
    _ count: Int, of deltas: [UInt8], width: Int, rotation: UInt32, to result: inout [UInt8],
    at start: Int
  ) {
    func word(_ bytes: [UInt8], _ first: Int, step: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(bytes[first + $1 * step]) << (8 * UInt32($1)) }
    }
    var value = word(previous, start % stride, step: 1)
    for index in 0..<count {
      let delta = word(deltas, index, step: width)
      // The encoder turned it to the left.
      value ^= delta >> rotation | delta << ((32 - rotation) & 31)
      for byte in 0..<4 {
        result[start + byte + index * stride] = UInt8(
          truncatingIfNeeded: value >> (8 * UInt32(byte)))
      }
    }
  }
}
