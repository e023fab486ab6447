import MeshpipeScene

/// Finds points on a surface for vertices that have left it, near where they came from.
struct SurfaceProjection {
  /// A point on a face.
  struct Place: BitwiseCopyable {
    var face: UInt32
    /// The weight of each corner of the face; not negative, with a sum of one.
    var weights: SIMD3<Float>
  }

  /// A walk of more steps than this ends where it is.
  private static let longestWalk = 16

  private let surface: EdgeCollapse.Surface
  private let corners: VertexCorners

  init(_ surface: EdgeCollapse.Surface) {
    self.surface = surface
    corners = VertexCorners(indices: surface.vertices, vertexCount: surface.positions.count)
  }

  /// The points of vertices, each the nearest one that a walk from its anchor leads to.
  func places(of moved: [EdgeCollapse.MovedVertex]) -> [Place] {
    Parallel.array(count: moved.count, chunkSize: 1 << 10) { place(of: moved[$0]) }
  }

  /// Walks over the faces around a vertex to those around the nearest of their corners, and so on.
  ///
  /// It does not cross a seam: from a corner it continues to the faces that share its wedge.
  private func place(of moved: EdgeCollapse.MovedVertex) -> Place {
    var vertex = moved.anchor
    var wedge: UInt32?
    // If no distance is finite, the result is the anchor's own position.
    var best = Place(face: (corners[Int(vertex)].first ?? 0) / 3, weights: SIMD3(1, 0, 0))
    var leastDistance = Float.infinity
    for _ in 0..<Self.longestWalk {
      var isNearer = false
      for corner in corners[Int(vertex)] {
        if let wedge, let all = surface.wedges, all[Int(corner)] != wedge { continue }
        let (weights, distance) = nearest(to: moved.position.simd, onFace: corner / 3)
        guard distance < leastDistance else { continue }
        leastDistance = distance
        best = Place(face: corner / 3, weights: weights)
        isNearer = true
      }
      guard isNearer else { break }
      let heaviest =
        best.weights.x >= best.weights.y
        ? best.weights.x >= best.weights.z ? 0 : 2 : best.weights.y >= best.weights.z ? 1 : 2
      let corner = 3 * Int(best.face) + heaviest
      guard surface.vertices[corner] != vertex else { break }
      vertex = surface.vertices[corner]
      wedge = surface.wedges?[corner]
    }
    return best
  }

  /// The weights of the nearest point of a face, and its squared distance.
  private func nearest(
    to point: SIMD3<Float>, onFace face: UInt32
  ) -> (weights: SIMD3<Float>, distance: Float) {
    let a = surface.positions[Int(surface.vertices[3 * Int(face)])].simd
    let b = surface.positions[Int(surface.vertices[3 * Int(face) + 1])].simd
    let c = surface.positions[Int(surface.vertices[3 * Int(face) + 2])].simd
    let weights = Self.weights(ofNearestTo: point, a, b, c)
    let offset = a * weights.x + b * weights.y + c * weights.z - point
    return (weights, offset.lengthSquared)
  }

  /// The weights of the nearest point of a triangle.
  ///
  /// Ericson, "Real-Time Collision Detection", 2005, section 5.1.5.
  static func weights(
    ofNearestTo point: SIMD3<Float>, _ a: SIMD3<Float>, _ b: SIMD3<Float>, _ c: SIMD3<Float>
  ) -> SIMD3<Float> {
    let (ab, ac) = (b - a, c - a)
    let (d1, d2) = (ab.dot(point - a), ac.dot(point - a))
    if d1 <= 0, d2 <= 0 { return SIMD3(1, 0, 0) }
    let (d3, d4) = (ab.dot(point - b), ac.dot(point - b))
    if d3 >= 0, d4 <= d3 { return SIMD3(0, 1, 0) }
    let vc = d1 * d4 - d3 * d2
    if vc <= 0, d1 >= 0, d3 <= 0 {
      let part = d1 > d3 ? d1 / (d1 - d3) : 0
      return SIMD3(1 - part, part, 0)
    }
    let (d5, d6) = (ab.dot(point - c), ac.dot(point - c))
    if d6 >= 0, d5 <= d6 { return SIMD3(0, 0, 1) }
    let vb = d5 * d2 - d1 * d6
    if vb <= 0, d2 >= 0, d6 <= 0 {
      let part = d2 > d6 ? d2 / (d2 - d6) : 0
      return SIMD3(1 - part, 0, part)
    }
    let va = d3 * d6 - d5 * d4
    if va <= 0, d4 >= d3, d5 >= d6 {
      let sum = (d4 - d3) + (d5 - d6)
      let part = sum > 0 ? (d4 - d3) / sum : 0
      return SIMD3(0, 1 - part, part)
    }
    let sum = va + vb + vc
    guard sum > 0 else { return SIMD3(1, 0, 0) }
    return SIMD3(va / sum, vb / sum, vc / sum)
  }
}
