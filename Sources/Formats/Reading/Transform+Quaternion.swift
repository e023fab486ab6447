import MeshPipeline

extension Transform {
  /// A scaling along the axes, then a rotation by a quaternion x, y, z, w, then a translation; nil for
  /// none.
  init(scale: SIMD3<Double>?, rotation: SIMD4<Double>?, translation: SIMD3<Double>?) {
    self = scale.map { Transform(scale: $0) } ?? .identity
    if let rotation { self = Transform(quaternion: rotation) * self }
    if let translation { self.translation = translation }
  }

  /// The rotation of a quaternion x, y, z, w, which is normalised; the identity for a zero
  /// quaternion.
  init(quaternion: SIMD4<Double>) {
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
}
