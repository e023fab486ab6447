import POSIX

/// Conversion between sRGB codes and linear light with tables (IEC 61966-2-1).
///
/// The round trip preserves every code.
@usableFromInline
package struct SRGBTable: Sendable {
  /// The linear value of each code, 0 to 1.
  @usableFromInline package let linear: [Float]
  /// The nearest code of each of 65,536 linear values, the last of which is 1.
  @usableFromInline package let codes: [UInt8]

  /// The table that all stages share.
  package static let shared = SRGBTable()

  private init() {
    linear = (0..<256).map { Float(Self.linear(ofEncoded: Double($0) / 255)) }
    codes = (0..<65536).map { UInt8((Self.encoded(ofLinear: Double($0) / 65535) * 255).rounded()) }
  }

  /// The linear value of an sRGB-encoded one; both from 0 to 1.
  package static func linear(ofEncoded encoded: Double) -> Double {
    encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4)
  }

  /// The sRGB-encoded value of a linear one; both from 0 to 1.
  package static func encoded(ofLinear linear: Double) -> Double {
    linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055
  }

  /// The code of a linear value, clamped to 0 to 1.
  @inlinable
  package func code(_ linear: Float) -> UInt8 {
    let step = linear * 65535 + 0.5
    return codes[step >= 65535 ? 65535 : step > 0 ? Int(step) : 0]
  }

  /// The linear light of three codes.
  @inlinable
  package func linear(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> SIMD3<Float> {
    SIMD3(linear[Int(red)], linear[Int(green)], linear[Int(blue)])
  }
}
