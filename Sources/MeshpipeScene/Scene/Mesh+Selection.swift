extension Mesh {
  /// Removes the faces for which `keep` is false, with their attributes, then the unused vertices.
  ///
  /// The order of faces and vertices stays.
  /// - Parameters:
  ///   - keep: One entry per face.
  ///   - keepingVertices: Whether to keep vertices without faces.
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

  /// For each vertex, whether a face uses it.
  public var usedVertices: [Bool] {
    var used = [Bool](repeating: false, count: vertexCount)
    for index in indices { used[Int(index)] = true }
    return used
  }

  /// Removes the vertices that no face uses.
  public mutating func removeUnusedVertices() { keepVertices(usedVertices) }

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
    self.parts(of: [faces.map { UInt32($0) }[...]])[0]
  }

  /// The faces of each group as a separate mesh, in order, with their vertices and attributes.
  ///
  /// A uniquely referenced mesh is taken apart array by array, so that whole and parts never
  /// coexist.
  /// - Parameters:
  ///   - group: One entry per face, below `count`.
  ///   - count: The number of groups; those without faces give an empty mesh.
  /// - Complexity: O(vertices + faces + groups)
  public consuming func partitioned(by group: [UInt32], count: Int) -> [Mesh] {
    let starts = rowOffsets(of: group, rowCount: count)
    var faces = [UInt32](repeating: 0, count: group.count)
    var next = starts
    for (face, label) in group.enumerated() {
      faces[Int(next[Int(label)])] = UInt32(truncatingIfNeeded: face)
      next[Int(label)] += 1
    }
    return parts(of: (0..<count).map { faces[Int(starts[$0])..<Int(starts[$0 + 1])] })
  }

  private consuming func parts(of faces: [ArraySlice<UInt32>]) -> [Mesh] {
    var parts = [Mesh](repeating: Mesh(name: name), count: faces.count)
    let vertices = giveIndices(to: &parts, faces)
    give(\.normals, to: &parts) { all, part in all.elements(at: vertices[part]) }
    give(\.colors, to: &parts) { all, part in all.elements(at: vertices[part]) }
    give(\.confidences, to: &parts) { all, part in all.elements(at: vertices[part]) }
    give(\.textureCoordinates, to: &parts) { all, part in all.corners(ofFaces: faces[part]) }
    give(\.cornerNormals, to: &parts) { all, part in all.corners(ofFaces: faces[part]) }
    give(\.faceMaterials, to: &parts) { all, part in all.elements(at: faces[part]) }
    give(\.classes, to: &parts) { all, part in
      FaceClasses(labels: all.labels.elements(at: faces[part]), names: all.names)
    }
    for part in parts.indices { parts[part].positions = positions.elements(at: vertices[part]) }
    return parts
  }

  /// Moves the indices to their parts.
  ///
  /// - Returns: The vertices of each part, in the order of their first use.
  private mutating func giveIndices(
    to parts: inout [Mesh], _ faces: [ArraySlice<UInt32>]
  ) -> [ArraySlice<UInt32>] {
    // One table serves all parts: a table per part would take time for all vertices each.
    var newIndex = [UInt32](repeating: .max, count: vertexCount)
    var vertices: [UInt32] = []
    vertices.reserveCapacity(vertexCount)
    var starts = [0]
    for part in parts.indices {
      let start = vertices.count
      var own: [UInt32] = []
      own.reserveCapacity(3 * faces[part].count)
      for face in faces[part] {
        for corner in 3 * Int(face)..<3 * Int(face) + 3 {
          let vertex = indices[corner]
          if newIndex[Int(vertex)] == .max {
            newIndex[Int(vertex)] = UInt32(truncatingIfNeeded: vertices.count - start)
            vertices.append(vertex)
          }
          own.append(newIndex[Int(vertex)])
        }
      }
      parts[part].indices = own
      for vertex in vertices[start...] { newIndex[Int(vertex)] = .max }
      starts.append(vertices.count)
    }
    indices = []
    return parts.indices.map { vertices[starts[$0]..<starts[$0 + 1]] }
  }

  /// Moves the attribute to its parts.
  private mutating func give<Attribute>(
    _ attribute: WritableKeyPath<Mesh, Attribute?>, to parts: inout [Mesh],
    _ selection: (Attribute, _ part: Int) -> Attribute
  ) {
    guard let all = self[keyPath: attribute] else { return }
    self[keyPath: attribute] = nil
    for part in parts.indices { parts[part][keyPath: attribute] = selection(all, part) }
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

  fileprivate func elements(at places: ArraySlice<UInt32>) -> [Element] {
    places.map { self[Int($0)] }
  }

  fileprivate func corners(ofFaces faces: ArraySlice<UInt32>) -> [Element] {
    var result: [Element] = []
    result.reserveCapacity(3 * faces.count)
    for face in faces { result += self[3 * Int(face)..<3 * Int(face) + 3] }
    return result
  }
}
