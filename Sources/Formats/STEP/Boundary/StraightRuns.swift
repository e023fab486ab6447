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
      keepBends(of: run, start..<end)
      start = end
    }
  }

  /// Keeps the vertex between two that is farthest from the straight line, and so on (Douglas and Peucker 1973).
  private mutating func keepBends(of run: [Int], _ range: Range<Int>) {
    var open = [range]
    while let range = open.popLast() {
      guard range.count > 1 else { continue }
      let (a, b) = (facets.start(run[range.lowerBound]), facets.start(run[range.upperBound]))
      var farthest = (place: 0, distance: tolerance)
      for place in range.dropFirst() {
        let distance = Self.distance(of: facets.start(run[place]), a, b)
        if distance > farthest.distance { farthest = (place, distance) }
      }
      guard farthest.place > 0 else { continue }
      isKept[Int(facets.indices[run[farthest.place]])] = true
      open.append(range.lowerBound..<farthest.place)
      open.append(farthest.place..<range.upperBound)
    }
  }

  /// The distance of a point from the line between two others.
  private static func distance(
    of point: SIMD3<Double>, _ a: SIMD3<Double>, _ b: SIMD3<Double>
  ) -> Double {
    let (line, offset) = (b - a, point - a)
    let length = line.lengthSquared
    let share = length > 0 ? min(max(line.dot(offset) / length, 0), 1) : 0
    return (offset - line * share).length
  }
}
