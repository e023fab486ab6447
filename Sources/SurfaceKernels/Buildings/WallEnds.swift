import MeshpipeScene
import POSIX

/// Lengthens and shortens the centre lines of walls so that they meet where their walls do.
struct WallEnds {
  /// A wall's end may move by this many of the thicknesses that meet there, and this much more, in metres.
  private static let (reach, slack) = (1.0, 0.15)

  private let walls: [Building.Wall]

  init(_ walls: [Building.Wall]) { self.walls = walls }

  /// The walls with ends that meet; their order is kept, and openings stay where they are.
  func joined() -> [Building.Wall] {
    walls.indices.map { index in
      var wall = walls[index]
      guard wall.bulge == 0 else { return wall }
      let start = meeting(of: index, atStart: true) ?? wall.start
      let end = meeting(of: index, atStart: false) ?? wall.end
      let direction = (wall.end - wall.start).normalized
      guard (end - start).dot(direction) > 0.05 else { return wall }
      let shift = (wall.start - start).dot(direction)
      (wall.start, wall.end) = (start, end)
      for opening in wall.openings.indices { wall.openings[opening].position += shift }
      return wall
    }
  }

  /// Where a wall's end meets another wall's centre line.
  private func meeting(of index: Int, atStart: Bool) -> SIMD2<Double>? {
    let wall = walls[index]
    let end = atStart ? wall.start : wall.end
    let line = PlanLine(from: wall.start, to: wall.end)
    var best: (point: SIMD2<Double>, move: Double)?
    for (number, other) in walls.enumerated() where number != index {
      let reach = (wall.thickness.value + other.thickness.value) * Self.reach + Self.slack
      guard let point = crossing(line, near: end, other, within: reach) else { continue }
      let move = (point - end).length
      guard move <= reach, move < best?.move ?? .infinity else { continue }
      best = (point, move)
    }
    return best?.point ?? continuation(of: index, line, end)
  }

  /// Where a line crosses another wall's centre line, or the tangent at that wall's end if it is round.
  private func crossing(
    _ line: PlanLine, near end: SIMD2<Double>, _ other: Building.Wall, within reach: Double
  ) -> SIMD2<Double>? {
    guard other.bulge == 0 else {
      return [other.start, other.end].first { ($0 - end).length <= reach }
    }
    let axis = PlanLine(from: other.start, to: other.end)
    guard let point = line.crossing(axis, leastSine: 0.25) else { return nil }
    let coordinate = axis.coordinate(of: point)
    let length = (other.end - other.start).length
    return coordinate > -reach && coordinate < length + reach ? point : nil
  }

  /// The middle between a wall's end and the end of a wall that goes on in the same line.
  private func continuation(
    of index: Int, _ line: PlanLine, _ end: SIMD2<Double>
  ) -> SIMD2<Double>? {
    for (number, other) in walls.enumerated() where number != index && other.bulge == 0 {
      let axis = PlanLine(from: other.start, to: other.end)
      guard abs(line.direction.cross(axis.direction)) < 0.05 else { continue }
      for point in [other.start, other.end]
      where (point - end).length < 2 * Self.slack && abs(line.distance(to: point)) < 0.05 {
        return line.point(at: line.coordinate(of: (point + end) / 2))
      }
    }
    return nil
  }
}
