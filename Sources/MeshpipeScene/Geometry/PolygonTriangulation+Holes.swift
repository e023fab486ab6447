extension PolygonTriangulation {
  /// The triangles of a flat region with holes.
  ///
  /// Each hole is joined to what is around it by a pair of edges to a corner that is visible from it, and ears are cut
  /// off the one polygon that remains (Eberly, "Triangulation by Ear Clipping", 2008).
  ///
  /// - Parameter loops: Outlines counterclockwise and holes clockwise, which neither touch nor cross.
  /// - Returns: Three corners for each triangle, counterclockwise, numbered in the order of the loops; nil if the
  ///   triangles don't cover the area, as for loops that cross.
  package static func triangles(ofLoops loops: [[SIMD2<Double>]]) -> [Int]? {
    let points = Array(loops.joined())
    var polygons: [[Int]] = []
    var holes: [[Int]] = []
    var (first, area) = (0, 0.0)
    for loop in loops {
      let corners = Array(first..<first + loop.count)
      let signed = signedArea(of: loop)
      if signed > 0 { polygons.append(corners) } else { holes.append(corners) }
      area += signed
      first += loop.count
    }
    // From the right, so that a hole may be joined to another one.
    func right(_ hole: [Int]) -> Int {
      hole.indices.max { points[hole[$0]].x < points[hole[$1]].x } ?? 0
    }
    for hole in holes.sorted(by: { points[$0[right($0)]].x > points[$1[right($1)]].x }) {
      guard join(hole, at: right(hole), to: &polygons, points) else { return nil }
    }
    var triangles: [Int] = []
    var covered = 0.0
    for polygon in polygons {
      var clipping = EarClipping(polygon.map { points[$0] })
      for corner in clipping.triangles() { triangles.append(polygon[corner]) }
    }
    for start in stride(from: 0, to: triangles.count, by: 3) {
      let (a, b, c) = (triangles[start], triangles[start + 1], triangles[start + 2])
      // A triangle that is turned over doesn't make up for one too many.
      covered += abs(EarClipping.area(points[a], points[b], points[c])) / 2
    }
    return abs(covered - area) <= 1e-6 * abs(area) ? triangles : nil
  }

  /// The area of a polygon, negative if it is clockwise.
  package static func signedArea(of polygon: [SIMD2<Double>]) -> Double {
    guard let first = polygon.first else { return 0 }
    return zip(polygon, polygon.dropFirst()).reduce(0) {
      $0 + EarClipping.area(first, $1.0, $1.1) / 2
    }
  }

  /// Joins a hole to the polygon around it.
  ///
  /// - Parameter place: The place of its rightmost corner.
  private static func join(
    _ hole: [Int], at place: Int, to polygons: inout [[Int]], _ points: [SIMD2<Double>]
  ) -> Bool {
    let start = points[hole[place]]
    // The nearest edge to the right, and of its ends the one farther to the right.
    var (nearest, bridge) = (Double.infinity, (polygon: -1, corner: -1))
    for (number, polygon) in polygons.enumerated() {
      for corner in polygon.indices {
        let next = corner + 1 < polygon.count ? corner + 1 : 0
        let (a, b) = (points[polygon[corner]], points[polygon[next]])
        guard min(a.y, b.y) <= start.y, max(a.y, b.y) >= start.y, a.y != b.y else { continue }
        let x = a.x + (start.y - a.y) / (b.y - a.y) * (b.x - a.x)
        // Of both edges of a bridge, the one that has the hole on its inner side.
        guard x >= start.x, x < nearest, EarClipping.area(a, b, start) > 0 else { continue }
        (nearest, bridge) = (x, (number, a.x > b.x ? corner : next))
      }
    }
    guard bridge.polygon >= 0 else { return false }
    let polygon = polygons[bridge.polygon]
    let meeting = SIMD2(nearest, start.y)
    let visible = visibleCorner(of: polygon, from: start, meeting, bridge.corner, points)
    let turned = hole[place...] + hole[...place]
    polygons[bridge.polygon] = Array(polygon[...visible] + turned + polygon[visible...])
    return true
  }

  /// The corner that nothing hides: the end of the nearest edge, or of what reaches into the triangle before it the one
  /// nearest to the direction of the ray.
  private static func visibleCorner(
    of polygon: [Int], from start: SIMD2<Double>, _ meeting: SIMD2<Double>, _ end: Int,
    _ points: [SIMD2<Double>]
  ) -> Int {
    let tip = points[polygon[end]]
    let side: Double = tip.y < start.y ? -1 : 1
    func slope(_ point: SIMD2<Double>) -> Double {
      abs(point.y - start.y) / max(point.x - start.x, .leastNormalMagnitude)
    }
    var best = end
    for corner in polygon.indices {
      let point = points[polygon[corner]]
      guard point != tip, point.x >= start.x, point != start,
        opens(polygon, at: corner, towards: start, points),
        side * EarClipping.area(start, meeting, point) >= 0,
        side * EarClipping.area(meeting, tip, point) >= 0,
        side * EarClipping.area(tip, start, point) >= 0
      else { continue }
      let known = points[polygon[best]]
      let (one, other) = (slope(point), slope(known))
      if one < other || one == other && point.x < known.x { best = corner }
    }
    return best
  }

  /// Whether a polygon is on the side of a corner where a point is; a corner of two bridges is there more than once.
  private static func opens(
    _ polygon: [Int], at corner: Int, towards point: SIMD2<Double>, _ points: [SIMD2<Double>]
  ) -> Bool {
    let tip = points[polygon[corner]]
    let before = points[polygon[corner > 0 ? corner - 1 : polygon.count - 1]]
    let after = points[polygon[corner + 1 < polygon.count ? corner + 1 : 0]]
    let isLeft = (
      EarClipping.area(before, tip, point) > 0, EarClipping.area(tip, after, point) > 0
    )
    let isConvex = EarClipping.area(before, tip, after) > 0
    return isConvex ? isLeft.0 && isLeft.1 : isLeft.0 || isLeft.1
  }
}
