/// Triangulates polygons in their own plane, including concave ones.
package enum PolygonTriangulation {
  /// The triangles of a polygon as indices into `polygon`, three each, `polygon.count - 2` of them.
  ///
  /// They have the polygon's winding. For a polygon that crosses itself, has no area or is not
  /// finite, the result is a fan from its first corner as far as no better cut exists.
  package static func triangles(of polygon: [Vector3]) -> [Int] {
    let count = polygon.count
    if count == 4 {
      return prefersSecondDiagonal(polygon) ? [0, 1, 3, 1, 2, 3] : [0, 1, 2, 0, 2, 3]
    }
    let normal = areaNormal(of: polygon)
    guard count > 4, normal.lengthSquared > 0, normal.lengthSquared.isFinite else {
      return fan(Array(0..<count))
    }
    var clipping = EarClipping(projected(polygon, along: normal))
    return clipping.triangles()
  }

  /// Whether only the diagonal from the second to the fourth corner is inside a quadrilateral.
  package static func prefersSecondDiagonal(_ quad: [Vector3]) -> Bool {
    let (a, b, c, d) = (quad[0].double, quad[1].double, quad[2].double, quad[3].double)
    let first = (b - a).cross(c - a).dot((c - a).cross(d - a))
    if first > 0 { return false }
    return (b - a).cross(d - a).dot((c - b).cross(d - b)) > 0
  }

  /// Twice the area as a vector normal to the polygon's plane (Newell's method).
  private static func areaNormal(of polygon: [Vector3]) -> SIMD3<Double> {
    let origin = polygon[0].double
    var sum = SIMD3<Double>.zero
    for index in 1..<polygon.count - 1 {
      sum += (polygon[index].double - origin).cross(polygon[index + 1].double - origin)
    }
    return sum
  }

  /// The corners projected along `normal`, counter-clockwise.
  private static func projected(
    _ polygon: [Vector3], along normal: SIMD3<Double>
  ) -> [SIMD2<Double>] {
    let z = normal.normalized
    let helper = abs(z.x) < 0.5 ? SIMD3<Double>(1, 0, 0) : SIMD3(0, 1, 0)
    let x = helper.cross(z).normalized
    let y = z.cross(x)
    let origin = polygon[0].double
    return polygon.map { point in
      let offset = point.double - origin
      return SIMD2(offset.dot(x), offset.dot(y))
    }
  }

  fileprivate static func fan(_ corners: [Int]) -> [Int] {
    guard corners.count > 2 else { return [] }
    return (1..<corners.count - 1).flatMap { [corners[0], corners[$0], corners[$0 + 1]] }
  }
}

/// Cuts ears off a polygon until one triangle is left (Meisters 1975).
struct EarClipping {
  private let points: [SIMD2<Double>]
  private var next: [Int]
  private var previous: [Int]
  private var isReflex: [Bool]
  /// The remaining budget of tests: a malicious polygon must not stall the program.
  private var budget: Int

  /// - Parameter points: The corners, counterclockwise.
  init(_ points: [SIMD2<Double>]) {
    self.points = points
    let count = points.count
    next = (0..<count).map { ($0 + 1) % count }
    previous = (0..<count).map { ($0 + count - 1) % count }
    isReflex = [Bool](repeating: false, count: count)
    budget = 1_000_000 + 1000 * count
    for corner in 0..<count { isReflex[corner] = turn(at: corner) <= 0 }
  }

  /// Three corners for each triangle.
  mutating func triangles() -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(3 * (points.count - 2))
    var remaining = points.count
    var corner = 0
    var misses = 0
    if !isReflex.contains(true) { return PolygonTriangulation.fan(Array(0..<remaining)) }
    while remaining > 3, misses < remaining, budget > 0 {
      guard isEar(corner) else {
        misses += 1
        corner = next[corner]
        continue
      }
      let (before, after) = (previous[corner], next[corner])
      result += [before, corner, after]
      (next[before], previous[after]) = (after, before)
      isReflex[before] = turn(at: before) <= 0
      isReflex[after] = turn(at: after) <= 0
      remaining -= 1
      misses = 0
      corner = next[after]  // skipping one gives better triangles than cutting beside the last cut
    }
    var rest = [corner]
    while rest.count < remaining { rest.append(next[rest[rest.count - 1]]) }
    return result + PolygonTriangulation.fan(rest)
  }

  private mutating func isEar(_ corner: Int) -> Bool {
    if isReflex[corner] { return false }
    let (before, after) = (previous[corner], next[corner])
    let (a, b, c) = (points[before], points[corner], points[after])
    var other = next[after]
    while other != before {
      budget -= 1
      let p = points[other]
      if isReflex[other], p != a, p != b, p != c,
        Self.area(a, b, p) >= 0, Self.area(b, c, p) >= 0, Self.area(c, a, p) >= 0
      {
        return false
      }
      other = next[other]
    }
    return true
  }

  private func turn(at corner: Int) -> Double {
    Self.area(points[previous[corner]], points[corner], points[next[corner]])
  }

  /// Twice the signed area of a triangle.
  static func area(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>
  ) -> Double {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
  }
}
