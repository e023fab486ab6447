import MeshPipeline

/// The vertices that borders of flat regions need: where more than two regions meet, and where the border bends.
struct StraightRuns {
  /// Whether each vertex is one of them.
  private(set) var isKept: [Bool]

  private let facets: Facets
  private let tolerance: Double

  /// - Parameter tolerance: The greatest distance of a vertex that is left out from its straight edge.
  init(_ facets: Facets, _ regions: [FlatRegions.Region], tolerance: Double) {
    (self.facets, self.tolerance) = (facets, tolerance)
    var degrees = [Int32](repeating: 0, count: facets.positions.count)
    for corner in regions.lazy.flatMap(\.loops).joined() {
      let partner = Int(facets.partners[corner])
      guard partner < 0 || corner < partner else { continue }
      degrees[Int(facets.indices[corner])] += 1
      degrees[Int(facets.indices[nextCorner(corner)])] += 1
    }
    isKept = degrees.map { $0 > 0 && $0 != 2 }
    for loop in regions.lazy.flatMap(\.loops) { straighten(loop) }
    // A face needs three corners, also one as narrow as the tolerance.
    for loop in regions.lazy.flatMap(\.loops) where loop.count(where: keeps) < 3 {
      for corner in loop { isKept[Int(facets.indices[corner])] = true }
    }
  }

  private func keeps(_ corner: Int) -> Bool { isKept[Int(facets.indices[corner])] }

  /// Keeps the bends between the kept vertices of a loop.
  private mutating func straighten(_ loop: [Int]) {
    if !loop.contains(where: keeps) {
      // What is farthest from any of them is a bend.
      let start = facets.start(loop[0])
      let farthest = loop.max { one, other in
        (facets.start(one) - start).lengthSquared < (facets.start(other) - start).lengthSquared
      }
      if let farthest { isKept[Int(facets.indices[farthest])] = true }
    }
    guard let first = loop.firstIndex(where: keeps) else { return }
    let run = Array(loop[first...] + loop[...first])
    var start = 0
    for end in 1..<run.count where keeps(run[end]) {
      for bend in bends(of: start...end, tolerance: tolerance, point: { facets.start(run[$0]) }) {
        isKept[Int(facets.indices[run[bend]])] = true
      }
      start = end
    }
  }
}
