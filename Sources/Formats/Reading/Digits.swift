import MeshPipeline

/// Runs of decimal digits in text, eight at a time.
///
/// A loop over single digits mispredicts at the end of each number, which costs more than the
/// digits. Lemire, *Parsing series of integers with SIMD* (2018), and the well-known method of
/// adding up eight digits in a word with three multiplications.
enum Digits {
  /// Appends the digits at `position` to `value` and moves `position` after them.
  ///
  /// More than 19 digits wrap around; the caller counts them.
  @inline(__always)
  static func read(
    _ bytes: Span<UInt8>, _ position: inout Int, end: Int, into value: inout UInt64
  ) {
    while position + 8 <= end {
      let (number, count) = leading(bytes.word(at: position))
      guard count > 0 else { return }
      value = value &* powersOfTen[count] &+ number
      position += count
      if count < 8 { return }
    }
    while position < end {
      let digit = bytes[position] &- 0x30
      guard digit <= 9 else { return }
      value = value &* 10 &+ UInt64(digit)
      position += 1
    }
  }

  /// The unsigned integer at `position`, which moves after it; nil if there is none, or a larger one.
  static func unsigned(_ bytes: Span<UInt8>, _ position: inout Int, end: Int) -> UInt64? {
    let start = position
    var value: UInt64 = 0
    while position < end {
      let digit = bytes[position] &- 0x30
      guard digit <= 9 else { break }
      let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isOver) = product.addingReportingOverflow(UInt64(digit))
      if isTooLarge || isOver { return nil }
      value = sum
      position += 1
    }
    return position > start ? value : nil
  }

  /// The number at the start of eight bytes of text, and its number of digits.
  ///
  /// - Parameter text: The first byte is the lowest. Without a digit there the result is
  ///   meaningless.
  @inline(__always)
  static func leading(_ text: UInt64) -> (number: UInt64, count: Int) {
    let digits = text ^ 0x3030_3030_3030_3030
    let others =
      ((digits & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7676_7676_7676_7676 | digits)
      & 0x8080_8080_8080_8080
    let count = others.trailingZeroBitCount >> 3
    return (number(digits &<< UInt64(truncatingIfNeeded: 64 &- 8 &* count)), count)
  }

  /// The index of the first of 16 bytes that is a space, a control character or a line break.
  @inline(__always)
  static func firstBlank(_ bytes: Span<UInt8>, from position: Int) -> Int? {
    var found = spaces(bytes.word(at: position))
    if found != 0 { return position &+ found.trailingZeroBitCount >> 3 }
    found = spaces(bytes.word(at: position &+ 8))
    return found == 0 ? nil : position &+ 8 &+ found.trailingZeroBitCount >> 3
  }

  /// The highest bits of the bytes that are not above a space; only the lowest one is reliable.
  @inline(__always)
  private static func spaces(_ text: UInt64) -> UInt64 {
    (text &- 0x2121_2121_2121_2121) & ~text & 0x8080_8080_8080_8080
  }

  /// The number represented by eight digits, the most significant in the lowest byte.
  @inline(__always)
  private static func number(_ digits: UInt64) -> UInt64 {
    let pairs = (digits &* 10 &+ digits >> 8) & 0x00FF_00FF_00FF_00FF
    let low = (pairs & 0x0000_00FF_0000_00FF) &* (100 + 1_000_000 << 32)
    let high = (pairs >> 16 & 0x0000_00FF_0000_00FF) &* (1 + 10_000 << 32)
    return (low &+ high) >> 32
  }

  /// Not an inline array, which would be copied to the stack for each number.
  static let powersOfTen: [UInt64] = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000,
  ]
}
