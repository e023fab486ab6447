/// The convex hull of points in a plane (Andrew's monotone chain).
struct ConvexHull {
  /// Counterclockwise.
  let corners: [SIMD2<Float>]

  /// - Complexity: O(n log n)
  init(of points: consuming [SIMD2<Float>]) {
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
    corners = half(points).dropLast() + half(points.reversed()).dropLast()
  }

  /// The unit vector along the longer side of the smallest box around the hull.
  ///
  /// The smallest box has a side on an edge of the hull (Freeman and Shapira, 1975).
  var smallestBoxDirection: SIMD2<Float> {
    var best = SIMD2<Float>(1, 0)
    var bestArea = Float.infinity
    for index in corners.indices {
      let edge = corners[(index + 1) % corners.count] - corners[index]
      let length = (edge * edge).sum().squareRoot()
      guard length > 0, length.isFinite else { continue }
      let direction = edge / length
      var (low, high) = (SIMD2<Float>(repeating: .infinity), SIMD2<Float>(repeating: -.infinity))
      for point in corners {
        let position = SIMD2(
          point.x * direction.x + point.y * direction.y,
          point.y * direction.x - point.x * direction.y)
        low.replace(with: position, where: position .< low)
        high.replace(with: position, where: position .> high)
      }
      let size = high - low
      guard size.x * size.y < bestArea else { continue }
      bestArea = size.x * size.y
      best = size.x >= size.y ? direction : SIMD2(-direction.y, direction.x)
    }
    return best
  }
}
