import MeshpipeScene

extension Mesh {
  /// The height of a face, as a share of its longest edge, that single precision can't distinguish from a line.
  private static let flatness = 1e-7

  /// Whether a face is degenerate: its corners are collinear within float precision.
  package func isDegenerate(_ face: Int) -> Bool {
    let (a, b, c) = vertices(ofFace: face)
    if a == b || b == c || c == a { return true }
    let corners = (positions[Int(a)].double, positions[Int(b)].double, positions[Int(c)].double)
    let longest = max(
      (corners.1 - corners.0).lengthSquared, (corners.2 - corners.1).lengthSquared,
      (corners.0 - corners.2).lengthSquared)
    return areaVector(ofFace: face).length <= Self.flatness * longest
  }

  /// Whether all three vertices of a face are finite.
  package func isFinite(_ face: Int) -> Bool {
    let (a, b, c) = vertices(ofFace: face)
    return positions[Int(a)].isFinite && positions[Int(b)].isFinite && positions[Int(c)].isFinite
  }
}
