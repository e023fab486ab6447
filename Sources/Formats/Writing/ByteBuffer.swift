import MeshPipeline

/// A growing buffer of bytes for assembling a part of a file.
///
/// Clearing keeps the memory, so that one buffer serves many parts.
@safe
struct ByteBuffer: ~Copyable {
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 1 << 12) {
    self.capacity = max(capacity, 64)
    unsafe start = UnsafeMutableRawPointer.allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { unsafe start.deallocate() }

  mutating func removeAll() { count = 0 }

  mutating func append(byte: UInt8) {
    reserve(1)
    unsafe start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Replaces the byte that was appended last.
  mutating func replaceLast(with byte: UInt8) {
    precondition(count > 0)
    unsafe start.storeBytes(of: byte, toByteOffset: count - 1, as: UInt8.self)
  }

  /// Appends a value as in memory: little-endian on every supported machine.
  mutating func append<Value: BitwiseCopyable>(_ value: Value) {
    reserve(MemoryLayout<Value>.size)
    unsafe start.storeBytes(of: value, toByteOffset: count, as: Value.self)
    count += MemoryLayout<Value>.size
  }

  /// Appends a text known at compile time.
  mutating func append(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    reserve(length)
    unsafe (start + count).copyMemory(from: text.utf8Start, byteCount: length)
    count += length
  }

  mutating func append(_ bytes: [UInt8]) {
    reserve(bytes.count)
    unsafe bytes.withUnsafeBytes { source in
      guard let first = source.baseAddress else { return }
      unsafe (start + count).copyMemory(from: first, byteCount: source.count)
    }
    count += bytes.count
  }

  /// Appends the last `digitCount` decimal digits of a number, with leading zeros.
  mutating func append(digits number: UInt32, count digitCount: Int) {
    reserve(digitCount)
    var rest = number
    var offset = count + digitCount
    while offset > count {
      offset -= 1
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      unsafe start.storeBytes(of: 0x30 + UInt8(digit), toByteOffset: offset, as: UInt8.self)
      rest = quotient
    }
    count += digitCount
  }

  /// A copy of the bytes.
  var bytes: [UInt8] { unsafe withBytes { unsafe [UInt8]($0) } }

  /// Calls `body` with the bytes, which must not escape it.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
  }

  private mutating func reserve(_ length: Int) {
    if capacity - count < length { grow(by: length) }
  }

  @inline(never)
  private mutating func grow(by length: Int) {
    let larger = max(2 * capacity, count + length)
    let target = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    unsafe target.copyMemory(from: start, byteCount: count)
    unsafe start.deallocate()
    unsafe start = target
    capacity = larger
  }
}

extension ByteBuffer {
  /// Appends a whole number in decimal.
  mutating func append(decimal number: some BinaryInteger) {
    let magnitude = number.magnitude
    if number < 0 { append(byte: UInt8(ascii: "-")) }
    guard let small = UInt32(exactly: magnitude) else { return append(Array("\(magnitude)".utf8)) }
    append(digits: small, count: decimalDigitCount(small))
  }

  /// Appends the shortest decimal that reads back as the same number: `0.1`, `-12`, `1.5e-7`.
  ///
  /// Non-finite values become 0, since most text readers don't support them.
  mutating func append(decimal number: Float, powers: DecimalPowers) {
    guard number.isFinite, number != 0 else {
      return number.sign == .minus && number == 0 ? append("-0") : append("0")
    }
    if number < 0 { append(byte: UInt8(ascii: "-")) }
    append(ShortestDecimal(number.magnitude, powers: powers))
  }

  /// Appends three numbers, each with a space before it.
  mutating func append(spaced vector: Vector3, powers: DecimalPowers) {
    append(byte: UInt8(ascii: " "))
    append(decimal: vector.x, powers: powers)
    append(byte: UInt8(ascii: " "))
    append(decimal: vector.y, powers: powers)
    append(byte: UInt8(ascii: " "))
    append(decimal: vector.z, powers: powers)
  }

  private mutating func append(_ decimal: ShortestDecimal) {
    var digits = decimal.digits
    var exponent = decimal.exponent
    while digits.isMultiple(of: 10) {
      digits /= 10
      exponent += 1
    }
    let count = decimalDigitCount(digits)
    // The position of the decimal point, counted from the first digit.
    let point = count + exponent
    switch point {
    case count...9:
      append(digits: digits, count: count)
      append(digits: 0, count: exponent)
    case 1..<max(count, 2):
      appendWithPoint(digits, count: count, before: point)
    case -4...0:
      append("0.")
      append(digits: 0, count: -point)
      append(digits: digits, count: count)
    default:
      appendWithPoint(digits, count: count, before: 1)
      append(byte: UInt8(ascii: "e"))
      append(decimal: point - 1)
    }
  }

  private mutating func appendWithPoint(_ digits: UInt32, count: Int, before: Int) {
    guard count > before else { return append(digits: digits, count: count) }
    let (whole, rest) = digits.quotientAndRemainder(dividingBy: powersOfTen[count - before])
    append(digits: whole, count: before)
    append(byte: UInt8(ascii: "."))
    append(digits: rest, count: count - before)
  }
}

private let powersOfTen: [UInt32] = [
  1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
]

/// The number of digits of a number; one for zero.
private func decimalDigitCount(_ number: UInt32) -> Int {
  var count = 1
  var limit: UInt64 = 10
  while UInt64(number) >= limit {
    count += 1
    limit *= 10
  }
  return count
}
