import MeshPipeline

extension Transform {
  /// A scaling along the axes, then a rotation by a quaternion x, y, z, w, then a translation; nil for
  /// none.
  init(scale: SIMD3<Double>?, rotation: SIMD4<Double>?, translation: SIMD3<Double>?) {
    self = scale.map { Transform(scale: $0) } ?? .identity
    if let rotation { self = Transform(quaternion: rotation) * self }
    if let translation { self.translation = translation }
  }
}
