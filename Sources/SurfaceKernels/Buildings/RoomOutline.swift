import MeshpipeScene
import POSIX

/// The border of a room: the lines of its walls, in order, and the corners where they meet.
struct RoomOutline {
  /// A side of a room, walked with the room on its left.
  struct Side {
    /// The wall's line; its direction is that of the walk.
    var line: PlanLine
    /// The number of the line in the arrangement.
    var source: Int
    /// Whether the line's faces look into the room.
    var isFace: Bool
    var from: SIMD2<Double>
    var to: SIMD2<Double>

    /// Whether the scan ends here, without a wall.
    var isOpen = false
    /// Whether the floor has a step here, without a wall.
    var isStep = false
    /// The standard deviation of its position across.
    var deviation = 0.02

    /// As in DXF; 0 for a straight wall.
    var bulge = 0.0

    var course: PlanCurve { PlanCurve(from: from, to: to, bulge: bulge) }
    var length: Double { course.length }

    /// Its start and, of a round wall, points on the way to its end.
    var points: [SIMD2<Double>] { course.points().dropLast() }

    /// The angle to the left from its line into another one's.
    func turn(into next: Self) -> Double {
      let (own, other) = (line.direction, next.line.direction)
      return atan2(own.cross(other), own.dot(other))
    }
  }

  /// The outer border first, counterclockwise; then those around what stands in the room.
  var loops: [[Side]]

  /// The outline of each room.
  static func all(of cells: RoomCells) -> [RoomOutline] {
    var sides = [[Side]](repeating: [], count: cells.roomCount)
    let arrangement = cells.arrangement
    for edge in arrangement.edges {
      let line = arrangement.lines[edge.line]
      let (start, end) = (
        line.point(at: edge.range.lowerBound), line.point(at: edge.range.upperBound)
      )
      let (left, right) = (cells.rooms[edge.left], cells.rooms[edge.right])
      guard left != right else { continue }
      if left >= 0 {
        sides[left].append(
          Side(line: line, source: edge.line, isFace: true, from: start, to: end))
      }
      if right >= 0 {
        let back = PlanLine(line.point, -line.direction)
        sides[right].append(
          Side(line: back, source: edge.line, isFace: false, from: end, to: start))
      }
    }
    return sides.map { Self(loops: Self.loops(of: $0)) }
  }

  /// Chains sides to loops; the one with the largest area is first.
  private static func loops(of sides: [Side]) -> [[Side]] {
    func key(_ point: SIMD2<Double>) -> SIMD2<Int> {
      SIMD2<Int>((point * 1e4).rounded(.toNearestOrEven))
    }
    var starts: [SIMD2<Int>: [Int]] = [:]
    for (index, side) in sides.enumerated() { starts[key(side.from), default: []].append(index) }
    func following(_ index: Int, _ isUsed: [Bool]) -> Int? {
      let center = key(sides[index].to)
      var found: [Int] = []
      for x in -1...1 {
        for y in -1...1 { found += starts[center &+ SIMD2(x, y)] ?? [] }
      }
      // At a corner where two parts of a room touch: the sharpest turn to the left, so that they stay apart.
      return found.filter { !isUsed[$0] }.max { one, other in
        sides[index].turn(into: sides[one]) < sides[index].turn(into: sides[other])
      }
    }
    var isUsed = [Bool](repeating: false, count: sides.count)
    var loops: [[Side]] = []
    for first in sides.indices where !isUsed[first] {
      var loop: [Side] = []
      var next: Int? = first
      while let index = next {
        isUsed[index] = true
        loop.append(sides[index])
        next = following(index, isUsed)
      }
      loops.append(joined(loop))
    }
    return loops.filter { $0.count > 2 }
      .sorted {
        PolygonTriangulation.signedArea(of: $0.map(\.from))
          > PolygonTriangulation.signedArea(of: $1.map(\.from))
      }
  }

  /// Makes one side of those that follow each other on the same line.
  private static func joined(_ loop: [Side]) -> [Side] {
    var result: [Side] = []
    for side in loop {
      if let last = result.last, isContinued(last, side) {
        result[result.count - 1].to = side.to
      } else {
        result.append(side)
      }
    }
    if result.count > 2, let first = result.first, let last = result.last,
      isContinued(last, first)
    {
      result[0].from = last.from
      result.removeLast()
    }
    return result
  }

  private static func isContinued(_ one: Side, _ other: Side) -> Bool {
    one.source == other.source && one.isFace == other.isFace
  }

  /// Notes which sides are on no wall, by the number of their first line, and which of them are steps.
  mutating func markOpen(from first: Int, _ steps: FloorSteps) {
    for loop in loops.indices {
      for side in loops[loop].indices where loops[loop][side].source >= first {
        loops[loop][side].isOpen = true
        let line = loops[loop][side].source
        guard steps.isStep(line: line) else { continue }
        loops[loop][side].isStep = true
        loops[loop][side].deviation = steps.steps[line - steps.firstLine].deviation
      }
    }
  }

  /// The corners of each loop, and points of round walls.
  var polygons: [[SIMD2<Double>]] { loops.map { $0.flatMap(\.points) } }

  /// The length of each side of the outer polygon.
  var sideLengths: [Building.Dimension] {
    guard let outer = loops.first else { return [] }
    return outer.indices.flatMap { index -> [Building.Dimension] in
      let side = outer[index]
      let length = self.length(ofSide: index, in: 0)
      let count = side.points.count
      guard count > 1 else { return [length] }
      let next = side.points[1]
      return [Building.Dimension](
        repeating: Building.Dimension(
          (next - side.from).length, uncertainty: length.uncertainty.map { $0 / Double(count) }),
        count: count)
    }
  }
}
