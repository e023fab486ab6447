extension Transform {
  /// The rotation of a quaternion x, y, z, w, which is normalised; the identity for a zero
  /// quaternion.
  package init(quaternion: SIMD4<Double>) {
    let length = (quaternion * quaternion).sum().squareRoot()
    guard length > 0, length.isFinite else {
      self = .identity
      return
    }
    let q = quaternion / length
    let (x, y, z, w) = (q.x, q.y, q.z, q.w)
    self.init(
      x: SIMD3(1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)),
      y: SIMD3(2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)),
      z: SIMD3(2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)))
  }

  /// The quaternion x, y, z, w of a rotation, with w not negative, computed from its largest component for accuracy.
  ///
  /// After Shepperd, *Quaternion from rotation matrix* (1978).
  package var quaternion: SIMD4<Double> {
    let trace = x.x + y.y + z.z
    let squares = 2 * SIMD4(x.x, y.y, z.z, trace) - trace + 1
    let differences = SIMD3(y.z - z.y, z.x - x.z, x.y - y.x)
    let sums = SIMD3(y.z + z.y, z.x + x.z, x.y + y.x)
    let largest = squares.max()
    let parts =
      switch largest {
      case squares.w: SIMD4(differences, squares.w)
      case squares.x: SIMD4(squares.x, sums.z, sums.y, differences.x)
      case squares.y: SIMD4(sums.z, squares.y, sums.x, differences.y)
      default: SIMD4(sums.y, sums.x, squares.z, differences.z)
      }
    return (parts.w < 0 ? -parts : parts) / (2 * largest.squareRoot())
  }
}
