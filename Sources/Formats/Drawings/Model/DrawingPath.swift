import MeshPipeline
import POSIX

/// A line of straight parts and arcs.
struct DrawingPath: Sendable, Equatable {
  var points: [SIMD2<Double>]
  /// For each point the tangent of a quarter of the angle of the arc that begins there, positive if counterclockwise, as in
  /// DXF; empty where all parts are straight.
  var bulges: [Double] = []
  /// Whether the last point is joined to the first.
  var isClosed = false

  init(_ points: [SIMD2<Double>], isClosed: Bool = false) {
    (self.points, self.isClosed) = (points, isClosed)
  }

  /// An arc from a point to another one.
  init(from start: SIMD2<Double>, to end: SIMD2<Double>, bulge: Double) {
    points = [start, end]
    bulges = [bulge, 0]
  }

  static func rectangle(_ low: SIMD2<Double>, _ high: SIMD2<Double>) -> DrawingPath {
    DrawingPath([low, SIMD2(high.x, low.y), high, SIMD2(low.x, high.y)], isClosed: true)
  }

  /// A quarter of a circle, counterclockwise.
  static func quarter(from start: SIMD2<Double>, to end: SIMD2<Double>) -> DrawingPath {
    DrawingPath(from: start, to: end, bulge: tan(.pi / 8))
  }

  static func circle(_ center: SIMD2<Double>, radius: Double) -> DrawingPath {
    var path = DrawingPath(
      [center - SIMD2(radius, 0), center + SIMD2(radius, 0)], isClosed: true)
    path.bulges = [1, 1]
    return path
  }

  /// The number of its parts.
  var partCount: Int { isClosed ? points.count : max(0, points.count - 1) }

  /// A part.
  func part(_ index: Int) -> PlanCurve {
    PlanCurve(
      from: points[index], to: points[(index + 1) % points.count],
      bulge: bulges.indices.contains(index) ? bulges[index] : 0)
  }

  /// The path with chords in place of arcs, which they leave by at most a distance.
  func flattened(tolerance: Double) -> [SIMD2<Double>] {
    var result: [SIMD2<Double>] = points.first.map { [$0] } ?? []
    for index in 0..<partCount {
      let part = part(index)
      if let arc = part.arc {
        let step = 2 * acos(max(0, 1 - tolerance / arc.radius))
        let count = max(2, Int((abs(arc.sweep) / max(step, 0.01)).rounded(.up)))
        for number in 1..<count { result.append(arc.point(at: Double(number) / Double(count))) }
      }
      if !(isClosed && index == partCount - 1) { result.append(part.end) }
    }
    return result
  }
}
