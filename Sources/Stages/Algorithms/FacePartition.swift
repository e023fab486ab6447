import MeshPipeline

extension Mesh {
  /// The faces of each group as a mesh of its own, in order, with their vertices and attributes.
  ///
  /// - Parameters:
  ///   - group: One entry per face, below `count`.
  ///   - count: The number of groups; those without faces give an empty mesh.
  /// - Complexity: O(vertices + faces + groups)
  func partitioned(by group: [UInt32], count: Int) -> [Mesh] {
    var starts = [Int](repeating: 0, count: count + 1)
    for label in group { starts[Int(label) + 1] += 1 }
    for index in 0..<count { starts[index + 1] += starts[index] }
    var faces = [Int](repeating: 0, count: group.count)
    var next = starts
    for (face, label) in group.enumerated() {
      faces[next[Int(label)]] = face
      next[Int(label)] += 1
    }
    // One table serves all groups: each clears the entries that it has used.
    var newIndex = [UInt32](repeating: .max, count: vertexCount)
    return (0..<count).map { index in
      selecting(faces: faces[starts[index]..<starts[index + 1]], newIndex: &newIndex)
    }
  }

  private func selecting(faces: ArraySlice<Int>, newIndex: inout [UInt32]) -> Mesh {
    var result = Mesh(name: name)
    var vertices: [Int] = []
    result.indices.reserveCapacity(3 * faces.count)
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
    func corners<Value>(_ values: [Value]) -> [Value] {
      faces.flatMap { values[3 * $0..<3 * $0 + 3] }
    }
    result.positions = vertices.map { positions[$0] }
    result.normals = normals.map { all in vertices.map { all[$0] } }
    result.colors = colors.map { all in vertices.map { all[$0] } }
    result.confidences = confidences.map { all in vertices.map { all[$0] } }
    result.textureCoordinates = textureCoordinates.map(corners)
    result.cornerNormals = cornerNormals.map(corners)
    result.faceMaterials = faceMaterials.map { all in faces.map { all[$0] } }
    result.classes = classes.map { all in
      FaceClasses(labels: faces.map { all.labels[$0] }, names: all.names)
    }
    return result
  }
}
