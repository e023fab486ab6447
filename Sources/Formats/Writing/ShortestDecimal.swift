/// The shortest decimal that reads back as the same `Float`, and the closest of those.
///
/// Raffaello Giulietti, "The Schubfach way to render doubles" (2020), for single precision: two
/// multiplications by a power of ten from a table give the decimals around the number and the
/// bounds of its rounding interval, accurately enough to choose among them.
struct ShortestDecimal {
  /// At most nine digits.
  var digits: UInt32
  /// The number is `digits · 10^exponent`.
  var exponent: Int

  /// - Parameter number: Positive and finite.
  init(_ number: Float, powers: borrowing DecimalPowers) {
    let significand = number.significandBitPattern
    let biased = Int(number.exponentBitPattern)
    let isNormal = biased != 0
    let c = isNormal ? significand | 1 << 23 : significand
    let q = (isNormal ? biased : 1) - 150
    if isNormal, -24 < q, q <= 0, c.trailingZeroBitCount >= -q {
      self.init(digits: c >> UInt32(-q), exponent: 0)
      return
    }
    // Below a power of two the floats are twice as dense, so the lower bound is nearer.
    let isLowerNearer = significand == 0 && biased > 1
    let k = (q * 1_262_611 - (isLowerNearer ? 524_031 : 0)) >> 22
    let shift = UInt32(truncatingIfNeeded: q + ((-k * 1_741_647) >> 19) + 1)
    let power = powers[-k]
    let center = 4 &* c
    let value = Self.product(power, center << shift)
    let isOdd = c & 1
    let lower = Self.product(power, (center &- (isLowerNearer ? 1 : 2)) << shift) &+ isOdd
    let upper = Self.product(power, (center &+ 2) << shift) &- isOdd

    let s = value >> 2
    if s >= 10 {
      let shorter = s / 10
      let isBelowInside = lower <= 40 &* shorter
      let isAboveInside = 40 &* shorter &+ 40 <= upper
      if isBelowInside != isAboveInside {
        self.init(digits: shorter &+ (isAboveInside ? 1 : 0), exponent: k + 1)
        return
      }
    }
    let isBelowInside = lower <= 4 &* s
    let isAboveInside = 4 &* s &+ 4 <= upper
    if isBelowInside != isAboveInside {
      self.init(digits: s &+ (isAboveInside ? 1 : 0), exponent: k)
      return
    }
    let middle = 4 &* s &+ 2
    let roundsUp = value > middle || (value == middle && s & 1 != 0)
    self.init(digits: s &+ (roundsUp ? 1 : 0), exponent: k)
  }

  private init(digits: UInt32, exponent: Int) {
    self.digits = digits
    self.exponent = exponent
  }

  /// The upper third of the 96-bit product, with the lowest bit set if anything below it is not
  /// zero.
  private static func product(_ power: UInt64, _ factor: UInt32) -> UInt32 {
    let low = (power & 0xffff_ffff) &* UInt64(factor)
    let high = (power >> 32) &* UInt64(factor) &+ (low >> 32)
    let sticky: UInt32 = UInt32(truncatingIfNeeded: high) > 1 ? 1 : 0
    return UInt32(truncatingIfNeeded: high >> 32) | sticky
  }
}

/// The powers of ten from -31 to 45, each as its 64 leading bits, rounded up.
struct DecimalPowers: Sendable {
  static let shared = DecimalPowers()
  private let table: [UInt64]

  subscript(exponent: Int) -> UInt64 { table[exponent + 31] }

  private init() {
    table = (-31...45).map { exponent in
      // The two in the ten only shifts; the leading bits are those of the power of five.
      let five = (0..<abs(exponent)).reduce(UInt128(1)) { power, _ in power * 5 }
      let width = 128 - five.leadingZeroBitCount
      if exponent < 0 {
        // 2^(width + 63) divided by the power of five has 64 bits before the point, and some after
        // it.
        let half = UInt128(1) << UInt128(width - 1)
        let (quotient, _) = five.dividingFullWidth((half >> 64, half << 64))
        return UInt64(quotient) + 1
      }
      if width <= 64 { return UInt64(five) << UInt64(64 - width) }
      let isExact = five.trailingZeroBitCount >= width - 64
      return UInt64(five >> UInt128(width - 64)) + (isExact ? 0 : 1)
    }
  }
}
