import MeshpipeScene
import POSIX

/// A wall of a phone's room seen from above: the line of its surface, in the axes of a building.
struct SurfaceWall {
  let part: Room.Part
  let start: SIMD2<Double>
  let end: SIMD2<Double>
  /// As in DXF; 0 for a straight wall.
  let bulge: Double
  /// Whether the side that the phone saw is on the left of the way from start to end.
  let hasFrontLeft: Bool
  /// The heights of its lower and its upper edge.
  let heights: ClosedRange<Double>
  /// Along its surface.
  let length: Double
  /// Between its faces; nil if the phone does not know it.
  let thickness: Double?

  /// The least depth that is a known thickness.
  private static let leastDepth = 0.001

  /// - Parameter inverse: From the scene to the building's axes.
  /// - Returns: Nil for a wall that is not upright.
  init?(_ part: Room.Part, _ inverse: Transform) {
    let placement = inverse * part.placement
    let (xs, ys) = (part.outline.map(\.x), part.outline.map(\.y))
    guard placement.y.normalized.z > 0.9, let first = xs.min(), let last = xs.max(),
      let low = ys.min(), let high = ys.max(), last - first > 1e-3, high - low > 1e-3
    else { return nil }
    func seen(_ x: Double) -> SIMD2<Double> {
      let local = RoomArc(part)?.bent(x, 0, 0) ?? SIMD3(x, 0, 0)
      let point = placement.apply(toPoint: local)
      return SIMD2(point.x, point.y)
    }
    self.part = part
    (start, end) = (seen(first), seen(last))
    let chord = PlanLine(from: start, to: end)
    bulge =
      part.curve == nil
      ? 0 : -2 * chord.distance(to: seen((first + last) / 2)) / (end - start).length
    hasFrontLeft = chord.direction.cross(SIMD2(placement.z.x, placement.z.y)) > 0
    let middle = placement.translation.z
    heights = middle + low...middle + high
    length = bulge == 0 ? last - first : PlanArc(from: start, to: end, bulge: bulge).length
    thickness = part.size.z > Self.leastDepth ? part.size.z : nil
  }

  /// Its surface in straight pieces.
  func segments(_ number: Int) -> [WallGraph.Segment] {
    let points = bulge == 0 ? [start, end] : PlanArc(from: start, to: end, bulge: bulge).points()
    return zip(points, points.dropFirst()).map { .init(wall: number, from: $0, to: $1) }
  }

  /// The ends of a line beside the surface, to the left.
  func ends(movedLeft distance: Double) -> (start: SIMD2<Double>, end: SIMD2<Double>) {
    guard bulge != 0 else {
      let move = (end - start).normalized.left * distance
      return (start + move, end + move)
    }
    let arc = PlanArc(from: start, to: end, bulge: bulge)
    // The centre is on the left of a counterclockwise arc.
    let scale = 1 + (bulge > 0 ? -distance : distance) / arc.radius
    return (arc.center + (start - arc.center) * scale, arc.center + (end - arc.center) * scale)
  }

  /// The share of the way from start to end at which a point beside the wall is.
  func share(of point: SIMD2<Double>) -> Double {
    guard bulge == 0 else { return PlanArc(from: start, to: end, bulge: bulge).share(of: point) }
    return PlanLine(from: start, to: end).coordinate(of: point) / (end - start).length
  }

  /// The distance of a point from the surface; infinite beyond its ends.
  func distance(to point: SIMD2<Double>) -> Double {
    guard 0...1 ~= share(of: point) else { return .infinity }
    guard bulge == 0 else {
      let arc = PlanArc(from: start, to: end, bulge: bulge)
      return abs((point - arc.center).length - arc.radius)
    }
    return abs(PlanLine(from: start, to: end).distance(to: point))
  }
}
