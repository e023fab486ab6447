package import MeshpipeScene
import POSIX

/// The axes of a building's plan: x along most of its walls, z up, in metres.
package enum PlanFrame {
  /// The placement whose axes are those of the scene: z up, and not turned.
  ///
  /// - Parameter up: The scene's up axis.
  package static func level(up: SIMD3<Double>, metersPerUnit: Double) -> Transform {
    // The other two axes of the scene in the order that keeps the plan as seen from above.
    let x = abs(up.x) > 0.5 ? SIMD3<Double>(0, 1, 0) : SIMD3<Double>(1, 0, 0)
    let scale = 1 / metersPerUnit
    return Transform(x: x * scale, y: up.cross(x) * scale, z: up * scale)
  }

  /// The turn, within 45° of 0, that brings most of the length of walls along x or y.
  ///
  /// The mean of directions that are equal after quarter turns, around the most frequent one.
  package static func turn(of walls: [(angle: Double, length: Double)]) -> Double {
    let quarter = Double.pi / 2
    var bins = [Double](repeating: 0, count: 180)
    for wall in walls where wall.length.isFinite && wall.angle.isFinite {
      let share = (wall.angle / quarter) - (wall.angle / quarter).rounded(.down)
      bins[min(Int(share * 180), 179)] += wall.length
    }
    let smooth = bins.indices.map { center in
      (-4...4).reduce(0.0) { $0 + bins[(center + $1 + 180) % 180] * Double(5 - abs($1)) }
    }
    guard let most = smooth.max(), most > 0, let peak = smooth.firstIndex(of: most) else {
      return 0
    }
    let about = (Double(peak) + 0.5) / 180 * quarter
    var (sum, weight) = (0.0, 0.0)
    for wall in walls where wall.length.isFinite && wall.angle.isFinite {
      let offset = remainder(wall.angle - about, quarter)
      guard abs(offset) < 3 * .pi / 180 else { continue }
      sum += offset * wall.length
      weight += wall.length
    }
    return remainder(about + (weight > 0 ? sum / weight : 0), quarter)
  }
}

extension PlanFrame {
  /// Walls whose directions differ by less, after quarter turns, are parallel, in radians: 0.1°.
  private static let parallel = 0.1 * Double.pi / 180
  /// More walls than any storey has are not all tried.
  private static let mostCandidates = 200

  /// The turn, within 45° of 0, that brings the longest of the walls in the direction of most of their length exactly along
  /// x or y.
  ///
  /// Directions that are equal after quarter turns are one. Unlike the mean of ``turn(of:)`` it is that of a wall, for walls
  /// whose directions are kept.
  package static func turn(alongLongestOf walls: [(angle: Double, length: Double)]) -> Double {
    let quarter = Double.pi / 2
    let known = walls.filter { $0.length.isFinite && $0.length > 0 && $0.angle.isFinite }
      .sorted { $0.length > $1.length }
    var best: (angle: Double, total: Double)?
    for wall in known.prefix(mostCandidates) {
      let total = known.reduce(0) { sum, other in
        abs(remainder(other.angle - wall.angle, quarter)) < parallel ? sum + other.length : sum
      }
      // Of equal ones the longest wall, which comes first.
      if total > (best?.total ?? 0) * (1 + 1e-9) { best = (wall.angle, total) }
    }
    return remainder(best?.angle ?? 0, quarter)
  }
}

extension Transform {
  /// The same axes turned about their z, counterclockwise.
  package func turned(by angle: Double) -> Transform {
    let (c, s) = (cos(angle), sin(angle))
    return Transform(x: x * c + y * s, y: y * c - x * s, z: z, translation: translation)
  }
}

extension Building {
  /// Turns the axes of the plan so that most of the length of walls is exactly along x or y; nothing moves in the scene.
  mutating func alignAxes() {
    let walls = storeys.flatMap(\.walls).filter { $0.bulge == 0 }.map { wall in
      (angle: remainder((wall.end - wall.start).angle, .pi / 2), length: wall.length.value)
    }
    let totals = walls.map { wall in
      walls.reduce(0) { sum, other in
        abs(remainder(other.angle - wall.angle, .pi / 2)) < 1e-4 ? sum + other.length : sum
      }
    }
    guard let most = totals.max(), let main = totals.firstIndex(of: most) else { return }
    let angle = walls[main].angle
    placement = placement.turned(by: angle)
    north?.angle -= angle
    let (c, s) = (cos(angle), sin(angle))
    func turned(_ point: SIMD2<Double>) -> SIMD2<Double> {
      SIMD2(c * point.x + s * point.y, c * point.y - s * point.x)
    }
    for index in storeys.indices { storeys[index].move(turned, turn: -angle) }
  }
}

extension Building.Storey {
  /// Moves everything in the plan.
  ///
  /// - Parameter angle: By which `moved` turns directions, counterclockwise.
  fileprivate mutating func move(
    _ moved: (SIMD2<Double>) -> SIMD2<Double>, turn angle: Double
  ) {
    for index in walls.indices {
      (walls[index].start, walls[index].end) = (moved(walls[index].start), moved(walls[index].end))
    }
    for index in rooms.indices { rooms[index].outline = rooms[index].outline.map { $0.map(moved) } }
    for index in columns.indices { columns[index].outline = columns[index].outline.map(moved) }
    for index in stairs.indices { stairs[index].steps = stairs[index].steps.map { $0.map(moved) } }
    for index in furniture.indices {
      furniture[index].center = moved(furniture[index].center)
      furniture[index].turn += angle
    }
  }
}
