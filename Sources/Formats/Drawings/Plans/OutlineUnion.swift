import MeshPipeline
import POSIX

/// The outline of several polygons together: what is on the border of one and in none of the others.
///
/// Borders are cut where they meet, and the pieces that nothing covers joined again. Only then corners within a tenth of a
/// millimetre become one: as many pieces still end at each as begin there.
///
/// - Complexity: O(edges²), for the few thousand edges of a plan.
struct OutlineUnion {
  /// Counterclockwise around what is covered, clockwise around holes.
  private(set) var loops: [[SIMD2<Double>]] = []
  /// Whether the loops are the outline; otherwise it could not be closed, and they are the polygons themselves.
  private(set) var isMerged = true

  private typealias Point = SIMD2<Int>

  private struct Edge: Hashable {
    var from: Point
    var to: Point
  }

  private struct Polygon {
    var points: [SIMD2<Double>]
    var low: SIMD2<Double>
    var high: SIMD2<Double>
  }

  private static let grid = 1e-8
  /// How far beside an edge it is tried what is there, in metres: gaps between walls in nearly one line are narrow.
  private static let probe = 1e-10
  /// Corners nearer to the line between their neighbours are none, in metres.
  private static let straightness = 5e-5

  /// - Parameter polygons: Each counterclockwise, without crossing itself, in metres.
  init(of polygons: [[SIMD2<Double>]]) {
    let shapes = polygons.filter { $0.count > 2 }.map { points in
      Polygon(
        points: points, low: points.reduce(points[0], pointwiseMin),
        high: points.reduce(points[0], pointwiseMax))
    }
    var borders = Set<Edge>()
    var ordered: [Edge] = []
    for (index, shape) in shapes.enumerated() {
      for (a, b) in Self.pieces(of: shape, among: shapes) {
        let edge = Edge(from: Self.onGrid(a), to: Self.onGrid(b))
        let along = b - a
        let length = along.length
        guard edge.from != edge.to else { continue }
        let beside = (a + b) / 2 + -along.left / length * Self.probe
        let isCovered = shapes.enumerated().contains { other, shape in
          other != index && all(beside .>= shape.low) && all(beside .<= shape.high)
            && isInside(beside, of: shape.points)
        }
        if !isCovered, borders.insert(edge).inserted { ordered.append(edge) }
      }
    }
    var corners = Corners()
    let merged = ordered.map { edge in
      Edge(from: corners.corner(at: edge.from), to: corners.corner(at: edge.to))
    }
    if let joined = Self.joined(merged.filter { $0.from != $0.to }) {
      loops = joined.compactMap(Self.straightened)
    } else {
      (loops, isMerged) = (shapes.map(\.points), false)
    }
  }

  /// The corners found so far, each of which stands for those near it.
  private struct Corners {
    private var known: [Point: [Point]] = [:]

    /// In steps of the grid; a cell is as wide.
    private static let (reach, cellBits) = (8192, 13)

    /// The corner that stands for a point.
    mutating func corner(at point: Point) -> Point {
      let cell = Point(point.x >> Self.cellBits, point.y >> Self.cellBits)
      for x in -1...1 {
        for y in -1...1 {
          let near = known[cell &+ Point(x, y)]?.first { other in
            let offset = other &- point
            return (offset &* offset).wrappedSum() <= Self.reach * Self.reach
          }
          if let near { return near }
        }
      }
      known[cell, default: []].append(point)
      return point
    }
  }

  private static func place(_ point: Point) -> SIMD2<Double> {
    SIMD2(Double(point.x), Double(point.y)) * grid
  }

  private static func onGrid(_ point: SIMD2<Double>) -> Point {
    Point(Int((point.x / grid).rounded()), Int((point.y / grid).rounded()))
  }

  /// The edges of a polygon, cut where others cross or touch them.
  private static func pieces(
    of shape: Polygon, among shapes: [Polygon]
  ) -> [(from: SIMD2<Double>, to: SIMD2<Double>)] {
    var pieces: [(from: SIMD2<Double>, to: SIMD2<Double>)] = []
    let margin = SIMD2(repeating: grid)
    for (index, start) in shape.points.enumerated() {
      let end = shape.points[(index + 1) % shape.points.count]
      let (low, high) = (pointwiseMin(start, end) - margin, pointwiseMax(start, end) + margin)
      var shares = [0.0, 1.0]
      for other in shapes where all(other.low .<= high) && all(other.high .>= low) {
        for (number, a) in other.points.enumerated() {
          let b = other.points[(number + 1) % other.points.count]
          shares += meetings(start, end, a, b)
        }
      }
      let stations = Set(shares).sorted().map { start + (end - start) * $0 }
      for (from, to) in zip(stations, stations.dropFirst()) { pieces.append((from, to)) }
    }
    return pieces
  }

  /// Where on an edge another one crosses it or ends on it, as shares of its length.
  private static func meetings(
    _ start: SIMD2<Double>, _ end: SIMD2<Double>, _ a: SIMD2<Double>, _ b: SIMD2<Double>
  ) -> [Double] {
    let along = end - start
    let square = along.dot(along)
    guard square > 0 else { return [] }
    var shares: [Double] = []
    for point in [a, b] {
      let share = (point - start).dot(along) / square
      let gap = abs(along.cross(point - start)) / square.squareRoot()
      if gap < probe, share > 0, share < 1 { shares.append(share) }
    }
    let denominator = along.cross(b - a)
    guard abs(denominator) > 1e-12 else { return shares }
    let share = (a - start).cross(b - a) / denominator
    let other = (a - start).cross(along) / denominator
    if share > 0, share < 1, other >= 0, other <= 1 { shares.append(share) }
    return shares
  }

  /// Edges as closed loops; where several go on from a corner, the one that turns most to the right, so that loops that
  /// touch are not one.
  ///
  /// - Returns: Nil if an edge is in no closed loop.
  private static func joined(_ edges: [Edge]) -> [[SIMD2<Double>]]? {
    var leaving: [Point: [Int]] = [:]
    for (index, edge) in edges.enumerated() { leaving[edge.from, default: []].append(index) }
    var isUsed = [Bool](repeating: false, count: edges.count)
    var loops: [[SIMD2<Double>]] = []
    for first in edges.indices where !isUsed[first] {
      var loop: [Point] = []
      var current = first
      while true {
        isUsed[current] = true
        loop.append(edges[current].from)
        let end = edges[current].to
        if end == edges[first].from { break }
        let free = (leaving[end] ?? []).filter { !isUsed[$0] }
        let before = edges[current].to &- edges[current].from
        guard
          let next = free.max(by: { turn(before, edges[$0]) < turn(before, edges[$1]) })
        else { return nil }
        current = next
      }
      if loop.count > 2 { loops.append(loop.map(place)) }
    }
    return loops
  }

  /// The turn to the left from a direction into an edge.
  private static func turn(_ before: Point, _ edge: Edge) -> Double {
    let (u, v) = (place(before), place(edge.to &- edge.from))
    return atan2(u.cross(v), u.dot(v))
  }

  /// A loop without corners on the line between their neighbours; nil if nothing is left.
  private static func straightened(_ loop: [SIMD2<Double>]) -> [SIMD2<Double>]? {
    var points = loop
    var isChanged = true
    while isChanged, points.count > 2 {
      isChanged = false
      var kept: [SIMD2<Double>] = []
      for (index, point) in points.enumerated() {
        let before = kept.last ?? points[points.count - 1]
        let after = points[(index + 1) % points.count]
        let along = after - before
        let length = along.length
        let offset = point - before
        let gap = length > 0 ? abs(along.cross(offset)) / length : 0
        if gap > straightness { kept.append(point) } else { isChanged = true }
      }
      points = kept
    }
    return points.count > 2 ? points : nil
  }
}
