import MeshpipeScene

extension Mesh {
  /// The centroid of a face.
  package func centroid(ofFace face: Int) -> SIMD3<Double> {
    let (a, b, c) = vertices(ofFace: face)
    return (positions[Int(a)].double + positions[Int(b)].double + positions[Int(c)].double) / 3
  }

  /// Whether a face is degenerate: its corners are collinear within float precision.
  ///
  /// The corners of a face whose height is 1e-7 of its longest edge can't be distinguished from a
  /// line in single precision.
  package func isDegenerate(_ face: Int) -> Bool {
    let (a, b, c) = vertices(ofFace: face)
    if a == b || b == c || c == a { return true }
    let corners = (positions[Int(a)].double, positions[Int(b)].double, positions[Int(c)].double)
    let longest = max(
      (corners.1 - corners.0).lengthSquared, (corners.2 - corners.1).lengthSquared,
      (corners.0 - corners.2).lengthSquared)
    return areaVector(ofFace: face).length <= 1e-7 * longest
  }

  /// Whether all three vertices of a face are finite.
  package func isFinite(_ face: Int) -> Bool {
    let (a, b, c) = vertices(ofFace: face)
    return positions[Int(a)].isFinite && positions[Int(b)].isFinite && positions[Int(c)].isFinite
  }
}
