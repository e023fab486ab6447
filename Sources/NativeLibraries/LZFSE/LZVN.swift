/// The older method, which LZFSE's encoder uses for short data.
enum LZVN {
  /// Decodes the part of `bytes` in a block, up to its end mark.
  static func decode(
    _ bytes: [UInt8], _ range: Range<Int>, size: Int, into output: inout LZOutput
  ) throws(LZFSE.Fault) {
    let end = output.bytes.count + size
    var offset = range.lowerBound
    var distance = 0
    while let step = try Step(bytes, offset, range.upperBound, previousDistance: distance) {
      offset += step.size
      guard range.upperBound - offset >= step.literals else { throw .cutOff }
      try output.appendLiterals(of: bytes, from: offset, count: step.literals)
      offset += step.literals
      distance = step.distance
      try output.appendMatch(distance: distance, count: step.match)
    }
    guard output.bytes.count == end else { throw .damaged }
  }

  /// One operation: the number of literals, and the length and distance of the match.
  private struct Step {
    /// The size of the operation's code in bytes.
    var size: Int
    var literals = 0
    var match = 0
    var distance: Int

    /// Reads the operation at `offset`; nil at the end of the block.
    init?(
      _ bytes: [UInt8], _ offset: Int, _ end: Int, previousDistance: Int
    ) throws(LZFSE.Fault) {
      guard offset < end else { throw .cutOff }
      let code = Int(bytes[offset])
      func next(_ count: Int) throws(LZFSE.Fault) -> Int {
        guard end - offset > count else { throw .cutOff }
        return try LZFSE.number(bytes, offset + 1, count)
      }
      distance = previousDistance
      size = 1
      switch code {
      case 0x06: return nil
      case 0x0E, 0x16: break
      case 0xA0..<0xC0:
        let rest = try next(2)
        size = 3
        literals = code >> 3 & 3
        match = (code & 7) << 2 | rest & 3
        match += 3
        distance = rest >> 2
      case 0x70..<0x80, 0xD0..<0xE0, 0x1E, 0x26, 0x2E, 0x36, 0x3E: throw .damaged
      case 0xE0: (size, literals) = (2, try next(1) + 16)
      case 0xE1..<0xF0: literals = code & 15
      case 0xF0: (size, match) = (2, try next(1) + 16)
      case 0xF1...0xFF: match = code & 15
      default:
        literals = code >> 6
        match = (code >> 3 & 7) + 3
        switch code & 7 {
        case 6: break
        case 7: (size, distance) = (3, try next(2))
        default: (size, distance) = (2, (code & 7) << 8 | (try next(1)))
        }
      }
    }
  }
}
