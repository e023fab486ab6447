/// The header of a block of finite state entropy codes.
struct LZFSEHeader {
  var size: Int
  var decodedSize: Int
  var literalCount: Int
  var matchCount: Int
  var literalPayload: Int
  var matchPayload: Int
  /// The number of unused bits in the payloads' last bytes, from −7 to 0.
  var literalBits: Int
  var matchBits: Int
  var literalStates: [Int]
  /// Of the literal lengths, the match lengths and the distances.
  var states: [Int]
  /// The frequency of each symbol: literal lengths, match lengths, distances, literals.
  var frequencies: [[Int]]

  var payloadSize: Int { literalPayload + matchPayload }

  private static let symbolCounts = [20, 20, 64, 256]

  init(_ bytes: [UInt8], at start: Int, hasCompressedTables: Bool) throws(LZFSE.Fault) {
    func number(_ offset: Int, _ count: Int) throws(LZFSE.Fault) -> Int {
      try LZFSE.number(bytes, start + offset, count)
    }
    decodedSize = try number(4, 4)
    var values: [Int] = []
    if hasCompressedTables {
      /// A field of the 64 bits at 8, 16 or 24.
      func field(_ word: Int, _ bit: Int, _ width: Int) throws(LZFSE.Fault) -> Int {
        let part = try number(8 + 8 * word + bit / 8, min(7, 8 - bit / 8))
        return part >> (bit % 8) & (1 << width - 1)
      }
      literalCount = try field(0, 0, 20)
      literalPayload = try field(0, 20, 20)
      matchCount = try field(0, 40, 20)
      literalBits = try field(0, 60, 3) - 7
      literalStates = []
      for index in 0..<4 { literalStates.append(try field(1, 10 * index, 10)) }
      matchPayload = try field(1, 40, 20)
      matchBits = try field(1, 60, 3) - 7
      size = try field(2, 0, 32)
      states = [try field(2, 32, 10), try field(2, 42, 10), try field(2, 52, 10)]
      guard size >= 32, size <= bytes.count - start else { throw .cutOff }
      values = try Self.frequencies(bytes[start + 32..<start + size])
    } else {
      size = 772
      literalCount = try number(12, 4)
      matchCount = try number(16, 4)
      literalPayload = try number(20, 4)
      matchPayload = try number(24, 4)
      literalBits = Int(Int32(truncatingIfNeeded: try number(28, 4)))
      literalStates = []
      for index in 0..<4 { literalStates.append(try number(32 + 2 * index, 2)) }
      matchBits = Int(Int32(truncatingIfNeeded: try number(40, 4)))
      states = [try number(44, 2), try number(46, 2), try number(48, 2)]
      for index in 0..<360 { values.append(try number(50 + 2 * index, 2)) }
      guard size <= bytes.count - start else { throw .cutOff }
    }
    frequencies = []
    var place = 0
    for count in Self.symbolCounts {
      frequencies.append(Array(values[place..<place + count]))
      place += count
    }
    guard literalCount <= 40_000, matchCount <= 10_000, (-7...0).contains(literalBits),
      (-7...0).contains(matchBits)
    else { throw .damaged }
  }

  /// Decodes the table of 360 frequencies, with codes of 2 to 14 bits, lowest bit first.
  private static func frequencies(_ bytes: ArraySlice<UInt8>) throws(LZFSE.Fault) -> [Int] {
    // A header without tables means that all are 0.
    if bytes.isEmpty { return [Int](repeating: 0, count: 360) }
    // The length of a code by its lowest 5 bits, and its value if it is that short.
    let short: [(length: Int, value: Int)] = (0..<32).map { bits in
      switch bits & 3 {
      case 0: (2, 0)
      case 2: (2, 1)
      case 1: bits & 4 == 0 ? (3, 2) : (3, 3)
      default: bits & 4 == 0 ? (5, 4 + bits >> 3) : (bits & 8 == 0 ? 8 : 14, 0)
      }
    }
    var bits = 0
    var bitCount = 0
    var next = bytes.startIndex
    var values: [Int] = []
    for _ in 0..<360 {
      while next < bytes.endIndex, bitCount + 8 <= 32 {
        bits |= Int(bytes[next]) << bitCount
        bitCount += 8
        next += 1
      }
      let code = short[bits & 31]
      switch code.length {
      case 8: values.append(8 + bits >> 4 & 15)
      case 14: values.append(24 + bits >> 4 & 0x3FF)
      default: values.append(code.value)
      }
      guard code.length <= bitCount else { throw .damaged }
      bits >>= code.length
      bitCount -= code.length
    }
    guard bitCount < 8, next == bytes.endIndex else { throw .damaged }
    return values
  }
}
