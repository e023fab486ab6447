/// A value of an attribute, with the arithmetic by which stages interpolate it.
///
/// How values mix is a matter of their type: a ``Vector3`` is a unit direction and stays one,
/// colours are rounded per channel, numbers mix linearly. Integers are labels, indices or counts,
/// of which nothing lies in between: they are chosen, never mixed.
@usableFromInline
package protocol AttributeValue: BitwiseCopyable, Equatable, Sendable {
  /// The value as it is summed up.
  associatedtype Terms: SIMD where Terms.Scalar: BinaryFloatingPoint

  /// Whether a mean of two values has a meaning.
  static var isContinuous: Bool { get }
  var terms: Terms { get }

  /// The weighted mean of several values.
  ///
  /// - Parameters:
  ///   - sum: The sum of the values' terms, each times its weight.
  ///   - weight: The sum of the weights.
  ///   - fallback: The result if the sum is none, as of opposite directions.
  init(sum: Terms, weight: Terms.Scalar, fallback: Self)

  /// Whether no component is infinite or NaN.
  var isFinite: Bool { get }
}

extension AttributeValue {
  /// The value at a share of the way from `a` to `b`; of integers, the nearer one.
  @inlinable
  package static func mix(_ a: Self, _ b: Self, share: Double) -> Self {
    guard isContinuous else { return share < 0.5 ? a : b }
    let sum = a.terms + (b.terms - a.terms) * Terms.Scalar(share)
    return Self(sum: sum, weight: 1, fallback: a)
  }

  /// The mean of a triangle's corners by barycentric weights; of integers, the value of the
  /// heaviest corner.
  @inlinable
  package static func mix(
    _ a: Self, _ b: Self, _ c: Self, weights: SIMD3<Float>, fallback: Self
  ) -> Self {
    guard isContinuous else {
      if weights.x >= weights.y, weights.x >= weights.z { return a }
      return weights.y >= weights.z ? b : c
    }
    let sum =
      a.terms * Terms.Scalar(weights.x) + b.terms * Terms.Scalar(weights.y) + c.terms
      * Terms.Scalar(weights.z)
    // The weights add up to one as precisely as floats do, which is not enough for large doubles.
    let weight =
      Terms.Scalar.self == Float.self
      ? 1 : Terms.Scalar(weights.x) + Terms.Scalar(weights.y) + Terms.Scalar(weights.z)
    return Self(sum: sum, weight: weight, fallback: fallback)
  }
}

extension Vector3: AttributeValue {
  @inlinable package static var isContinuous: Bool { true }
  @inlinable package var terms: SIMD3<Float> { simd }

  /// The unit vector in the direction of the sum.
  @inlinable
  package init(sum: SIMD3<Float>, weight: Float, fallback: Vector3) {
    let unit = sum.normalized
    self = unit == .zero ? fallback : Vector3(unit)
  }
}

extension Vector2: AttributeValue {
  @inlinable package static var isContinuous: Bool { true }
  @inlinable package var terms: SIMD2<Float> { SIMD2(x, y) }

  @inlinable
  package init(sum: SIMD2<Float>, weight: Float, fallback: Vector2) {
    let mean = sum / weight
    self.init(mean.x, mean.y)
  }
}

extension Color: AttributeValue {
  @inlinable package static var isContinuous: Bool { true }

  @inlinable package var terms: SIMD4<Float> {
    SIMD4(Float(red), Float(green), Float(blue), Float(alpha))
  }

  @inlinable
  package init(sum: SIMD4<Float>, weight: Float, fallback: Color) {
    let mean = sum / weight
    self.init(
      red: Self.rounded(mean.x), green: Self.rounded(mean.y), blue: Self.rounded(mean.z),
      alpha: Self.rounded(mean.w))
  }

  @inlinable package var isFinite: Bool { true }

  @usableFromInline
  static func rounded(_ value: Float) -> UInt8 { UInt8(min(255, max(0, value.rounded()))) }
}

extension Float: AttributeValue {
  @inlinable package static var isContinuous: Bool { true }
  @inlinable package var terms: SIMD2<Float> { SIMD2(self, 0) }

  @inlinable
  package init(sum: SIMD2<Float>, weight: Float, fallback: Float) { self = sum.x / weight }
}

extension Double: AttributeValue {
  @inlinable package static var isContinuous: Bool { true }
  @inlinable package var terms: SIMD2<Double> { SIMD2(self, 0) }

  @inlinable
  package init(sum: SIMD2<Double>, weight: Double, fallback: Double) { self = sum.x / weight }
}

extension AttributeValue where Self: FixedWidthInteger {
  @inlinable package static var isContinuous: Bool { false }
  @inlinable package var terms: SIMD2<Float> { .zero }
  @inlinable package init(sum: SIMD2<Float>, weight: Float, fallback: Self) { self = fallback }
  @inlinable package var isFinite: Bool { true }
}

extension Int8: AttributeValue {}
extension UInt8: AttributeValue {}
extension Int16: AttributeValue {}
extension UInt16: AttributeValue {}
extension Int32: AttributeValue {}
extension UInt32: AttributeValue {}
extension UInt64: AttributeValue {}
