import MeshpipeScene

/// Two unit vectors at right angles to a unit vector and to each other, right-handed with it.
func perpendiculars(of axis: SIMD3<Double>) -> (SIMD3<Double>, SIMD3<Double>) {
  let other: SIMD3<Double> = abs(axis.x) < 0.7 ? SIMD3(1, 0, 0) : SIMD3(0, 1, 0)
  let first = axis.cross(other).normalized
  return (first, axis.cross(first))
}
