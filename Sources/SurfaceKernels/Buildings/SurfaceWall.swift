import MeshpipeScene
import POSIX

/// A wall of a phone's room seen from above: the line of its surface, in the axes of a building.
struct SurfaceWall {
  let part: Room.Part
  /// Its surface.
  let course: PlanCurve
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
    let (start, end) = (seen(first), seen(last))
    let chord = PlanLine(from: start, to: end)
    bulge =
      part.curve == nil
      ? 0 : -2 * chord.distance(to: seen((first + last) / 2)) / (end - start).length
    hasFrontLeft = chord.direction.cross(SIMD2(placement.z.x, placement.z.y)) > 0
    let middle = placement.translation.z
    heights = middle + low...middle + high
    course = PlanCurve(from: start, to: end, bulge: bulge)
    length = course.arc == nil ? last - first : course.length
    thickness = part.size.z > Self.leastDepth ? part.size.z : nil
  }

  /// Its surface in straight pieces.
  func segments(_ number: Int) -> [WallGraph.Segment] {
    let points = course.points()
    return zip(points, points.dropFirst()).map { .init(wall: number, from: $0, to: $1) }
  }

  /// The distance of a point from the surface; infinite beyond its ends.
  func distance(to point: SIMD2<Double>) -> Double {
    0...1 ~= course.share(of: point) ? course.distance(to: point) : .infinity
  }
}
