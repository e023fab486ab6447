#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The transfer curve of sRGB (IEC 61966-2-1).
enum SRGBCurve {
  /// Linear light of a code, both 0…1.
  static func linear(_ code: Float) -> Float {
    code <= 0.04045 ? code / 12.92 : Float(pow((Double(code) + 0.055) / 1.055, 2.4))
  }

  /// The code 0…255 of linear light 0…65535, to the nearest code.
  static let codes: [UInt8] = {
    var result = [UInt8](repeating: 255, count: 65_536)
    var code = 0
    var limit = linear(0.5 / 255)
    for value in 0..<65_536 {
      while code < 255, Float(value) / 65_535 > limit {
        code += 1
        limit = linear((Float(code) + 0.5) / 255)
      }
      result[value] = UInt8(code)
    }
    return result
  }()
}
