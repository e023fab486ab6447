import MeshpipeScene
import POSIX

/// Products of vectors in the plan.
extension SIMD2<Double> {
  /// The dot product.
  func dot(_ other: Self) -> Double { x * other.x + y * other.y }

  /// The z component of the cross product: positive if `other` is to the left.
  func cross(_ other: Self) -> Double { x * other.y - y * other.x }

  /// The Euclidean length.
  var length: Double { dot(self).squareRoot() }

  /// The unit vector in the same direction; zero for zero.
  var normalized: Self {
    let length = length
    return length > 0 && length.isFinite ? self / length : .zero
  }

  /// The vector turned by 90° counterclockwise.
  var left: Self { Self(-y, x) }

  /// The angle from x, counterclockwise in radians.
  var angle: Double { atan2(y, x) }

  /// The unit vector of an angle.
  init(angle: Double) { self.init(cos(angle), sin(angle)) }
}

/// A line in the plan with a direction.
struct PlanLine: Sendable {
  var point: SIMD2<Double>
  /// Of length 1.
  var direction: SIMD2<Double>

  init(_ point: SIMD2<Double>, _ direction: SIMD2<Double>) {
    self.point = point
    self.direction = direction
  }

  init(from start: SIMD2<Double>, to end: SIMD2<Double>) {
    self.init(start, (end - start).normalized)
  }

  /// The signed distance of a point, positive to the left.
  func distance(to other: SIMD2<Double>) -> Double { direction.cross(other - point) }

  /// The coordinate of a point along the line.
  func coordinate(of other: SIMD2<Double>) -> Double { direction.dot(other - point) }

  /// The point at a coordinate.
  func point(at coordinate: Double) -> SIMD2<Double> { point + direction * coordinate }

  /// The line beside this one, to the left.
  func moved(left distance: Double) -> Self { Self(point + direction.left * distance, direction) }

  /// Where two lines cross; nil if the sine of their angle is less than `leastSine`.
  func crossing(_ other: Self, leastSine: Double = 0.1) -> SIMD2<Double>? {
    let sine = direction.cross(other.direction)
    guard abs(sine) >= leastSine else { return nil }
    return point(at: (other.point - point).cross(other.direction) / sine)
  }
}

/// Twice the area of a polygon is the sum of its crosses; positive if it is counterclockwise.
package func signedArea(of polygon: [SIMD2<Double>]) -> Double {
  guard let first = polygon.first else { return 0 }
  var sum = 0.0
  for index in polygon.indices {
    let next = polygon[(index + 1) % polygon.count]
    sum += (polygon[index] - first).cross(next - first)
  }
  return sum / 2
}

/// An arc between two points, by the bulge of DXF: the tangent of a quarter of its angle, positive if counterclockwise.
struct PlanArc: Sendable {
  let start: SIMD2<Double>
  let end: SIMD2<Double>
  let center: SIMD2<Double>
  let radius: Double
  /// From start to end, in radians; negative if clockwise.
  let sweep: Double

  /// The arc of a bulge that is not 0.
  init(from start: SIMD2<Double>, to end: SIMD2<Double>, bulge: Double) {
    self.start = start
    self.end = end
    sweep = 4 * atan(bulge)
    let chord = end - start
    radius = chord.length / (2 * abs(sin(sweep / 2)))
    let apothem = (1 - bulge * bulge) / (4 * bulge)
    center = (start + end) / 2 + chord.left * apothem
  }

  /// The bulge of an arc around a centre.
  static func bulge(sweep: Double) -> Double { tan(sweep / 4) }

  var length: Double { radius * abs(sweep) }

  /// The point at a share of the way.
  func point(at share: Double) -> SIMD2<Double> {
    center + SIMD2(angle: (start - center).angle + sweep * share) * radius
  }

  /// Points from start to end, both included, at most `step` radians apart.
  func points(step: Double = 5 * .pi / 180) -> [SIMD2<Double>] {
    let count = max(1, Int((abs(sweep) / step).rounded(.up)))
    return [start] + (1..<count).map { point(at: Double($0) / Double(count)) } + [end]
  }

  /// The share of the way at which a point beside the arc is.
  func share(of other: SIMD2<Double>) -> Double {
    let middle = (point(at: 0.5) - center).angle
    let turn = remainder((other - center).angle - middle, 2 * .pi)
    return 0.5 + turn / sweep
  }
}

/// A number in the middle of others; nil without any.
func median(_ values: [Double]) -> Double? {
  guard !values.isEmpty else { return nil }
  let sorted = values.sorted()
  return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}
