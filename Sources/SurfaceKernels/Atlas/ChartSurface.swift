package import MeshpipeScene

/// The surface on which charts grow: a mesh welded by position, with each face's neighbours and
/// normals.
package struct ChartSurface: Sendable {
  package static let none = UInt32.max

  let positions: [Vector3]
  /// Three welded vertices per face.
  let vertices: [UInt32]
  /// The face across the edge that begins at each corner, or ``none`` at a border, a non-manifold
  /// edge, or where the two faces are wound inconsistently.
  let neighbors: [UInt32]
  /// The area of each face; 0 for a degenerate one.
  let areas: [Float]
  /// The unit normal of each face.
  let normals: [Vector3]
  /// The normalised sum of each face's and its edge neighbours' normals.
  let ringNormals: [Vector3]
  /// The unit normals without the noise of a scan.
  let smoothNormals: [Vector3]
  /// The evenness of the surface around each face, 0…1.
  let flatness: [Float]

  package var faceCount: Int { areas.count }

  /// - Parameter regions: A number for each face, or none; an edge between different ones is a border.
  package init(
    positions: [Vector3], indices: [UInt32], regions: [UInt32] = [], smoothingRounds: Int = 4
  ) {
    let (firstPoints, welded) = PositionWelder.weld(positions)
    let points = firstPoints.map { positions[Int($0)] }
    let vertices = indices.map { welded[Int($0)] }
    let faceCount = indices.count / 3
    let areaVectors: [Vector3] = Parallel.array(count: faceCount) { face in
      let a = points[Int(vertices[3 * face])].simd
      let b = points[Int(vertices[3 * face + 1])].simd
      let c = points[Int(vertices[3 * face + 2])].simd
      let vector = (b - a).cross(c - a) * 0.5
      return vector.length.isFinite ? Vector3(vector) : .zero
    }
    areas = Parallel.array(count: faceCount) { areaVectors[$0].simd.length }
    normals = Parallel.array(count: faceCount) { Vector3(areaVectors[$0].simd.normalized) }
    let neighbors = Self.neighbors(
      vertices: vertices, vertexCount: points.count, areas: areas, regions: regions)
    ringNormals = Parallel.array(count: faceCount) { face in
      var sum = areaVectors[face].simd
      for corner in 3 * face..<3 * face + 3 where neighbors[corner] != Self.none {
        sum += areaVectors[Int(neighbors[corner])].simd
      }
      return Vector3(sum.normalized)
    }
    self.neighbors = neighbors
    (smoothNormals, flatness) = Self.smoothed(
      normals, areas: areas, vertices: vertices, vertexCount: points.count, rounds: smoothingRounds)
    self.positions = points
    self.vertices = vertices
  }

  /// The face across each corner's edge, among faces with an area.
  package static func neighbors(
    vertices: [UInt32], vertexCount: Int, areas: [Float], regions: [UInt32] = []
  ) -> [UInt32] {
    let edges = Edges(indices: vertices, vertexCount: vertexCount)
    return Parallel.array(count: vertices.count) { corner in
      guard areas[corner / 3] > 0, let other = edges.opposite(ofCorner: corner),
        areas[other / 3] > 0, vertices[other] != vertices[corner],
        regions.isEmpty || regions[other / 3] == regions[corner / 3]
      else { return none }
      return UInt32(truncatingIfNeeded: other / 3)
    }
  }

  /// The maximum area ratio at which a face influences another: next to a wall of two large faces,
  /// the side of a door frame keeps its own direction.
  private static let largestWeight: Float = 4

  /// The cosine at which a face has no weight for another (78°), and its rise to full weight (53°): noise turns faces by
  /// less, and right angles keep theirs.
  private static let likeCosines: (zero: Float, rise: Float) = (0.2, 0.4)

  /// The weight of a face for another by the cosine between them.
  private static func likeness(_ cosine: Float) -> Float {
    min(max((cosine - likeCosines.zero) / likeCosines.rise, 0), 1)
  }

  /// Smooths normals over faces that share vertices, several times, with less weight for those that
  /// face another way: noise is removed, while right angles are preserved however few faces they
  /// have.
  private static func smoothed(
    _ normals: [Vector3], areas: [Float], vertices: [UInt32], vertexCount: Int, rounds: Int
  ) -> ([Vector3], [Float]) {
    let corners = VertexCorners(indices: vertices, vertexCount: vertexCount)
    var result = normals
    var flatness = [Float](repeating: 0, count: normals.count)
    for round in 0..<rounds {
      let current = result
      if round == rounds - 1 {
        flatness = Self.flatness(current, areas: areas, vertices: vertices, corners)
      }
      result = Parallel.array(count: normals.count) { face in
        guard areas[face] > 0 else { return .zero }
        let own = current[face].simd
        var sum = SIMD3<Float>.zero
        for vertex in vertices[3 * face..<3 * face + 3] {
          var (part, total) = (SIMD3<Float>.zero, Float(0))
          for corner in corners[Int(vertex)] {
            let other = Int(corner) / 3
            let weight =
              min(areas[other], largestWeight * areas[face])
              * likeness(own.dot(current[other].simd))
            part += current[other].simd * weight
            total += weight
          }
          if total > 0 { sum += part / total }
        }
        return Vector3(sum.normalized)
      }
    }
    return (result, flatness)
  }

  /// The similarity of the normals around each face, 0…1.
  private static func flatness(
    _ normals: [Vector3], areas: [Float], vertices: [UInt32], _ corners: VertexCorners
  ) -> [Float] {
    let means: [Vector3] = Parallel.array(count: corners.offsets.count - 1) { vertex in
      var sum = SIMD3<Float>.zero
      var area: Float = 0
      for corner in corners[vertex] {
        sum += normals[Int(corner) / 3].simd * areas[Int(corner) / 3]
        area += areas[Int(corner) / 3]
      }
      return Vector3(area > 0 ? sum / area : sum)
    }
    return Parallel.array(count: normals.count) { face in
      let sum =
        means[Int(vertices[3 * face])].simd + means[Int(vertices[3 * face + 1])].simd
        + means[Int(vertices[3 * face + 2])].simd
      return sum.length / 3
    }
  }
}
