#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Conversion between sRGB codes and linear light by tables (IEC 61966-2-1).
///
/// Every code survives the way to linear light and back.
struct SRGBTable: Sendable {
  /// The linear value, 0 to 1, of each code.
  let linear: [Float]
  /// The code of each of 65,536 linear values.
  private let codes: [UInt8]

  static let shared = SRGBTable()

  private init() {
    linear = (0..<256).map { code in
      let encoded = Double(code) / 255
      return Float(encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4))
    }
    codes = (0..<65536).map { step in
      let linear = Double(step) / 65535
      let encoded = linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055
      return UInt8((encoded * 255).rounded())
    }
  }

  /// The code of a linear value; those outside of 0 to 1 are clamped.
  func code(_ linear: Float) -> UInt8 {
    let step = linear * 65535 + 0.5
    return codes[step >= 65535 ? 65535 : step > 0 ? Int(step) : 0]
  }

  /// The linear light of three codes.
  func linear(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> SIMD3<Float> {
    SIMD3(linear[Int(red)], linear[Int(green)], linear[Int(blue)])
  }
}
