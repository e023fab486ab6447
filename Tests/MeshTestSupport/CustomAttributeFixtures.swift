import MeshPipeline

/// A function that no change of a surface alters, since it is linear: interpolated values are those
/// of the place.
public func linearField(_ position: Vector3) -> SIMD2<Float> {
  SIMD2(5 + 2 * position.x - position.y + 3 * position.z, position.x - position.z)
}

extension Mesh {
  /// Adds custom attributes by which each element of the mesh can be recognised later.
  ///
  /// `field` has two floats per vertex, ``linearField(_:)``, and `instance` its number; `seam` is
  /// the number of each corner, `part` that of each face, and twice that.
  public mutating func addCustomAttributes() {
    vertexAttributes = [
      CustomAttribute(
        "field", width: 2,
        values: .float32(positions.flatMap { [linearField($0).x, linearField($0).y] })),
      CustomAttribute("instance", values: .int32(positions.indices.map { Int32($0) })),
    ]
    cornerAttributes = [
      CustomAttribute("seam", values: .uint16(indices.indices.map { UInt16($0) }))
    ]
    faceAttributes = [
      CustomAttribute(
        "part", width: 2,
        values: .float64((0..<faceCount).flatMap { [Double($0), 2 * Double($0)] }))
    ]
  }

  /// The largest difference of `field` from the function that it is of.
  public var fieldError: Float {
    guard case .float32(let values) = vertexAttributes["field"]?.values else { return .infinity }
    return positions.indices.reduce(0) { error, vertex in
      let expected = linearField(positions[vertex])
      return max(
        error, abs(values[2 * vertex] - expected.x), abs(values[2 * vertex + 1] - expected.y))
    }
  }
}
