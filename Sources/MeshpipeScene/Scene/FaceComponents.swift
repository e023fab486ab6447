import MeshpipeBase

/// The connected components of a mesh.
///
/// Components are numbered in the order of their first face.
public struct FaceComponents: Sendable {
  /// The component of each face.
  public let labels: [UInt32]
  /// The number of components.
  public let count: Int

  /// Joins faces that share an edge.
  ///
  /// - Parameter classes: A label per face, if given: only faces with the same label are joined, so
  ///   that the components are the islands of each class.
  public init(edges: Edges, faceCount: Int, within classes: [UInt16]? = nil) {
    var sets = DisjointSets(count: faceCount)
    for edge in edges where !edge.isBoundary {
      let around = edges.halfedges[edge.places]
      for index in around.indices.dropFirst() {
        let face = Int(around[index]) / 3
        // One partner suffices, since it has already been joined to the others.
        let partner = around[..<index].last { other in
          guard let classes else { return true }
          return classes[face] == classes[Int(other) / 3]
        }
        if let partner { sets.join(Int(partner) / 3, face) }
      }
    }
    (labels, count) = sets.numbered()
  }

  /// Joins faces that share a vertex.
  ///
  /// - Parameter indices: Three vertices per face, each below `vertexCount`.
  public init(sharingVerticesOf indices: [UInt32], vertexCount: Int) {
    var sets = DisjointSets(count: indices.count / 3)
    var firstFace = [UInt32](repeating: .max, count: vertexCount)
    for corner in indices.indices {
      let vertex = Int(indices[corner])
      if firstFace[vertex] == .max {
        firstFace[vertex] = UInt32(truncatingIfNeeded: corner / 3)
      } else {
        sets.join(Int(firstFace[vertex]), corner / 3)
      }
    }
    (labels, count) = sets.numbered()
  }

  /// The number of faces of each component.
  public var faceCounts: [Int] {
    var counts = [Int](repeating: 0, count: count)
    for label in labels { counts[Int(label)] += 1 }
    return counts
  }
}
