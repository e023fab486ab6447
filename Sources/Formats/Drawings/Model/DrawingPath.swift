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

  /// A part: its ends, and its bulge.
  func part(_ index: Int) -> (start: SIMD2<Double>, end: SIMD2<Double>, bulge: Double) {
    (
      points[index], points[(index + 1) % points.count],
      bulges.indices.contains(index) ? bulges[index] : 0
    )
  }

  /// The path with chords in place of arcs, which they leave by at most a distance.
  func flattened(tolerance: Double) -> [SIMD2<Double>] {
    var result: [SIMD2<Double>] = points.first.map { [$0] } ?? []
    for index in 0..<partCount {
      let (start, end, bulge) = part(index)
      if let arc = DrawingArc(from: start, to: end, bulge: bulge) {
        let step = 2 * acos(max(0, 1 - tolerance / arc.radius))
        let count = max(2, Int((abs(arc.sweep) / max(step, 0.01)).rounded(.up)))
        for number in 1..<count { result.append(arc.point(at: Double(number) / Double(count))) }
      }
      if !(isClosed && index == partCount - 1) { result.append(end) }
    }
    return result
  }
}

/// A part of a circle.
struct DrawingArc {
  var center: SIMD2<Double>
  var radius: Double
  /// Where it begins, counterclockwise from x, in radians.
  var start: Double
  /// The angle from its beginning to its end, positive if counterclockwise.
  var sweep: Double

  /// Nil if it is straight.
  init?(from start: SIMD2<Double>, to end: SIMD2<Double>, bulge: Double) {
    let chord = end - start
    let length = (chord * chord).sum().squareRoot()
    guard abs(bulge) > 1e-6, length > 0, bulge.isFinite else { return nil }
    sweep = 4 * atan(bulge)
    radius = length * (1 + bulge * bulge) / (4 * abs(bulge))
    // From the chord's middle to the left, by what the arc does not rise.
    let rise = length * (1 - bulge * bulge) / (4 * bulge)
    center = (start + end) / 2 + SIMD2(-chord.y, chord.x) / length * rise
    self.start = atan2(start.y - center.y, start.x - center.x)
  }

  func point(at share: Double) -> SIMD2<Double> {
    let angle = start + share * sweep
    return center + SIMD2(cos(angle), sin(angle)) * radius
  }
}
