/// Decodes a block of finite state entropy codes: literals, then triples of a literal count, a
/// match length and a match distance.
enum LZFSEBlock {
  static func decode(
    _ header: LZFSEHeader, _ bytes: [UInt8], at start: Int, into output: inout LZOutput
  ) throws(LZFSE.Fault) {
    let end = output.bytes.count + header.decodedSize
    let literals = try literals(header, bytes, at: start)
    let lengths = try FSETable(
      frequencies: header.frequencies[0], states: 64, extraBits: extraBits.literals)
    let matches = try FSETable(
      frequencies: header.frequencies[1], states: 64, extraBits: extraBits.matches)
    let distances = try FSETable(
      frequencies: header.frequencies[2], states: 256, extraBits: extraBits.distances)
    var states = header.states
    var bits = BackwardBits(
      bytes, start + header.literalPayload..<start + header.payloadSize, unused: header.matchBits)
    var used = 0
    var distance = 0
    for _ in 0..<header.matchCount {
      let count = try lengths.value(&states[0], &bits)
      let length = try matches.value(&states[1], &bits)
      let newDistance = try distances.value(&states[2], &bits)
      // 0 means the previous distance.
      if newDistance != 0 { distance = newDistance }
      guard count <= literals.count - used else { throw .damaged }
      try output.appendLiterals(of: literals, from: used, count: count)
      used += count
      try output.appendMatch(distance: distance, count: length)
    }
    guard output.bytes.count == end else { throw .damaged }
  }

  /// Four interleaved decoders produce the literals in turn.
  private static func literals(
    _ header: LZFSEHeader, _ bytes: [UInt8], at start: Int
  ) throws(LZFSE.Fault) -> [UInt8] {
    let table = try FSETable(
      frequencies: header.frequencies[3], states: 1024,
      extraBits: [Int](repeating: 0, count: 256))
    var bits = BackwardBits(
      bytes, start..<start + header.literalPayload, unused: header.literalBits)
    var states = header.literalStates
    var literals: [UInt8] = []
    literals.reserveCapacity(header.literalCount + 3)
    for index in 0..<header.literalCount {
      // Without extra bits a literal is its symbol, and base values equal the symbols.
      literals.append(UInt8(truncatingIfNeeded: try table.value(&states[index & 3], &bits)))
    }
    return literals
  }

  /// The number of extra bits that follow each symbol and are added to its base value.
  private static let extraBits = (
    literals: [Int](repeating: 0, count: 16) + [2, 3, 5, 8],
    matches: [Int](repeating: 0, count: 16) + [3, 5, 8, 11],
    distances: (0..<64).map { $0 / 4 }
  )
}

/// The decoder of a finite state entropy code.
private struct FSETable {
  private struct Entry {
    /// The total number of bits to read; the lowest `extraBits` belong to the value, the others to
    /// the next state.
    var bits: Int
    var extraBits: Int
    var base: Int
    var next: Int
  }

  private var entries: [Entry] = []

  init(frequencies: [Int], states: Int, extraBits: [Int]) throws(LZFSE.Fault) {
    guard frequencies.reduce(0, +) <= states else { throw .damaged }
    let stateZeros = states.leadingZeroBitCount
    var base = 0
    for (frequency, extra) in zip(frequencies, extraBits) {
      if frequency > 0 {
        // N ≤ frequency · 2ᵏ < 2N: the first states read k bits, the others one less.
        let k = frequency.leadingZeroBitCount - stateZeros
        let first = (2 * states) >> k - frequency
        for index in 0..<frequency {
          let isFirst = index < first
          entries.append(
            Entry(
              bits: (isFirst ? k : k - 1) + extra, extraBits: extra, base: base,
              next: isFirst
                ? (frequency + index) << k - states : (index - first) << (k - 1)))
        }
      }
      base += 1 << extra
    }
  }

  /// The value of a state, which is then advanced.
  func value(_ state: inout Int, _ bits: inout BackwardBits) throws(LZFSE.Fault) -> Int {
    guard entries.indices.contains(state) else { throw .damaged }
    let entry = entries[state]
    let read = try bits.read(entry.bits)
    state = entry.next + read >> entry.extraBits
    return entry.base + read & (1 << entry.extraBits - 1)
  }
}

/// A bit reader from the end of a range of bytes, starting with the highest bit of the last byte.
private struct BackwardBits {
  private let bytes: [UInt8]
  private let start: Int
  /// The number of remaining bits.
  private var count: Int

  /// - Parameter unused: Minus the number of unused bits at the end.
  init(_ bytes: [UInt8], _ range: Range<Int>, unused: Int) {
    self.bytes = bytes
    start = range.lowerBound
    count = 8 * range.count + unused
  }

  /// Reads up to 32 bits.
  mutating func read(_ width: Int) throws(LZFSE.Fault) -> Int {
    guard width <= count else { throw .damaged }
    count -= width
    var value = 0
    var byte = start + count / 8
    var filled = -(count % 8)
    while filled < width {
      let part = Int(bytes[byte])
      value |= filled < 0 ? part >> -filled : part << filled
      filled += 8
      byte += 1
    }
    return value & (1 << width - 1)
  }
}
