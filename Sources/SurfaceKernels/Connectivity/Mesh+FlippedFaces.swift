package import MeshpipeScene

extension Mesh {
  /// Reverses the selected faces, and normals that would then point inward; bitangents stay.
  package mutating func flipFaces(_ isFlipped: [Bool]) {
    guard isFlipped.contains(true) else { return }
    reverseFaces(isFlipped)
    var isTurned = [Bool](repeating: false, count: vertexCount)
    var isKept = isTurned
    for face in isFlipped.indices {
      let outside = areaVector(ofFace: face)
      for corner in 3 * face..<3 * face + 3 {
        if isFlipped[face], let normal = cornerNormals?[corner], normal.double.dot(outside) < 0 {
          cornerNormals?[corner] = Vector3(-normal.simd)
          tangents?[corner].w.negate()
        }
        let vertex = Int(indices[corner])
        if isFlipped[face], let normal = normals?[vertex], normal.double.dot(outside) < 0 {
          isTurned[vertex] = true
        } else {
          isKept[vertex] = true
        }
      }
    }
    for vertex in isTurned.indices where isTurned[vertex] && !isKept[vertex] {
      if let normal = normals?[vertex] { normals?[vertex] = Vector3(-normal.simd) }
    }
    guard cornerNormals == nil, tangents != nil else { return }
    for (corner, vertex) in indices.enumerated()
    where isTurned[Int(vertex)] && !isKept[Int(vertex)] {
      tangents?[corner].w.negate()
    }
  }
}
