/// Decimal numbers in text, rounded to the nearest float.
enum Decimal {
  /// Reads the number at `index` and moves `index` after it.
  ///
  /// The digits are collected in an integer and scaled in double precision. The error is at most a
  /// few units in the last place of a double, so the float is correct unless the double is that
  /// close to the midpoint of two floats; then the standard library decides. After Clinger, *How to
  /// read floating point numbers accurately* (1990).
  ///
  /// - Returns: Nil if there is no number, or if it is not followed by whitespace. `nan` and `inf`
  ///   in their usual spellings are numbers.
  @inline(__always)
  static func float(_ bytes: Span<UInt8>, _ index: inout Int, end: Int) -> Float? {
    if index + plainReach <= end, let value = plain(bytes, &index) { return value }
    return unusual(bytes, &index, end: end)
  }

  /// Reads the number at `index` in double precision and moves `index` after it, as
  /// ``float(_:_:end:)`` does.
  static func double(_ bytes: Span<UInt8>, _ index: inout Int, end: Int) -> Double? {
    var wordEnd = index
    while wordEnd < end, bytes[wordEnd] > 0x20 { wordEnd += 1 }
    let isNegative = index < wordEnd && bytes[index] == 0x2D
    var position = index + (isNegative ? 1 : 0)
    let (mantissa, exponent, count) = digits(bytes, &position, end: wordEnd)
    if position == wordEnd, count > 0, count <= 19, mantissa <= 1 << 53, exponent >= -22 {
      // Both numbers are exact, and so the quotient is the nearest double.
      let value = Double(mantissa) / powersOfTen[-exponent]
      index = wordEnd
      return isNegative ? -value : value
    }
    guard wordEnd > index else { return nil }
    guard let value = Double(text(bytes, index..<wordEnd)) else {
      return float(bytes, &index, end: end).map(Double.init)
    }
    index = wordEnd
    return value
  }

  /// The number of bytes that ``plain(_:_:)`` may access.
  static let plainReach = 20

  /// Reads a typical number: an optional sign, an optional decimal point, and up to eight digits,
  /// or more with a point among the first eight, followed within 15 bytes by a space or the line's
  /// end.
  ///
  /// The start of the next number follows from the first byte that is not above a space, so a
  /// processor continues there while it still evaluates this one. The first eight digits form one
  /// word, in which the bytes after the point are shifted by one, so that no branch depends on the
  /// position of the point.
  ///
  /// - Returns: Nil, with `index` unchanged, for anything else.
  @inline(__always)
  static func plain(_ bytes: Span<UInt8>, _ index: inout Int) -> Float? {
    guard let next = Digits.firstBlank(bytes, from: index) else { return nil }
    let isNegative = bytes[index] == 0x2D
    let start = index &+ (isNegative ? 1 : 0)
    let word: UInt64 = bytes.word(at: start)
    // The highest bit is set for bytes that are a point; bits above the lowest one may be wrong.
    let others = word ^ 0x2E2E_2E2E_2E2E_2E2E
    let points = (others &- 0x0101_0101_0101_0101) & ~others & 0x8080_8080_8080_8080
    let point = points.trailingZeroBitCount >> 3
    let before = ((points & (0 &- points)) >> 7) &- 1
    var (mantissa, count) = Digits.leading(word & before | bytes.word(at: start &+ 1) & ~before)
    let hasPoint = points != 0 && point <= count
    let end = start &+ count &+ (hasPoint ? 1 : 0)
    if bytes[end] > 0x20 {
      let (more, moreCount) = Digits.leading(bytes.word(at: end))
      guard count == 8, hasPoint, bytes[end &+ moreCount] <= 0x20 else { return nil }
      mantissa = mantissa &* Digits.powersOfTen[moreCount] &+ more
      count &+= moreCount
    }
    guard count > 0 else { return nil }
    let value = Double(Int64(bitPattern: mantissa)) * tenths[hasPoint ? count &- point : 0]
    guard isCertain(value) else { return nil }
    index = next
    // Signs are effectively random; a branch would be mispredicted half of the time.
    return Float(bitPattern: Float(value).bitPattern | (isNegative ? 0x8000_0000 : 0))
  }

  /// Whether a product of a whole number and a power of ten certainly rounds to the correct float.
  ///
  /// The tail is the 29 bits that a float has no room for; half of their range is the midpoint
  /// between two floats.
  @inline(__always)
  private static func isCertain(_ value: Double) -> Bool {
    (value.bitPattern & 0x1FFF_FFFF) &- (0x1000_0000 - 4) > 8
  }

  /// Reads digits with an optional decimal point.
  ///
  /// - Returns: All digits as one number, its power of ten, and their number.
  @inline(__always)
  private static func digits(
    _ bytes: Span<UInt8>, _ position: inout Int, end: Int
  ) -> (mantissa: UInt64, exponent: Int, count: Int) {
    var mantissa: UInt64 = 0
    let start = position
    Digits.read(bytes, &position, end: end, into: &mantissa)
    guard position < end, bytes[position] == 0x2E else { return (mantissa, 0, position - start) }
    position += 1
    let fraction = position
    Digits.read(bytes, &position, end: end, into: &mantissa)
    return (mantissa, fraction - position, position - start - 1)
  }

  /// `mantissa * 10^exponent`, if its rounding to a float is certain.
  @inline(__always)
  private static func scaled(_ mantissa: UInt64, _ exponent: Int) -> Float? {
    guard abs(exponent) < powersOfTen.count, let whole = Int64(exactly: mantissa) else {
      return nil
    }
    let power = exponent < 0 ? tenths[-exponent] : powersOfTen[exponent]
    let value = Double(whole) * power
    let isCertain = isCertain(value) && value >= 0x1p-126 && value < 0x1p127
    return isCertain || mantissa == 0 ? Float(value) : nil
  }

  /// Reads numbers with exponents or many digits, those at the end, and invalid ones.
  @inline(never)
  private static func unusual(_ bytes: Span<UInt8>, _ index: inout Int, end: Int) -> Float? {
    var position = index
    // A backslash joins lines in OBJ and is not part of a number.
    while position < end, bytes[position] > 0x20, bytes[position] != 0x5C { position += 1 }
    guard let value = number(bytes, index..<position) else { return nil }
    index = position
    return value
  }

  /// The value of a whole word.
  private static func number(_ bytes: Span<UInt8>, _ word: Range<Int>) -> Float? {
    var position = word.lowerBound
    var isNegative = false
    if position < word.upperBound, bytes[position] == 0x2D || bytes[position] == 0x2B {
      isNegative = bytes[position] == 0x2D
      position += 1
    }
    guard position < word.upperBound else { return nil }
    let first = bytes[position]
    guard first &- 0x30 <= 9 || first == 0x2E else {
      return nonFinite(text(bytes, position..<word.upperBound), isNegative)
    }
    let start = position
    let (mantissa, point, digitCount) = digits(bytes, &position, end: word.upperBound)
    var exponent = point
    guard digitCount > 0 else { return nil }
    if position < word.upperBound, bytes[position] == 0x45 || bytes[position] == 0x65 {
      position += 1
      guard let written = exponentValue(bytes, position..<word.upperBound) else {
        return nil
      }
      exponent += written
    } else if position < word.upperBound {
      return bytes[position] == 0x23
        ? nonFinite(text(bytes, start..<word.upperBound), isNegative) : nil
    }
    if digitCount <= 19, let value = scaled(mantissa, exponent) {
      return isNegative ? -value : value
    }
    return Float(text(bytes, word))
  }

  private static func exponentValue(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var position = range.lowerBound
    guard position < range.upperBound else { return nil }
    let sign = bytes[position] == 0x2D ? -1 : 1
    if bytes[position] == 0x2D || bytes[position] == 0x2B { position += 1 }
    guard position < range.upperBound else { return nil }
    var value = 0
    while position < range.upperBound {
      let digit = bytes[position] &- 0x30
      guard digit <= 9 else { return nil }
      value = min(value * 10 + Int(digit), 1 << 20)
      position += 1
    }
    return sign * value
  }

  /// The spellings of C libraries, including old Microsoft ones (`1.#QNAN`, `1.#INF`).
  private static func nonFinite(_ word: String, _ isNegative: Bool) -> Float? {
    switch word.lowercased() {
    case "nan", "nan(ind)", "nan(snan)", "1.#qnan", "1.#snan", "1.#ind", "1.#nan": .nan
    case "inf", "infinity", "1.#inf": isNegative ? -.infinity : .infinity
    default: nil
    }
  }

  /// Powers of ten as doubles: exact up to 22, nearest beyond.
  ///
  /// Not an inline array, which would be copied to the stack for each number.
  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17,
    1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33,
    1e34, 1e35, 1e36, 1e37, 1e38, 1e39, 1e40, 1e41, 1e42, 1e43, 1e44,
  ]

  /// Their reciprocals, rounded to nearest: a multiplication takes a fifth of a division's time.
  private static let tenths: [Double] = [
    1e-0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14,
    1e-15, 1e-16, 1e-17, 1e-18, 1e-19, 1e-20, 1e-21, 1e-22, 1e-23, 1e-24, 1e-25, 1e-26, 1e-27,
    1e-28, 1e-29, 1e-30, 1e-31, 1e-32, 1e-33, 1e-34, 1e-35, 1e-36, 1e-37, 1e-38, 1e-39, 1e-40,
    1e-41, 1e-42, 1e-43, 1e-44,
  ]
}
