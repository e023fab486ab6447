import MeshPipeline

extension Mesh {
  /// Adds texture coordinates that are linear in the position, another such set, normals of the
  /// faces per corner, and tangents.
  public mutating func addTangentSpace() {
    let places = indices.map { positions[Int($0)] }
    textureCoordinates = places.map {
      Vector2($0.x + 0.3 * $0.y + 0.5 * $0.z, 0.2 * $0.x + $0.y - 0.7 * $0.z)
    }
    secondTextureCoordinates = places.map { Vector2(linearField($0).x, linearField($0).y) }
    let normals = indices.indices.map { outside(ofFace: $0 / 3) }
    cornerNormals = normals.map { Vector3($0) }
    // Not from the corners of each face, since those of faces in one plane differ by rounding.
    let (ofU, ofV) = (SIMD3<Float>(1, 0.3, 0.5), SIMD3<Float>(0.2, 1, -0.7))
    tangents = normals.map { normal in
      var along = ofV.cross(normal).normalized
      if along.dot(ofU) < 0 { along = -along }
      return Tangent(along, w: normal.cross(along).dot(ofV) < 0 ? -1 : 1)
    }
  }

  /// Adds the tangents that texture coordinates and faces give by their definition.
  public mutating func addTangents() {
    tangents = indices.indices.map { corner in
      let (along, up) = gradients(ofFace: corner / 3)
      let side = outside(ofFace: corner / 3).cross(along).dot(up)
      return Tangent(along.normalized, w: side < 0 ? -1 : 1)
    }
  }

  /// How far tangents and bitangents are from the directions on the surface in which texture
  /// coordinates grow: the largest sine of an angle, or 2 where one is opposite.
  public var tangentError: Float {
    guard let tangents else { return .infinity }
    return tangents.indices.reduce(0) { error, corner in
      let normal = cornerNormals?[corner] ?? normals?[Int(indices[corner])] ?? .zero
      let tangent = tangents[corner]
      let (along, up) = gradients(ofFace: corner / 3)
      // It is across the normal, but not across the tangent if the picture is sheared.
      let bitangent = normal.simd.cross(tangent.direction) * tangent.w
      guard tangent.direction.dot(along) > 0, bitangent.dot(up) > 0 else { return 2 }
      return max(error, tangent.direction.cross(along.normalized).length)
    }
  }

  /// The largest difference of the second set from the function that it is of.
  public var secondSetError: Float {
    guard let secondTextureCoordinates else { return .infinity }
    return zip(indices, secondTextureCoordinates).reduce(0) { error, corner in
      let expected = linearField(positions[Int(corner.0)])
      return max(error, abs(corner.1.x - expected.x), abs(corner.1.y - expected.y))
    }
  }

  private func outside(ofFace face: Int) -> SIMD3<Float> {
    SIMD3<Float>(areaVector(ofFace: face).normalized)
  }

  /// The directions on a face in which U alone and V alone grow.
  private func gradients(ofFace face: Int) -> (SIMD3<Float>, SIMD3<Float>) {
    let corners = (3 * face..<3 * face + 3).map { corner in
      (
        positions[Int(indices[corner])].simd,
        SIMD2(textureCoordinates?[corner].x ?? 0, textureCoordinates?[corner].y ?? 0)
      )
    }
    let (a, b) = (corners[1].0 - corners[0].0, corners[2].0 - corners[0].0)
    let (p, q) = (corners[1].1 - corners[0].1, corners[2].1 - corners[0].1)
    let area = p.x * q.y - q.x * p.y
    return ((a * q.y - b * p.y) / area, (b * p.x - a * q.x) / area)
  }
}
