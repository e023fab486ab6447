import POSIX

/// The outlines of a storey's walls seen from above, cut where walls meet, so that they neither overlap nor leave gaps.
package struct WallOutlines {
  /// Ends of centre lines that are nearer than this meet, in metres.
  private static let reach = 0.005
  /// A corner sticks out by at most this many thicknesses.
  private static let longestMiter = 4.0
  /// Arcs are drawn by chords of at most this angle.
  private static let arcStep = 5 * Double.pi / 180

  /// An end of a wall.
  private struct End {
    var wall: Int
    var isStart: Bool
    var point: SIMD2<Double>
    /// From the end into the wall.
    var direction: SIMD2<Double>
    var halfThickness: Double
  }

  /// How an end is cut: the points where its sides end, looking from the end into the wall, and one between them.
  package struct Cut: Sendable {
    package fileprivate(set) var left: SIMD2<Double>
    package fileprivate(set) var right: SIMD2<Double>
    /// Where three and more walls meet they share their end.
    package fileprivate(set) var middle: SIMD2<Double>?
  }

  private let walls: [Building.Wall]
  /// How each wall is cut.
  package private(set) var cuts: [(start: Cut, end: Cut)]

  package init(_ walls: [Building.Wall]) {
    self.walls = walls
    let ends = walls.indices.map { index in
      [true, false].map { Self.end(of: walls, index, isStart: $0) }
    }
    cuts = ends.map { (Self.squareCut($0[0]), Self.squareCut($0[1])) }
    join(ends.flatMap(\.self))
  }

  /// The outline of each wall, counterclockwise.
  var polygons: [[SIMD2<Double>]] {
    walls.indices.map { index in
      let (first, last) = cuts[index]
      let (right, left) = sides(of: walls[index])
      let corners =
        [first.middle, first.right].compactMap(\.self) + right
        + [last.left, last.middle, last.right].compactMap(\.self) + left.reversed() + [first.left]
      return corners
    }
  }

  // MARK: Ends

  private static func end(of walls: [Building.Wall], _ index: Int, isStart: Bool) -> End {
    let wall = walls[index]
    let point = isStart ? wall.start : wall.end
    return End(
      wall: index, isStart: isStart, point: point,
      direction: wall.course.direction(at: isStart ? 0 : 1) * (isStart ? 1 : -1),
      halfThickness: wall.thickness.value / 2)
  }

  private static func squareCut(_ end: End) -> Cut {
    let left = end.direction.left * end.halfThickness
    return Cut(left: end.point + left, right: end.point - left)
  }

  private mutating func join(_ ends: [End]) {
    var isJoined = [Bool](repeating: false, count: ends.count)
    for first in ends.indices where !isJoined[first] {
      let group = ends.indices.filter { other in
        !isJoined[other] && (ends[other].point - ends[first].point).length <= Self.reach
      }
      for member in group { isJoined[member] = true }
      if group.count > 1 {
        join(group: group.map { ends[$0] })
      } else {
        abut(ends[first])
      }
    }
  }

  /// Cuts each side of the walls at a corner where it meets the side of the next wall.
  private mutating func join(group: [End]) {
    let around = group.sorted { $0.direction.angle < $1.direction.angle }
    for (index, end) in around.enumerated() {
      let next = around[(index + 1) % around.count]
      guard let point = Self.meeting(left: end, right: next) else { continue }
      setCut(end) { $0.left = point }
      setCut(next) { $0.right = point }
    }
    guard around.count > 2 else { return }
    for end in around { setCut(end) { $0.middle = group[0].point } }
  }

  private mutating func setCut(_ end: End, _ change: (inout Cut) -> Void) {
    if end.isStart { change(&cuts[end.wall].start) } else { change(&cuts[end.wall].end) }
  }

  private static func meeting(left one: End, right other: End) -> SIMD2<Double>? {
    let p = one.point + one.direction.left * one.halfThickness
    let q = other.point - other.direction.left * other.halfThickness
    let sine = one.direction.cross(other.direction)
    guard abs(sine) > 0.17 else { return nil }
    let t = (q - p).cross(other.direction) / sine
    let s = (q - p).cross(one.direction) / sine
    let longest = longestMiter * 2 * max(one.halfThickness, other.halfThickness)
    return max(abs(t), abs(s)) <= longest ? p + one.direction * t : nil
  }

  /// Cuts an end that lies within another wall at that wall's nearer face.
  private mutating func abut(_ end: End) {
    for (index, other) in walls.enumerated() where index != end.wall && other.bulge == 0 {
      let axis = other.end - other.start
      let (direction, length) = (axis.normalized, axis.length)
      let offset = end.point - other.start
      let along = direction.dot(offset)
      guard along > 0, along < length, abs(direction.cross(offset)) <= other.thickness.value / 2
      else { continue }
      let side = direction.cross(end.direction)
      guard abs(side) > 0.17 else { continue }
      let face = other.start + direction.left * (side > 0 ? 1 : -1) * other.thickness.value / 2
      func cut(_ point: SIMD2<Double>) -> SIMD2<Double> {
        point + end.direction * ((face - point).cross(direction) / end.direction.cross(direction))
      }
      setCut(end) { ($0.left, $0.right) = (cut($0.left), cut($0.right)) }
      return
    }
  }

  // MARK: Sides

  /// The number of chords of an arc; 1 for a straight wall.
  package static func chordCount(of course: PlanCurve) -> Int {
    course.arc.map { max(2, Int((abs($0.sweep) / arcStep).rounded(.up))) } ?? 1
  }

  /// The points between the ends of an arc's right and left side, from its start; none of a straight wall.
  private func sides(of wall: Building.Wall) -> (right: [SIMD2<Double>], left: [SIMD2<Double>]) {
    let course = wall.course
    guard course.arc != nil else { return ([], []) }
    let count = Self.chordCount(of: course)
    let shares = (1..<count).map { Double($0) / Double(count) }
    func side(_ offset: Double) -> [SIMD2<Double>] {
      shares.map { course.point(at: $0) + course.direction(at: $0).left * offset }
    }
    return (side(-wall.thickness.value / 2), side(wall.thickness.value / 2))
  }
}

extension Building.Storey {
  /// The outlines of the walls seen from above, counterclockwise, each cut where it meets others; arcs are chords of 5°.
  public var wallOutlines: [[SIMD2<Double>]] { WallOutlines(walls).polygons }
}
