extension Scene {
  /// Applies an affine map to meshes, point clouds and camera poses together.
  ///
  /// Normals follow by the cofactor matrix and stay unit; a map that mirrors turns the winding, so
  /// that faces keep their outside. Poses stay rigid: a map with scale moves cameras and leaves
  /// their axes orthonormal, and a mirror flips the camera's X axis back into a right-handed frame.
  public mutating func apply(_ transform: Transform) {
    for index in meshes.indices { meshes[index].apply(transform) }
    for index in pointClouds.indices {
      pointClouds[index].positions.apply(transform)
      pointClouds[index].normals?.applyToNormals(transform)
    }
    guard capture != nil else { return }
    for index in capture?.frames.indices ?? 0..<0 {
      capture?.frames[index].pose.move(by: transform)
    }
  }
}

extension Mesh {
  /// Applies an affine map to positions and normals, and turns the winding when it mirrors.
  public mutating func apply(_ transform: Transform) {
    positions.apply(transform)
    normals?.applyToNormals(transform)
    cornerNormals?.applyToNormals(transform)
    if transform.determinant < 0 { flipWinding() }
  }

  /// Turns every face over by exchanging its second and third corner; normals stay.
  public mutating func flipWinding() {
    for face in 0..<faceCount { swapCorners(ofFace: face) }
  }

  private mutating func swapCorners(ofFace face: Int) {
    indices.swapAt(3 * face + 1, 3 * face + 2)
    textureCoordinates?.swapAt(3 * face + 1, 3 * face + 2)
    cornerNormals?.swapAt(3 * face + 1, 3 * face + 2)
  }
}

extension [Vector3] {
  /// Maps every point.
  mutating func apply(_ transform: Transform) {
    for index in indices {
      self[index] = Vector3(SIMD3<Float>(transform.apply(toPoint: self[index].double)))
    }
  }

  /// Maps every unit normal.
  mutating func applyToNormals(_ transform: Transform) {
    let normalTransform = transform.normalTransform
    let sign: Double = transform.determinant < 0 ? -1 : 1
    for index in indices {
      let mapped = normalTransform.apply(toVector: self[index].double) * sign
      self[index] = Vector3(SIMD3<Float>(mapped.normalized))
    }
  }
}

extension Transform {
  /// Carries a camera pose along with the world that it stands in.
  fileprivate mutating func move(by transform: Transform) {
    let moved = transform * self
    let backward = moved.z.normalized
    let up = (moved.y - backward * moved.y.dot(backward)).normalized
    // X follows from the others: in a mirrored world the pose must stay a rotation all the same.
    self = Transform(
      x: up.cross(backward), y: up, z: backward, translation: moved.translation)
  }
}
