import MeshPipeline

/// A fault at a byte in the body of a PLY file.
struct PLYFault: Error {
  var offset: Int
  var message: String
}

/// Sequential access to the numbers of a PLY body.
protocol PLYSource {
  /// The offset of the next byte.
  var position: Int { get }

  mutating func float(_ bytes: Span<UInt8>, _ type: NumberType) throws(PLYFault) -> Float
  mutating func double(_ bytes: Span<UInt8>, _ type: NumberType) throws(PLYFault) -> Double
  mutating func integer(_ bytes: Span<UInt8>, _ type: NumberType) throws(PLYFault) -> Int
  /// An unsigned integer of 64 bits.
  mutating func word(_ bytes: Span<UInt8>) throws(PLYFault) -> UInt64
  mutating func skip(_ bytes: Span<UInt8>, _ type: NumberType, count: Int) throws(PLYFault)
  /// Skips the end of a record.
  mutating func endRecord(_ bytes: Span<UInt8>) throws(PLYFault)
  /// The maximum number of values that may follow: a longer list is damage.
  func room(for type: NumberType) -> Int
}

extension PLYSource {
  /// A number of a custom attribute; of integers of 64 bits, which a double can't hold, their bits.
  @inline(__always)
  mutating func custom(_ bytes: Span<UInt8>, _ type: NumberType) throws(PLYFault) -> Double {
    type == .uint64 ? Double(bitPattern: try word(bytes)) : try double(bytes, type)
  }
}

/// Binary numbers.
struct PLYBinarySource: PLYSource {
  private(set) var position: Int
  private let end: Int
  private let isBigEndian: Bool

  init(_ range: Range<Int>, isBigEndian: Bool) {
    position = range.lowerBound
    end = range.upperBound
    self.isBigEndian = isBigEndian
  }

  mutating func float(_ bytes: Span<UInt8>, _ type: NumberType) throws(PLYFault) -> Float {
    try take(type, count: 1)
    return Float(bytes.number(at: position - type.size, type, isBigEndian: isBigEndian))
  }

  mutating func double(_ bytes: Span<UInt8>, _ type: NumberType) throws(PLYFault) -> Double {
    try take(type, count: 1)
    return bytes.number(at: position - type.size, type, isBigEndian: isBigEndian)
  }

  mutating func integer(_ bytes: Span<UInt8>, _ type: NumberType) throws(PLYFault) -> Int {
    try take(type, count: 1)
    let value = bytes.number(at: position - type.size, type, isBigEndian: isBigEndian)
    guard let whole = Int(exactly: value) else {
      throw PLYFault(offset: position - type.size, message: "expected a whole number")
    }
    return whole
  }

  mutating func word(_ bytes: Span<UInt8>) throws(PLYFault) -> UInt64 {
    try take(.uint64, count: 1)
    return bytes.word(at: position - 8, isBigEndian)
  }

  mutating func skip(_ bytes: Span<UInt8>, _ type: NumberType, count: Int) throws(PLYFault) {
    try take(type, count: count)
  }

  mutating func endRecord(_ bytes: Span<UInt8>) throws(PLYFault) {}

  func room(for type: NumberType) -> Int { (end - position) / type.size }

  private mutating func take(_ type: NumberType, count: Int) throws(PLYFault) {
    guard count <= room(for: type) else {
      throw PLYFault(offset: end, message: "the file ends too early")
    }
    position += type.size * count
  }
}

/// Numbers in text, one record per line.
struct PLYTextSource: PLYSource {
  private(set) var position: Int
  private let end: Int

  init(_ range: Range<Int>) {
    position = range.lowerBound
    end = range.upperBound
  }

  mutating func float(_ bytes: Span<UInt8>, _ type: NumberType) throws(PLYFault) -> Float {
    skipSpaces(bytes)
    guard let value = Decimal.float(bytes, &position, end: end) else {
      throw unexpected(bytes, "a number")
    }
    return value
  }

  mutating func double(_ bytes: Span<UInt8>, _ type: NumberType) throws(PLYFault) -> Double {
    // A float holds each value of the other types exactly, as far as the declared type does.
    guard [.int32, .uint32, .float64].contains(type) else {
      return Double(try float(bytes, type))
    }
    skipSpaces(bytes)
    guard let value = Decimal.double(bytes, &position, end: end) else {
      throw unexpected(bytes, "a number")
    }
    return value
  }

  mutating func word(_ bytes: Span<UInt8>) throws(PLYFault) -> UInt64 {
    skipSpaces(bytes)
    let start = position
    if let value = Digits.unsigned(bytes, &position, end: end),
      position == end || bytes[position] <= 0x20
    {
      return value
    }
    // As 1.6e15, which some programs write.
    position = start
    guard let number = Decimal.double(bytes, &position, end: end),
      abs(number) <= 0x1p53, let value = UInt64(exactly: number)
    else {
      position = start
      throw unexpected(bytes, "a whole number from 0 to \(UInt64.max)")
    }
    return value
  }

  mutating func integer(_ bytes: Span<UInt8>, _ type: NumberType) throws(PLYFault) -> Int {
    skipSpaces(bytes)
    if position + 9 <= end {
      let (number, count) = Digits.leading(bytes.word(at: position))
      if count > 0, bytes[position + count] <= 0x20 {
        position += count
        return Int(truncatingIfNeeded: number)
      }
    }
    return try unusualInteger(bytes)
  }

  /// Reads a number with a sign or many digits, or reports an invalid one.
  @inline(never)
  private mutating func unusualInteger(_ bytes: Span<UInt8>) throws(PLYFault) -> Int {
    let start = position
    let isNegative = position < end && bytes[position] == 0x2D
    if isNegative { position += 1 }
    var value: UInt64 = 0
    let firstDigit = position
    Digits.read(bytes, &position, end: end, into: &value)
    let isWord = position == end || bytes[position] <= 0x20
    guard isWord, position > firstDigit, position - firstDigit <= 18 else {
      position = start
      throw unexpected(bytes, "a whole number")
    }
    return isNegative ? -Int(value) : Int(value)
  }

  mutating func skip(_ bytes: Span<UInt8>, _ type: NumberType, count: Int) throws(PLYFault) {
    for _ in 0..<count { _ = try float(bytes, type) }
  }

  mutating func endRecord(_ bytes: Span<UInt8>) throws(PLYFault) {
    skipSpaces(bytes)
    guard position == end || bytes[position] == 0x0A || bytes[position] == 0x0D else {
      throw unexpected(bytes, "the end of the line")
    }
    skipBlankLines(bytes)
  }

  /// Moves to the next non-empty line.
  mutating func skipBlankLines(_ bytes: Span<UInt8>) {
    while position < end, bytes[position] <= 0x20 { position += 1 }
  }

  func room(for type: NumberType) -> Int { (end - position) / 2 + 1 }

  @inline(__always)
  private mutating func skipSpaces(_ bytes: Span<UInt8>) {
    while position < end, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
  }

  private func unexpected(_ bytes: Span<UInt8>, _ expectation: String) -> PLYFault {
    var wordEnd = position
    while wordEnd < end, bytes[wordEnd] > 0x20 { wordEnd += 1 }
    let found =
      wordEnd > position
      ? "found \(quoted(bytes, position..<wordEnd))"
      : position == end ? "the file ends" : "the line ends"
    return PLYFault(offset: position, message: "expected \(expectation), but \(found)")
  }
}
