/// What is undone after attributes are decoded, as appendix B of `KHR_meshopt_compression` says it; of streams that
/// meshoptimizer does not know.
extension MeshoptDecoder.Filter {
  /// Undoes the filter in place.
  ///
  /// - Parameter stride: The bytes of an element, one that the filter allows.
  func undo(_ bytes: inout [UInt8], stride: Int) {
    let isWide = stride == 8
    switch self {
    case .none: break
    case .octahedral:
      Self.change(&bytes, isWide: isWide) { Self.direction($0, largest: isWide ? 32_767 : 127) }
    case .quaternion: Self.change(&bytes, isWide: true, Self.rotation)
    case .exponential:
      for start in Swift.stride(from: 0, to: bytes.count, by: 4) { Self.expand(&bytes, at: start) }
    case .color:
      Self.change(&bytes, isWide: isWide) { Self.color($0, largest: isWide ? 65_535 : 255) }
    }
  }

  /// Changes each element of four numbers with a sign, of eight or sixteen bits.
  private static func change(
    _ bytes: inout [UInt8], isWide: Bool, _ body: (SIMD4<Int32>) -> SIMD4<Int32>
  ) {
    let width = isWide ? 2 : 1
    for start in Swift.stride(from: 0, to: bytes.count, by: 4 * width) {
      var element = SIMD4<Int32>()
      for place in 0..<4 {
        let index = start + place * width
        element[place] =
          isWide
          ? Int32(Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8))
          : Int32(Int8(bitPattern: bytes[index]))
      }
      let result = body(element)
      for place in 0..<4 {
        let index = start + place * width
        bytes[index] = UInt8(truncatingIfNeeded: result[place])
        if isWide { bytes[index + 1] = UInt8(truncatingIfNeeded: result[place] >> 8) }
      }
    }
  }

  /// Halves away from zero; a damaged element may be anything.
  private static func rounded(_ value: Float, _ scale: Float) -> Int32 {
    Int32(exactly: (value * scale).rounded()) ?? 0
  }

  /// A direction from a place on an octahedron, whose third number is one.
  private static func direction(_ element: SIMD4<Int32>, largest: Float) -> SIMD4<Int32> {
    let one = Float(element.z)
    var x = Float(element.x) / one
    var y = Float(element.y) / one
    let z = 1 - abs(x) - abs(y)
    let below = min(z, 0)
    x -= Float(signOf: x, magnitudeOf: below)
    y -= Float(signOf: y, magnitudeOf: below)
    let length = (x * x + y * y + z * z).squareRoot()
    return SIMD4(
      rounded(x / length, largest), rounded(y / length, largest), rounded(z / length, largest),
      element.w)
  }

  /// A rotation from three components; the largest is the one whose index is in the last two bits.
  private static func rotation(_ element: SIMD4<Int32>) -> SIMD4<Int32> {
    let scale = Float(0.5).squareRoot() / Float(element.w | 3)
    let (x, y, z) = (
      Float(element.x) * scale, Float(element.y) * scale, Float(element.z) * scale
    )
    let w = max(0, 1 - x * x - y * y - z * z).squareRoot()
    let largest = Int(element.w & 3)
    var result = SIMD4<Int32>()
    for (place, value) in [w, x, y, z].enumerated() {
      result[(largest + place) % 4] = rounded(value, 32_767)
    }
    return result
  }

  /// A float from an exponent of eight bits above a mantissa of twenty-four.
  private static func expand(_ bytes: inout [UInt8], at start: Int) {
    let word = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << (8 * UInt32($1)) }
    let number = Int32(bitPattern: word)
    let mantissa = (number << 8) >> 8
    let value = Float(sign: .plus, exponent: Int(number >> 24), significand: 1) * Float(mantissa)
    for index in 0..<4 {
      bytes[start + index] = UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32(index)))
    }
  }

  /// A colour from luma, the differences of orange and green, and opacity; the highest bit of which says how many bits all
  /// have.
  private static func color(_ element: SIMD4<Int32>, largest: Float) -> SIMD4<Int32> {
    let mask: Int32 = largest > 255 ? 0xFFFF : 0xFF
    let (luma, opacity) = (element.x & mask, element.w & mask)
    let (orange, green) = (element.y, element.z)
    let most = opacity == 0 ? 0 : Int32(1) << (32 - Int32(opacity.leadingZeroBitCount)) - 1
    let alpha = opacity & most >> 1
    let scale = largest / Float(max(most, 1))
    func scaled(_ value: Int32) -> Int32 { rounded(Float(value), scale) }
    return SIMD4(
      scaled(luma + orange - green), scaled(luma + green), scaled(luma - orange - green),
      scaled(alpha << 1 | alpha & 1))
  }
}
