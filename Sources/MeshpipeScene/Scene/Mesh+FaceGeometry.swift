extension Mesh {
  /// The outward normal of a face, with a length of twice its area.
  @inlinable
  public func areaVector(ofFace face: Int) -> SIMD3<Double> {
    let (a, b, c) = vertices(ofFace: face)
    let origin = positions[Int(a)].double
    return (positions[Int(b)].double - origin).cross(positions[Int(c)].double - origin)
  }

  /// The centroid of a face.
  package func centroid(ofFace face: Int) -> SIMD3<Double> {
    let (a, b, c) = vertices(ofFace: face)
    return (positions[Int(a)].double + positions[Int(b)].double + positions[Int(c)].double) / 3
  }

  /// The area of a face, in square units.
  @inlinable
  public func area(ofFace face: Int) -> Double { areaVector(ofFace: face).length / 2 }

  /// The area of all faces whose corners are finite, in square units.
  public var area: Double {
    (0..<faceCount).reduce(0) { sum, face in
      let area = area(ofFace: face)
      return area.isFinite ? sum + area : sum
    }
  }
}
