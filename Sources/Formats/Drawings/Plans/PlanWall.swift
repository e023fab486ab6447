import MeshPipeline
import POSIX

/// A wall as a plan shows it: the course of its middle, which may be an arc, with what is beside it.
struct PlanWall {
  let wall: Building.Wall
  /// Along its middle, in metres.
  let length: Double
  private let course: PlanCurve

  /// Chords of round walls leave them by at most this, in metres.
  private static let roundness = 0.0005

  /// Nil if it has no length.
  init?(_ wall: Building.Wall) {
    let chord = (wall.end - wall.start).length
    guard chord > 1e-4, chord.isFinite, wall.thickness.value.isFinite else { return nil }
    self.wall = wall
    course = wall.course
    length = course.length
  }

  var thickness: Double { max(wall.thickness.value, 0.001) }

  /// A place on its middle, and the direction along it and to the left of it, of unit length.
  func frame(at position: Double) -> (
    place: SIMD2<Double>, along: SIMD2<Double>, left: SIMD2<Double>
  ) {
    let along = course.direction(at: position / length)
    return (course.point(at: position / length), along, along.left)
  }

  /// The outline of a part, counterclockwise.
  func outline(from start: Double, to end: Double) -> [SIMD2<Double>] {
    var positions = [start, end]
    if let arc = course.arc {
      let radius = arc.radius + thickness / 2
      let step = 2 * acos(max(0, 1 - Self.roundness / radius)) * arc.radius
      let count = max(2, Int(((end - start) / max(step, 0.001)).rounded(.up)))
      positions = (0...count).map { start + (end - start) * Double($0) / Double(count) }
    }
    let frames = positions.map(frame)
    let half = thickness / 2
    return frames.map { $0.place - $0.left * half }
      + frames.reversed().map { $0.place + $0.left * half }
  }

  /// What is left of it between openings, as ranges along its middle.
  ///
  /// - Parameter isCut: Whether an opening is one at the height of the plan.
  func solidRanges(where isCut: (Building.Opening) -> Bool) -> [ClosedRange<Double>] {
    let gaps = wall.openings.filter(isCut).map(range).sorted { $0.lowerBound < $1.lowerBound }
    var ranges: [ClosedRange<Double>] = []
    var start = 0.0
    for gap in gaps {
      if gap.lowerBound > start + 1e-4 { ranges.append(start...gap.lowerBound) }
      start = max(start, gap.upperBound)
    }
    if length > start + 1e-4 { ranges.append(start...length) }
    return ranges
  }

  /// Where an opening is along the middle, within the wall.
  func range(of opening: Building.Opening) -> ClosedRange<Double> {
    let low = min(max(opening.position - opening.width.value / 2, 0), length)
    let high = min(max(opening.position + opening.width.value / 2, low), length)
    return low...high
  }
}

/// The outlines of walls, with the corners where they meet.
struct PlanWalls {
  let walls: [PlanWall]
  /// The outline of all together, without openings: counterclockwise around walls and clockwise around what they enclose.
  let loops: [[SIMD2<Double>]]
  /// Whether they are the outline of all together; otherwise each is that of a piece of a wall.
  let isMerged: Bool

  /// Corners stick out by at most this many thicknesses.
  private static let longestMiter = 3.0

  init(_ walls: [Building.Wall], where isCut: (Building.Opening) -> Bool) {
    self.walls = walls.compactMap { PlanWall($0) }
    var polygons = self.walls.flatMap { wall in
      wall.solidRanges(where: isCut).map { wall.outline(from: $0.lowerBound, to: $0.upperBound) }
    }
    let ends = self.walls.flatMap { wall in [End(wall, atStart: true), End(wall, atStart: false)] }
    for (index, end) in ends.enumerated() {
      for other in ends[(index + 1)...] {
        if let corner = Self.corner(end, other) { polygons.append(corner) }
      }
    }
    let union = OutlineUnion(of: polygons)
    (loops, isMerged) = (union.loops, union.isMerged)
  }

  /// An end of a wall.
  private struct End {
    var place: SIMD2<Double>
    /// From the end into the wall.
    var inward: SIMD2<Double>
    var half: Double

    init(_ wall: PlanWall, atStart: Bool) {
      let frame = wall.frame(at: atStart ? 0 : wall.length)
      place = frame.place
      inward = atStart ? frame.along : -frame.along
      half = wall.thickness / 2
    }
  }

  /// What fills the corner outside of two walls whose ends meet, counterclockwise; nil if they don't, or go straight on.
  private static func corner(_ a: End, _ b: End) -> [SIMD2<Double>]? {
    guard (a.place - b.place).length < max(a.half, b.half) + 0.02 else { return nil }
    let sine = a.inward.cross(b.inward)
    guard abs(sine) > 0.02 else { return nil }
    // Away from the other wall.
    func outer(_ end: End, _ other: End) -> SIMD2<Double> {
      let left = end.inward.left
      return end.place + (left.dot(other.inward) > 0 ? -left : left) * end.half
    }
    let (first, second) = (outer(a, b), outer(b, a))
    let tip = first + a.inward * ((second - first).cross(b.inward) / sine)
    guard (tip - a.place).length < longestMiter * 2 * max(a.half, b.half) else { return nil }
    let points = [a.place, first, tip, second, b.place]
    return PolygonTriangulation.signedArea(of: points) > 0 ? points : points.reversed()
  }
}
