extension Mesh {
  /// Removes the faces for which `keep` is false, with their attributes, then the unused vertices.
  ///
  /// The order of faces and vertices stays.
  /// - Parameters:
  ///   - keep: One entry per face.
  ///   - keepingVertices: Whether vertices without faces stay.
  /// - Complexity: O(faces + vertices)
  public mutating func keepFaces(_ keep: [Bool], keepingVertices: Bool = false) {
    precondition(keep.count == faceCount)
    guard keep.contains(false) else {
      if !keepingVertices { removeUnusedVertices() }
      return
    }
    textureCoordinates?.compactCorners(ofFaces: keep)
    cornerNormals?.compactCorners(ofFaces: keep)
    faceMaterials?.compact(keep)
    classes?.labels.compact(keep)
    indices.compactCorners(ofFaces: keep)
    if !keepingVertices { removeUnusedVertices() }
  }

  /// Removes the vertices that no face uses.
  public mutating func removeUnusedVertices() {
    var used = [Bool](repeating: false, count: vertexCount)
    for index in indices { used[Int(index)] = true }
    keepVertices(used)
  }

  /// Removes the vertices for which `keep` is false; no face may use one of them.
  public mutating func keepVertices(_ keep: [Bool]) {
    precondition(keep.count == vertexCount)
    guard keep.contains(false) else { return }
    var newIndex = [UInt32](repeating: .max, count: vertexCount)
    var count: UInt32 = 0
    for vertex in keep.indices where keep[vertex] {
      newIndex[vertex] = count
      count += 1
    }
    for corner in indices.indices {
      let target = newIndex[Int(indices[corner])]
      precondition(target != .max)
      indices[corner] = target
    }
    positions.compact(keep)
    normals?.compact(keep)
    colors?.compact(keep)
    confidences?.compact(keep)
  }

  /// A mesh of the given faces, in the given order, with their vertices and attributes.
  public func selecting(faces: [Int]) -> Mesh {
    var newIndex = [UInt32](repeating: .max, count: vertexCount)
    return selecting(faces: faces[...], newIndex: &newIndex)
  }

  /// The faces of each group as a mesh of its own, in order, with their vertices and attributes.
  ///
  /// - Parameters:
  ///   - group: One entry per face, below `count`.
  ///   - count: The number of groups; those without faces give an empty mesh.
  /// - Complexity: O(vertices + faces + groups)
  public func partitioned(by group: [UInt32], count: Int) -> [Mesh] {
    let starts = rowOffsets(of: group, rowCount: count)
    var faces = [Int](repeating: 0, count: group.count)
    var next = starts
    for (face, label) in group.enumerated() {
      faces[Int(next[Int(label)])] = face
      next[Int(label)] += 1
    }
    // One table serves all groups, or many small ones would take time for all vertices each.
    var newIndex = [UInt32](repeating: .max, count: vertexCount)
    return (0..<count).map { index in
      selecting(faces: faces[Int(starts[index])..<Int(starts[index + 1])], newIndex: &newIndex)
    }
  }

  /// - Parameter newIndex: `.max` for each vertex, before and after.
  private func selecting(faces: ArraySlice<Int>, newIndex: inout [UInt32]) -> Mesh {
    var result = Mesh(name: name)
    result.indices.reserveCapacity(3 * faces.count)
    var vertices: [Int] = []
    for face in faces {
      for corner in 3 * face..<3 * face + 3 {
        let vertex = Int(indices[corner])
        if newIndex[vertex] == .max {
          newIndex[vertex] = UInt32(vertices.count)
          vertices.append(vertex)
        }
        result.indices.append(newIndex[vertex])
      }
    }
    for vertex in vertices { newIndex[vertex] = .max }
    result.positions = vertices.map { positions[$0] }
    result.normals = normals.map { all in vertices.map { all[$0] } }
    result.colors = colors.map { all in vertices.map { all[$0] } }
    result.confidences = confidences.map { all in vertices.map { all[$0] } }
    result.textureCoordinates = textureCoordinates.map { $0.corners(ofFaces: faces) }
    result.cornerNormals = cornerNormals.map { $0.corners(ofFaces: faces) }
    result.faceMaterials = faceMaterials.map { all in faces.map { all[$0] } }
    result.classes = classes.map { all in
      FaceClasses(labels: faces.map { all.labels[$0] }, names: all.names)
    }
    return result
  }
}

extension Array {
  /// Keeps the elements whose flag is true, in place and in order.
  fileprivate mutating func compact(_ keep: [Bool]) {
    var end = 0
    for index in indices where keep[index] {
      self[end] = self[index]
      end += 1
    }
    removeSubrange(end...)
  }

  /// Keeps the three corners of each face whose flag is true, in place and in order.
  fileprivate mutating func compactCorners(ofFaces keep: [Bool]) {
    var end = 0
    for face in keep.indices where keep[face] {
      for corner in 0..<3 { self[end + corner] = self[3 * face + corner] }
      end += 3
    }
    removeSubrange(end...)
  }

  fileprivate func corners(ofFaces faces: ArraySlice<Int>) -> [Element] {
    var result: [Element] = []
    result.reserveCapacity(3 * faces.count)
    for face in faces { result += self[3 * face..<3 * face + 3] }
    return result
  }
}
