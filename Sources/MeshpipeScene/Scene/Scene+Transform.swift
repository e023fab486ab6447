extension Scene {
  /// Applies an affine map to meshes, point clouds and camera poses together.
  ///
  /// Normals are transformed by the cofactor matrix and renormalised; a mirroring map reverses the
  /// winding, so that faces keep their outside. Poses keep their view of the scene: every point
  /// stays at its pixel under a rigid, mirroring or uniformly scaling map (other maps move the
  /// cameras and leave their axes orthonormal, and end the shapes). Maps that only exchange and negate axes are bitwise
  /// exact, including signed zeros. Maps other than translations end the origin and leave the reference system.
  public mutating func apply(_ transform: Transform) {
    for index in meshes.indices { meshes[index].apply(transform) }
    for index in pointClouds.indices { pointClouds[index].apply(transform) }
    if transform.linear != .identity {
      origin = .zero
      survey?.leaveGrid()
    }
    shapes = shapes.compactMap { $0.applying(transform) }
    room?.apply(transform)
    for index in buildings.indices { buildings[index].apply(transform) }
    for index in sections.indices {
      sections[index].placement = transform * sections[index].placement
    }
    guard capture != nil else { return }
    for index in capture?.frames.indices ?? 0..<0 {
      capture?.frames[index].pose.move(by: transform)
    }
    for index in capture?.depthFrames.indices ?? 0..<0 {
      capture?.depthFrames[index].pose.move(by: transform)
    }
  }
}

extension Scene {
  /// Applies an affine map after which positions are relative to an origin.
  ///
  /// Where single precision would round them, since the map puts them far from that origin, they are relative to another one
  /// near them.
  package mutating func apply(_ transform: Transform, relativeTo origin: SIMD3<Double>) {
    var (map, place) = (transform, origin)
    let unit = coordinateSystem.metersPerUnit
    // Turning and scaling in place round no more than before.
    let far = (0..<3).filter { DistantOrigin.isFar(map.translation[$0], metersPerUnit: unit) }
    let box = far.isEmpty ? Box() : bounds
    let (low, high) = (SIMD3<Double>(box.minimum), SIMD3<Double>(box.maximum))
    let (middle, half) = (map.apply(toPoint: (low + high) / 2), (high - low) / 2)
    for axis in far where !box.isEmpty {
      let reach =
        abs(map.x[axis]) * half.x + abs(map.y[axis]) * half.y + abs(map.z[axis]) * half.z
      func distantOrigin(beyond offset: Double) -> Double {
        let center = middle[axis] + offset
        return DistantOrigin.coordinate(
          least: center - reach, most: center + reach, metersPerUnit: unit)
      }
      if distantOrigin(beyond: 0) != 0 { place[axis] = distantOrigin(beyond: origin[axis]) }
    }
    map.translation += origin - place
    apply(map)
    self.origin = place
  }
}

extension PointCloud {
  /// Applies an affine map to positions and normals, and to the sizes, directions and colours of Gaussian splats.
  public mutating func apply(_ transform: Transform) {
    positions.apply(transform)
    normals?.applyToNormals(transform)
    if transform.linear != .identity, let form = splatForm {
      SplatMotion(transform).apply(to: &self, form)
    }
  }
}

extension Mesh {
  /// Applies an affine map to positions, normals and tangents, and reverses the winding if it
  /// mirrors.
  public mutating func apply(_ transform: Transform) {
    positions.apply(transform)
    normals?.applyToNormals(transform)
    cornerNormals?.applyToNormals(transform)
    tangents?.apply(transform)
    if transform.determinant < 0 { flipWinding() }
  }

  /// Reverses every face by exchanging its second and third corner; normals are unchanged.
  public mutating func flipWinding() {
    reverse(0..<faceCount)
  }

  /// Reverses one face by exchanging its second and third corner; normals are unchanged.
  public mutating func flipFace(_ face: Int) { reverse(CollectionOfOne(face)) }

  /// Reverses the chosen faces by exchanging their second and third corners; normals are unchanged.
  ///
  /// - Parameter isChosen: One entry per face.
  public mutating func reverseFaces(_ isChosen: [Bool]) {
    precondition(isChosen.count == faceCount)
    reverse(isChosen.indices.lazy.filter { isChosen[$0] })
  }

  private mutating func reverse(_ faces: some Sequence<Int>) {
    let reversal = ReversedFaces(faces: faces)
    reversal.apply(to: &indices, width: 1)
    apply(reversal, to: .corner)
  }
}

/// Exchanges the values of the second and third corner of faces.
private struct ReversedFaces<Faces: Sequence<Int>>: AttributeOperation {
  let faces: Faces

  func apply<Value: AttributeValue>(to values: inout [Value], width: Int) {
    for face in faces {
      for index in (3 * face + 1) * width..<(3 * face + 2) * width {
        values.swapAt(index, index + width)
      }
    }
  }
}

extension [Vector3] {
  /// Maps every point.
  mutating func apply(_ transform: Transform) {
    if let permutation = AxisPermutation(transform) {
      apply(permutation)
    } else {
      for index in indices {
        self[index] = Vector3(SIMD3<Float>(transform.apply(toPoint: self[index].double)))
      }
    }
  }

  /// Maps every unit normal.
  mutating func applyToNormals(_ transform: Transform) {
    let linear = transform.linear
    // A permutation of axes is orthogonal: it maps normals like points.
    if let permutation = AxisPermutation(linear) { return apply(permutation) }
    if linear == .identity { return }
    let normalTransform = transform.normalTransform
    let sign: Double = transform.determinant < 0 ? -1 : 1
    for index in indices {
      let mapped = normalTransform.apply(toVector: self[index].double) * sign
      self[index] = Vector3(SIMD3<Float>(mapped.normalized))
    }
  }

  private mutating func apply(_ permutation: AxisPermutation) {
    for index in indices { self[index] = Vector3(permutation.apply(to: self[index].simd)) }
  }
}

extension Transform {
  /// Moves a camera pose along with its world.
  fileprivate mutating func move(by transform: Transform) {
    if let permutation = AxisPermutation(transform) {
      x = permutation.apply(to: x)
      y = permutation.apply(to: y)
      z = permutation.apply(to: z)
      translation = permutation.apply(to: translation)
      return
    }
    let moved = transform * self
    let backward = moved.z.normalized
    let up = (moved.y - backward * moved.y.dot(backward)).normalized
    // In a mirrored world the camera is mirrored too, or its image would change.
    let right = up.cross(backward) * (moved.determinant < 0 ? -1 : 1)
    self = Transform(x: right, y: up, z: backward, translation: moved.translation)
  }
}
