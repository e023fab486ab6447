import MeshPipeline

/// Measures of meshes, computed in the plainest way, to hold results against.
extension Mesh {
  /// The sum of the areas of all faces.
  package var surfaceArea: Double {
    (0..<faceCount).reduce(0) { $0 + areaVector($1).length / 2 }
  }

  /// The volume inside, when the mesh is closed and wound outwards.
  package var volume: Double {
    (0..<faceCount).reduce(0) { sum, face in
      sum + positions[Int(indices[3 * face])].double.dot(areaVector(face)) / 6
    }
  }

  /// The edges with one face, as pairs of vertices in the direction of the face.
  package var boundaryEdges: [SIMD2<UInt32>] {
    edgesByEnds.values.filter { $0.count == 1 }.map { $0[0] }
  }

  /// The edges with more than two faces.
  package var nonManifoldEdgeCount: Int { edgesByEnds.values.count { $0.count > 2 } }

  /// Whether each edge has two faces, wound alike.
  package var isWatertight: Bool {
    edgesByEnds.values.allSatisfy { $0.count == 2 && $0[0].x == $0[1].y }
  }

  /// The vector normal to a face, as long as twice its area.
  package func areaVector(_ face: Int) -> SIMD3<Double> {
    let (a, b, c) = vertices(ofFace: face)
    let origin = positions[Int(a)].double
    return (positions[Int(b)].double - origin).cross(positions[Int(c)].double - origin)
  }

  private var edgesByEnds: [SIMD2<UInt32>: [SIMD2<UInt32>]] {
    var edges: [SIMD2<UInt32>: [SIMD2<UInt32>]] = [:]
    for face in 0..<faceCount {
      let (a, b, c) = vertices(ofFace: face)
      for (from, to) in [(a, b), (b, c), (c, a)] {
        edges[SIMD2(min(from, to), max(from, to)), default: []].append(SIMD2(from, to))
      }
    }
    return edges
  }
}
