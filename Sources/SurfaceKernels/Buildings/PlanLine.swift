import MeshpipeScene

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
