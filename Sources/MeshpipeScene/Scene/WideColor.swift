/// A colour of 16 bits per channel, sRGB-encoded, as point clouds of surveyors have them.
@frozen
public struct WideColor: Sendable, Hashable {
  /// 0 to 65535, as all components.
  public var red: UInt16
  /// 0 to 65535.
  public var green: UInt16
  /// 0 to 65535.
  public var blue: UInt16

  /// Creates a colour.
  @inlinable
  public init(red: UInt16, green: UInt16, blue: UInt16) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// White.
  public static let white = WideColor(red: 65535, green: 65535, blue: 65535)

  /// The exact equivalent of a colour of 8 bits.
  @inlinable
  public init(_ color: Color) {
    self.init(
      red: 257 * UInt16(color.red), green: 257 * UInt16(color.green),
      blue: 257 * UInt16(color.blue))
  }

  /// The nearest colour of 8 bits, opaque.
  @inlinable public var narrow: Color {
    Color(red: Self.byte(red), green: Self.byte(green), blue: Self.byte(blue))
  }

  @usableFromInline
  static func byte(_ value: UInt16) -> UInt8 {
    UInt8(truncatingIfNeeded: (UInt32(value) + 128) / 257)
  }
}

/// The mean, rounded per channel.
extension WideColor: AttributeValue {
  @inlinable package static var isContinuous: Bool { true }
  @inlinable package var terms: SIMD4<Float> { SIMD4(Float(red), Float(green), Float(blue), 0) }

  @inlinable
  package init(sum: SIMD4<Float>, weight: Float, fallback: WideColor) {
    let mean = sum / weight
    self.init(
      red: Self.rounded(mean.x), green: Self.rounded(mean.y), blue: Self.rounded(mean.z))
  }

  @inlinable package var isFinite: Bool { true }

  @usableFromInline
  static func rounded(_ value: Float) -> UInt16 { UInt16(min(65535, max(0, value.rounded()))) }
}

extension PointCloud {
  /// The colour of a point in 16 bits: that of its file, unless it was changed since; white without colours.
  package func wideColor(ofPoint point: Int) -> WideColor {
    guard let color = colors?[point] else { return .white }
    guard let wide = wideColors?[point] else { return WideColor(color) }
    let narrow = wide.narrow
    let isOwn = (narrow.red, narrow.green, narrow.blue) == (color.red, color.green, color.blue)
    return isOwn ? wide : WideColor(color)
  }
}
