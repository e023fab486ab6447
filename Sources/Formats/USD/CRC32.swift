/// The checksum of ZIP archives (ISO 3309), eight bytes at a time.
struct CRC32 {
  private var rest: UInt32 = .max

  /// The remainder of a byte that is followed by as many zero bytes as the table's number.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
      tables[byte] = value
    }
    for place in 256..<8 * 256 {
      let value = tables[place - 256]
      tables[place] = value >> 8 ^ tables[Int(value & 255)]
    }
    return tables
  }()

  /// The checksum of all bytes so far.
  var value: UInt32 { ~rest }

  @unsafe
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    let tables = Self.tables
    var rest = rest
    var place = 0
    while place + 8 <= bytes.count {
      let word = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) ^ UInt64(rest)
      rest = 0
      for byte in 0..<8 {
        rest ^= tables[(7 - byte) << 8 | Int(word >> (8 * UInt64(byte)) & 255)]
      }
      place += 8
    }
    while place < bytes.count {
      rest = unsafe rest >> 8 ^ tables[Int((rest ^ UInt32(bytes[place])) & 255)]
      place += 1
    }
    self.rest = rest
  }
}
