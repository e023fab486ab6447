/// An 8-bit colour with alpha, sRGB-encoded as in its file.
@frozen
public struct Color: Sendable, Hashable {
  /// 0 to 255, as all components.
  public var red: UInt8
  /// 0 to 255.
  public var green: UInt8
  /// 0 to 255.
  public var blue: UInt8
  /// 0 for transparent, 255 for opaque.
  public var alpha: UInt8

  /// Creates a colour, by default an opaque one.
  @inlinable
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// All four as one number, red in the lowest byte.
  @inlinable package var packed: UInt32 {
    UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | UInt32(alpha) << 24
  }

  /// Red, green and blue in hexadecimal: `d73027`.
  package var hexadecimal: String {
    [red, green, blue].map { String($0, digits: 2, radix: 16) }.joined()
  }

  /// Opaque white.
  public static let white = Color(red: 255, green: 255, blue: 255)
}

extension [Color] {
  /// Whether a colour is not opaque.
  package var hasAlpha: Bool { contains { $0.alpha != 255 } }
}
