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
    apply(KeptElements(keep: keep, span: 3), to: .corner)
    apply(KeptElements(keep: keep), to: .face)
    indices.compact(keep, span: 3)
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
    apply(KeptElements(keep: keep), to: .vertex)
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
    var empty = Mesh(name: name)
    if let names = classes?.names { empty.classes = FaceClasses(labels: [], names: names) }
    var parts = [Mesh](repeating: empty, count: faces.count)
    let vertices = giveIndices(to: &parts, faces)
    let partition = Partition(vertices: vertices, faces: faces)
    var state = Partition.Meshes(whole: consume self, parts: consume parts)
    Mesh.forEachAttribute(partition, &state)
    for element in Mesh.elements { partition.giveCustomAttributes(of: element, &state) }
    for part in state.parts.indices {
      state.parts[part].positions = state.whole.positions.elements(at: vertices[part])
    }
    return state.parts
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
}

/// Moves attributes from a mesh to its parts.
private struct Partition: AttributeVisitor {
  struct Meshes {
    var whole: Mesh
    var parts: [Mesh]
  }

  /// The vertices of each part.
  let vertices: [ArraySlice<UInt32>]
  /// The faces of each part.
  let faces: [ArraySlice<UInt32>]

  func visit<Value: AttributeValue>(_ attribute: Attribute<Mesh, Value>, _ meshes: inout Meshes) {
    guard let all = meshes.whole[keyPath: attribute.path] else { return }
    meshes.whole[keyPath: attribute.path] = nil
    for part in meshes.parts.indices {
      let chosen = elements(attribute.element, of: part)
      meshes.parts[part][keyPath: attribute.path] = all.elements(
        at: chosen.places, span: chosen.span)
    }
  }

  func giveCustomAttributes(of element: AttributeElement, _ meshes: inout Meshes) {
    let path = Mesh.customAttributes(of: element)
    let all = meshes.whole[keyPath: path]
    meshes.whole[keyPath: path] = []
    for part in meshes.parts.indices {
      var own = all
      own.apply(elements(element, of: part))
      meshes.parts[part][keyPath: path] = own
    }
  }

  private func elements(_ element: AttributeElement, of part: Int) -> ChosenElements {
    switch element {
    case .vertex, .point: ChosenElements(vertices[part])
    case .corner: ChosenElements(faces[part], span: 3)
    case .face: ChosenElements(faces[part])
    }
  }
}
