import MeshpipeScene

extension ChartSet {
  /// Rotates each chart so that its bounding box is as small as possible, and wider than high.
  ///
  /// The smallest box has a side on an edge of the convex hull (Freeman and Shapira, 1975).
  func turnedToSmallestBoxes(_ members: ChartMembers) -> ChartSet {
    let turns: [SIMD2<Float>] = Parallel.map(count: count) { chart in
      Self.smallestBoxDirection(of: hull(of: members[chart]))
    }
    var turned = self
    turned.corners = Parallel.array(count: corners.count) { corner in
      let chart = chartOfFace[corner / 3]
      guard chart != Atlas.noChart else { return .zero }
      let (turn, place) = (turns[Int(chart)], corners[corner])
      return SIMD2(
        place.x * turn.x + place.y * turn.y, place.y * turn.x - place.x * turn.y)
    }
    return turned
  }

  /// The convex hull of a chart (Andrew's monotone chain).
  private func hull(of faces: ArraySlice<UInt32>) -> [SIMD2<Float>] {
    var points: [SIMD2<Float>] = []
    points.reserveCapacity(3 * faces.count)
    for face in faces {
      for corner in 3 * Int(face)..<3 * Int(face) + 3 { points.append(corners[corner]) }
    }
    points.sort { ($0.x, $0.y) < ($1.x, $1.y) }
    func half(_ points: some Sequence<SIMD2<Float>>) -> [SIMD2<Float>] {
      var chain: [SIMD2<Float>] = []
      for point in points {
        while chain.count > 1 {
          let (a, b) = (chain[chain.count - 2], chain[chain.count - 1])
          let (ab, ap) = (b - a, point - a)
          guard ab.x * ap.y - ab.y * ap.x <= 0 else { break }
          chain.removeLast()
        }
        chain.append(point)
      }
      return chain
    }
    return half(points).dropLast() + half(points.reversed()).dropLast()
  }

  /// The unit vector along the longer side of the smallest box around a convex polygon.
  private static func smallestBoxDirection(of hull: [SIMD2<Float>]) -> SIMD2<Float> {
    var best = SIMD2<Float>(1, 0)
    var bestArea = Float.infinity
    for index in hull.indices {
      let edge = hull[(index + 1) % hull.count] - hull[index]
      let length = (edge * edge).sum().squareRoot()
      guard length > 0, length.isFinite else { continue }
      let direction = edge / length
      var (low, high) = (SIMD2<Float>(repeating: .infinity), SIMD2<Float>(repeating: -.infinity))
      for point in hull {
        let place = SIMD2(
          point.x * direction.x + point.y * direction.y,
          point.y * direction.x - point.x * direction.y)
        low.replace(with: place, where: place .< low)
        high.replace(with: place, where: place .> high)
      }
      let size = high - low
      guard size.x * size.y < bestArea else { continue }
      bestArea = size.x * size.y
      best = size.x >= size.y ? direction : SIMD2(-direction.y, direction.x)
    }
    return best
  }
}
