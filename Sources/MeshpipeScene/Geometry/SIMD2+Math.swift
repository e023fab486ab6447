import POSIX

/// Products of two-component vectors.
extension SIMD2<Double> {
  /// The dot product with `other`.
  @inlinable package func dot(_ other: Self) -> Double { (self * other).sum() }

  /// The z component of the cross product with `other`: positive if that is to the left.
  @inlinable package func cross(_ other: Self) -> Double { x * other.y - y * other.x }

  /// The Euclidean length.
  @inlinable package var length: Double { dot(self).squareRoot() }

  /// The unit vector in the same direction, or zero for the zero vector.
  @inlinable package var normalized: Self {
    let length = length
    return length > 0 && length.isFinite ? self / length : .zero
  }

  /// The vector turned by 90° counterclockwise.
  @inlinable package var left: Self { Self(-y, x) }

  /// The angle from x, counterclockwise in radians.
  package var angle: Double { atan2(y, x) }

  /// The unit vector of an angle, counterclockwise from x in radians.
  package init(angle: Double) { self.init(cos(angle), sin(angle)) }
}
