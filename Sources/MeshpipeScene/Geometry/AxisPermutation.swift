/// A linear map that exchanges and negates axes.
///
/// It moves numbers and flips signs without arithmetic, so it is exact in any precision, including
/// signed zeros, and its inverse gives back the same bits.
struct AxisPermutation: Sendable, Equatable {
  private let source: SIMD3<Int>
  private let sign: SIMD3<Int>

  /// Creates the permutation equal to a transform; nil for any other transform.
  init?(_ transform: Transform) {
    guard transform.translation == .zero else { return nil }
    let columns = [transform.x, transform.y, transform.z]
    var source = SIMD3(-1, -1, -1)
    var sign = SIMD3(1, 1, 1)
    for (axis, column) in columns.enumerated() {
      for row in 0..<3 where column[row] != 0 {
        guard abs(column[row]) == 1, source[row] == -1 else { return nil }
        source[row] = axis
        sign[row] = column[row] > 0 ? 1 : -1
      }
    }
    guard source.min() >= 0, Set([source.x, source.y, source.z]).count == 3 else { return nil }
    self.source = source
    self.sign = sign
  }

  /// The image of a point or direction.
  func apply<Scalar: BinaryFloatingPoint & SIMDScalar>(
    to vector: SIMD3<Scalar>
  ) -> SIMD3<Scalar> {
    let moved = SIMD3(vector[source.x], vector[source.y], vector[source.z])
    return SIMD3(
      sign.x < 0 ? -moved.x : moved.x, sign.y < 0 ? -moved.y : moved.y,
      sign.z < 0 ? -moved.z : moved.z)
  }
}
