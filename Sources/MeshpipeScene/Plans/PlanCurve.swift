import POSIX

/// A straight line or an arc from one point of a plan to another.
package struct PlanCurve: Sendable {
  package let start: SIMD2<Double>
  package let end: SIMD2<Double>
  /// As in DXF: the tangent of a quarter of the angle of the arc, positive if it goes counterclockwise.
  package let bulge: Double
  /// The circle that it is a part of; nil if it is straight.
  package let arc: PlanArc?

  package init(from start: SIMD2<Double>, to end: SIMD2<Double>, bulge: Double = 0) {
    (self.start, self.end, self.bulge) = (start, end, bulge)
    arc = PlanArc(from: start, to: end, bulge: bulge)
  }

  /// Along it.
  package var length: Double { arc.map { $0.radius * abs($0.sweep) } ?? (end - start).length }

  /// The point at a share of its length.
  package func point(at share: Double) -> SIMD2<Double> {
    arc?.point(at: share) ?? start + (end - start) * share
  }

  /// The unit vector along it at a share of its length.
  package func direction(at share: Double) -> SIMD2<Double> {
    guard let arc else { return (end - start).normalized }
    return SIMD2(angle: arc.start + share * arc.sweep).left * (arc.sweep < 0 ? -1 : 1)
  }

  /// Points from start to end, both included, on an arc at most `step` radians apart.
  package func points(step: Double = 5 * .pi / 180) -> [SIMD2<Double>] {
    let count = arc.map { max(1, Int((abs($0.sweep) / step).rounded(.up))) } ?? 1
    return [start] + (1..<count).map { point(at: Double($0) / Double(count)) } + [end]
  }

  /// The share of its length at which a point beside it is.
  package func share(of point: SIMD2<Double>) -> Double {
    guard let arc else {
      return (end - start).normalized.dot(point - start) / (end - start).length
    }
    let middle = (self.point(at: 0.5) - arc.center).angle
    return 0.5 + remainder((point - arc.center).angle - middle, 2 * .pi) / arc.sweep
  }

  /// The distance of a point from it, or from the line or circle that goes on beyond its ends.
  package func distance(to point: SIMD2<Double>) -> Double {
    guard let arc else { return abs((end - start).normalized.cross(point - start)) }
    return abs((point - arc.center).length - arc.radius)
  }

  /// The ends of the line or arc beside it, to its left.
  package func ends(movedLeft distance: Double) -> (start: SIMD2<Double>, end: SIMD2<Double>) {
    guard let arc else {
      let move = (end - start).normalized.left * distance
      return (start + move, end + move)
    }
    // The centre is on the left of a counterclockwise arc.
    let scale = 1 + (arc.sweep > 0 ? -distance : distance) / arc.radius
    return (arc.center + (start - arc.center) * scale, arc.center + (end - arc.center) * scale)
  }
}

/// A part of a circle.
package struct PlanArc: Sendable {
  package let center: SIMD2<Double>
  package let radius: Double
  /// The angle at which it begins, counterclockwise from x, in radians.
  package let start: Double
  /// The angle from its beginning to its end, positive if counterclockwise.
  package let sweep: Double

  /// The arc between two points with a bulge as in ``PlanCurve``; nil if it is straight.
  package init?(from start: SIMD2<Double>, to end: SIMD2<Double>, bulge: Double) {
    let chord = end - start
    let length = chord.length
    guard abs(bulge) > 1e-6, length > 0, bulge.isFinite else { return nil }
    sweep = 4 * atan(bulge)
    radius = length * (1 + bulge * bulge) / (4 * abs(bulge))
    // From the chord's middle to the left, by what the arc does not rise.
    center = (start + end) / 2 + chord.left * ((1 - bulge * bulge) / (4 * bulge))
    self.start = (start - center).angle
  }

  /// The point at a share of the way.
  package func point(at share: Double) -> SIMD2<Double> {
    center + SIMD2(angle: start + share * sweep) * radius
  }
}

extension Building.Wall {
  /// Its centre line.
  package var course: PlanCurve { PlanCurve(from: start, to: end, bulge: bulge) }
}
