import POSIX

/// The arc of a curved wall, in the wall's own x and z.
package struct RoomArc: Sendable {
  /// Along z.
  private let center: Double
  private let radius: Double
  /// Half of the angle that the wall covers.
  private let halfAngle: Double
  /// 1 if the middle of the wall has a larger z than the centre, otherwise -1.
  private let side: Double
  private let halfWidth: Double

  /// The arc of a curved wall; nil for what is flat.
  package init?(_ part: Room.Part) {
    guard let curve = part.curve else { return nil }
    halfWidth = part.size.x / 2
    center = curve.center.y
    radius = (halfWidth * halfWidth + center * center).squareRoot()
    let smaller = asin(min(1, halfWidth / radius))
    halfAngle = curve.isMajor ? .pi - smaller : smaller
    side = (center < 0) != curve.isMajor ? 1 : -1
  }

  /// How long the straight wall is in comparison with the bent one.
  package var shrinking: Double { halfWidth / (radius * halfAngle) }

  /// Where the straight wall is bent: every ten degrees.
  package var cuts: [Double] {
    let count = max(1, Int((2 * halfAngle / (10 * .pi / 180)).rounded(.up)))
    return (1..<max(1, count)).map { (2 * Double($0) / Double(count) - 1) * halfWidth }
  }

  /// The place of a point of the straight wall.
  package func bent(_ x: Double, _ y: Double, _ z: Double) -> SIMD3<Double> {
    let angle = x / halfWidth * halfAngle
    let distance = radius + side * z
    return SIMD3(distance * sin(angle), y, center + side * distance * cos(angle))
  }

  /// The place along the straight wall of a point near the bent one.
  package func straightened(_ point: SIMD3<Double>) -> Double {
    atan2(point.x, side * (point.z - center)) / halfAngle * halfWidth
  }
}

extension Room.Part {
  /// The flat pieces of a curved wall, which are rectangles; otherwise the part itself.
  package var flatPieces: [Room.Part] {
    guard let arc = RoomArc(self) else { return [self] }
    let ends = [-size.x / 2] + arc.cuts + [size.x / 2]
    return zip(ends, ends.dropFirst()).map { from, to in
      let (a, b) = (arc.bent(from, 0, 0), arc.bent(to, 0, 0))
      let along = (b - a).normalized
      let pose = Transform(
        x: along, y: SIMD3(0, 1, 0), z: along.cross(SIMD3(0, 1, 0)), translation: (a + b) / 2)
      var piece = self
      piece.curve = nil
      piece.corners = []
      piece.placement = placement * pose
      piece.size.x = (b - a).length
      return piece
    }
  }
}
