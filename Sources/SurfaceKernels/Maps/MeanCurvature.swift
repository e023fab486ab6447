import MeshpipeScene
import POSIX

/// The mean curvature of a surface at its vertices.
enum MeanCurvature {
  /// The mean of the two principal curvatures: 1 / radius on a ball, positive where the surface is
  /// convex, seen from the side that faces look to.
  ///
  /// Edges have all curvature of a mesh: half of their length times the angle by which the normal
  /// turns (Cohen-Steiner and Morvan 2003). A vertex has half of each of its edges over a third of
  /// its faces, and those of its neighbours, so that a single vertex counts little.
  /// - Returns: One value per vertex; 0 without edges between two faces. Vertices at one position have
  ///   one value.
  static func atVertices(_ positions: [Vector3], _ indices: [UInt32]) -> [Float] {
    let welded = PositionWelder.weld(positions)
    let vertices = indices.map { welded.vertices[Int($0)] }
    let places = welded.firstPoints.map { positions[Int($0)].simd }
    let crosses: [SIMD3<Float>] = Parallel.array(count: vertices.count / 3) { face in
      let first = places[Int(vertices[3 * face])]
      return (places[Int(vertices[3 * face + 1])] - first).cross(
        places[Int(vertices[3 * face + 2])] - first)
    }
    var sums = [SIMD2<Float>](repeating: .zero, count: places.count)
    for corner in vertices.indices {
      // A third of the face, whose area is half of the product.
      sums[Int(vertices[corner])].y += crosses[corner / 3].length / 6
    }
    let edges = Edges(indices: vertices, vertexCount: places.count)
    for edge in edges where edge.valence == 2 {
      let part =
        bend(of: edge, in: edges, vertices: vertices, positions: places, crosses: crosses) / 4
      sums[Int(edge.lower)].x += part
      sums[Int(edge.higher)].x += part
    }
    let own = sums
    for edge in edges {
      sums[Int(edge.lower)] += own[Int(edge.higher)]
      sums[Int(edge.higher)] += own[Int(edge.lower)]
    }
    return welded.vertices.map { vertex in
      let sum = sums[Int(vertex)]
      return sum.y > 0 ? sum.x / sum.y : 0
    }
  }

  /// The length of an edge times the angle between its faces, positive if convex.
  private static func bend(
    of edge: Edges.Edge, in edges: Edges, vertices: [UInt32], positions: [SIMD3<Float>],
    crosses: [SIMD3<Float>]
  ) -> Float {
    let (one, other) = (
      Int(edges.halfedges[edge.places.lowerBound]), Int(edges.halfedges[edge.places.lowerBound + 1])
    )
    // Faces that contradict each other in which side is outside say nothing.
    guard vertices[one] != vertices[other] else { return 0 }
    let along = positions[Int(vertices[nextCorner(one)])] - positions[Int(vertices[one])]
    let (first, second) = (crosses[one / 3].normalized, crosses[other / 3].normalized)
    let length = along.length
    guard length > 0, first != .zero, second != .zero else { return 0 }
    return length * atan2f(first.cross(second).dot(along) / length, first.dot(second))
  }
}

extension MapBaking {
  /// The mean curvature at each vertex of the heavy surface, in its unit.
  package func sourceCurvatures() -> [Float] {
    MeanCurvature.atVertices(source.sampler.surface.positions, source.sampler.surface.indices)
  }
}
