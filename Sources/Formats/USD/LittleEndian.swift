extension [UInt8] {
  /// Appends the bytes of an integer, the lowest first.
  mutating func append(littleEndian number: some FixedWidthInteger) {
    for index in 0..<number.bitWidth / 8 {
      append(UInt8(truncatingIfNeeded: number >> (8 * index)))
    }
  }

  /// The bytes of integers, one after another.
  init<Number: FixedWidthInteger>(littleEndian numbers: [Number]) {
    self = []
    reserveCapacity(numbers.count * Number.bitWidth / 8)
    for number in numbers { append(littleEndian: number) }
  }
}
