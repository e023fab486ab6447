import MeshpipeBase
import POSIX

/// Products of three-component vectors, in the precision of their arguments.
extension SIMD3 where Scalar: BinaryFloatingPoint {
  /// Returns the dot product with `other`.
  @inlinable
  public func dot(_ other: Self) -> Scalar { (self * other).sum() }

  /// Returns the cross product with `other`, right-handed.
  @inlinable
  public func cross(_ other: Self) -> Self {
    Self(
      y * other.z - z * other.y,
      z * other.x - x * other.z,
      x * other.y - y * other.x)
  }

  /// The squared Euclidean length.
  @inlinable
  public var lengthSquared: Scalar { dot(self) }

  /// The Euclidean length.
  @inlinable
  public var length: Scalar { dot(self).squareRoot() }

  /// The unit vector in the same direction, or zero for the zero vector.
  @inlinable
  public var normalized: Self {
    let length = self.length
    return length > 0 && length.isFinite ? self / length : Self.zero
  }
}

extension SIMD where Scalar == Double {
  /// The same without what rounding has left beside whole numbers.
  var roundedIfNearlyWhole: Self {
    let whole = rounded(.toNearestOrEven)
    return replacing(with: whole, where: pointwiseMax(self - whole, whole - self) .< 1e-12)
  }
}

/// Places in messages and reports.
extension SIMD3<Double> {
  /// The coordinates to the thousandth: `(1.000, 2.500, 0.000)`.
  package var placeText: String {
    let numbers = [x, y, z].map { NumberText.fixed($0, digits: 3) }
    return "(\(numbers.joined(separator: ", ")))"
  }

  /// The coordinates with as many digits as they have: `692000, 5335000, 0`.
  package var shortText: String {
    [x, y, z].map { JSONValue.text(of: $0) }.joined(separator: ", ")
  }
}
