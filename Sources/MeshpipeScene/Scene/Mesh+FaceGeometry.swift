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

  /// What the faces enclose with the middle of their bounds, in cubic units of the mesh: the volume of a watertight mesh,
  /// positive if its outside faces out.
  ///
  /// Relative to the middle, so that a small mesh far from the origin keeps its digits. Faces that are not finite count
  /// nothing.
  package var enclosedVolume: Double {
    let middle = SIMD3<Double>(bounds.center)
    return (0..<faceCount).reduce(0) { sum, face in
      let position = positions[Int(indices[3 * face])]
      let part = (position.double - middle).dot(areaVector(ofFace: face)) / 6
      return part.isFinite ? sum + part : sum
    }
  }

  /// The area of all faces whose corners are finite, in square units.
  public var area: Double {
    (0..<faceCount).reduce(0) { sum, face in
      let area = area(ofFace: face)
      return area.isFinite ? sum + area : sum
    }
  }
}
