import MeshPipeline

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
