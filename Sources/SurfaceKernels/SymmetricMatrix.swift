/// A packed symmetric 3 × 3 matrix.
@usableFromInline
package struct SymmetricMatrix: BitwiseCopyable, Sendable {
  @usableFromInline package var xx: Float = 0
  @usableFromInline package var yy: Float = 0
  @usableFromInline package var zz: Float = 0
  @usableFromInline package var yz: Float = 0
  @usableFromInline package var xz: Float = 0
  @usableFromInline package var xy: Float = 0

  @inlinable
  package init(
    xx: Float = 0, yy: Float = 0, zz: Float = 0, yz: Float = 0, xz: Float = 0, xy: Float = 0
  ) {
    (self.xx, self.yy, self.zz) = (xx, yy, zz)
    (self.yz, self.xz, self.xy) = (yz, xz, xy)
  }

  package var trace: Float {
    @inlinable @inline(__always) get { xx + yy + zz }
  }

  @inlinable @inline(__always)
  package static func * (matrix: SymmetricMatrix, d: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3(
      matrix.xx * d.x + matrix.xy * d.y + matrix.xz * d.z,
      matrix.xy * d.x + matrix.yy * d.y + matrix.yz * d.z,
      matrix.xz * d.x + matrix.yz * d.y + matrix.zz * d.z)
  }

  @inlinable @inline(__always)
  package mutating func add(_ other: SymmetricMatrix) {
    xx += other.xx
    yy += other.yy
    zz += other.zz
    yz += other.yz
    xz += other.xz
    xy += other.xy
  }

  /// Adds the outer product of a vector with itself.
  @inlinable @inline(__always)
  package mutating func addSquare(of n: SIMD3<Float>, times weight: Float) {
    let w = n * weight
    xx += w.x * n.x
    yy += w.y * n.y
    zz += w.z * n.z
    yz += w.y * n.z
    xz += w.x * n.z
    xy += w.x * n.y
  }

  /// The inverse of the matrix with a regularised diagonal.
  ///
  /// In double precision, since typical matrices are nearly singular: the planes around an edge of
  /// a flat surface, or the rays of nearby cameras.
  @inlinable @inline(__always)
  package func inverse(diagonal: SIMD3<Double>) -> SymmetricMatrix? {
    let (a, b, c) = (diagonal.x, diagonal.y, diagonal.z)
    let (f, g, h) = (Double(yz), Double(xz), Double(xy))
    let (one, two, three) = (b * c - f * f, f * g - h * c, h * f - b * g)
    let determinant = a * one + h * two + g * three
    let factor = 1 / determinant
    guard determinant > 0, factor.isFinite else { return nil }
    return SymmetricMatrix(
      xx: Float(one * factor), yy: Float((a * c - g * g) * factor),
      zz: Float((a * b - h * h) * factor), yz: Float((g * h - a * f) * factor),
      xz: Float(three * factor), xy: Float(two * factor))
  }
}
