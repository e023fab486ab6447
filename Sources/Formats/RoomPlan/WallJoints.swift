import MeshPipeline
import POSIX

/// Gives the walls of a room their thickness, and cuts their ends where they meet.
struct WallJoints {
  /// The thickness of a wall of which none is known, in metres: that of a common partition.
  static let usualThickness = 0.1
  /// Ends of walls that are nearer than this meet, in metres.
  private static let reach = 0.05
  /// A corner sticks out by at most this many thicknesses.
  private static let longestMiter = 4.0

  private(set) var walls: [WallShape]

  /// An end of a wall, seen from above.
  private struct End {
    var wall: Int
    var isStart: Bool
    var place: SIMD2<Double>
    /// From the end into the wall.
    var direction: SIMD2<Double>
    /// How far the wall goes to the left and the right of its surface, looking along ``direction``.
    var left: Double
    var right: Double
    /// Whether the front is on the left.
    var hasFrontLeft: Bool
    /// Where the wall begins and ends upwards.
    var heights: ClosedRange<Double>
  }

  /// - Parameter floors: The floors of the same room, which say what is inside.
  init(_ parts: [Room.Part], floors: [Room.Part]) {
    walls = parts.map { WallShape($0) }
    let plans = floors.map { floor in
      floor.outline.map { Self.fromAbove(floor.placement.apply(toPoint: SIMD3($0.x, $0.y, 0))) }
    }
    for index in walls.indices {
      let isInner = Self.hasFloorOnBothSides(walls[index].part, plans)
      let depth = walls[index].part.size.z
      let thickness = depth > 0.001 ? depth : Self.usualThickness
      walls[index].front = isInner ? thickness / 2 : 0
      walls[index].back = isInner ? thickness / 2 : thickness
    }
    let ends = walls.indices.flatMap { self.ends(of: $0) }
    for group in Self.groups(ends) { join(group) }
  }

  private static func fromAbove(_ point: SIMD3<Double>) -> SIMD2<Double> {
    SIMD2(point.x, -point.z)
  }

  private static func hasFloorOnBothSides(
    _ wall: Room.Part, _ plans: [[SIMD2<Double>]]
  ) -> Bool {
    func hasFloor(_ z: Double) -> Bool {
      let places = [-0.3, 0, 0.3].map { share in
        fromAbove(wall.placement.apply(toPoint: SIMD3(share * wall.size.x, 0, z)))
      }
      return places.count { place in plans.contains { isInside(place, of: $0) } } >= 2
    }
    return hasFloor(0.3) && hasFloor(-0.3)
  }

  /// Both ends of an upright, flat wall.
  private func ends(of index: Int) -> [End] {
    let wall = walls[index]
    let placement = wall.part.placement
    let corners = wall.part.outline
    guard wall.part.curve == nil, placement.y.normalized.y > 0.99,
      let low = corners.map(\.y).min(), let high = corners.map(\.y).max(),
      let first = corners.map(\.x).min(), let last = corners.map(\.x).max()
    else { return [] }
    let height = placement.translation.y
    return [(true, first), (false, last)].map { isStart, x in
      let position = placement.apply(toPoint: SIMD3(x, 0, 0))
      let along = SIMD3(placement.x.x, 0, placement.x.z).normalized * (isStart ? 1 : -1)
      let direction = Self.fromAbove(along)
      let normal = Self.fromAbove(placement.z)
      let hasFrontLeft = direction.cross(normal) > 0
      return End(
        wall: index, isStart: isStart, place: Self.fromAbove(position), direction: direction,
        left: hasFrontLeft ? wall.front : wall.back, right: hasFrontLeft ? wall.back : wall.front,
        hasFrontLeft: hasFrontLeft, heights: height + low...height + high)
    }
  }

  /// The ends that meet, in groups of two or more.
  private static func groups(_ ends: [End]) -> [[End]] {
    var groups: [[End]] = []
    var cells: [SIMD2<Int>: [Int]] = [:]
    for end in ends {
      let cell = SIMD2<Int>((end.place / reach).rounded(.down))
      var found: Int?
      for x in -1...1 {
        for y in -1...1 where found == nil {
          found = cells[cell &+ SIMD2(x, y)]?.first { meets(groups[$0][0], end) }
        }
      }
      if let found {
        groups[found].append(end)
      } else {
        cells[cell, default: []].append(groups.count)
        groups.append([end])
      }
    }
    return groups.filter { $0.count > 1 }
  }

  private static func meets(_ one: End, _ other: End) -> Bool {
    let offset = one.place - other.place
    guard offset.dot(offset) <= reach * reach else { return false }
    let shared =
      min(one.heights.upperBound, other.heights.upperBound)
      - max(one.heights.lowerBound, other.heights.lowerBound)
    let lower = min(
      one.heights.upperBound - one.heights.lowerBound,
      other.heights.upperBound - other.heights.lowerBound)
    return shared > 0.5 * lower
  }

  /// Cuts each side of the walls at an end where it meets the next wall's side.
  private mutating func join(_ group: [End]) {
    let around = group.sorted { $0.direction.angle < $1.direction.angle }
    for (index, end) in around.enumerated() {
      let next = around[(index + 1) % around.count]
      let (shift, nextShift) = Self.meeting(left: end, right: next)
      cut(end, atLeft: true, by: shift)
      cut(next, atLeft: false, by: nextShift)
    }
    // The ends of two walls share a cut; those of more share an edge on the surfaces, too.
    guard group.count > 2 else { return }
    for end in group {
      if end.isStart {
        walls[end.wall].hasMiddle.start = true
      } else {
        walls[end.wall].hasMiddle.end = true
      }
    }
  }

  /// How far from their ends the left side of one wall and the right side of another meet, into the walls.
  private static func meeting(left one: End, right other: End) -> (Double, Double) {
    let p = one.place + one.direction.left * one.left
    let q = other.place - other.direction.left * other.right
    let sine = one.direction.cross(other.direction)
    guard abs(sine) > 0.17 else { return (0, 0) }
    let t = (q - p).cross(other.direction) / sine
    let s = (q - p).cross(one.direction) / sine
    let longest = longestMiter * max(one.left + one.right, other.left + other.right)
    return max(abs(t), abs(s)) <= longest ? (t, s) : (0, 0)
  }

  private mutating func cut(_ end: End, atLeft: Bool, by shift: Double) {
    let along = end.isStart ? shift : -shift
    switch (atLeft == end.hasFrontLeft, end.isStart) {
    case (true, true): walls[end.wall].frontEnds.start = along
    case (true, false): walls[end.wall].frontEnds.end = along
    case (false, true): walls[end.wall].backEnds.start = along
    case (false, false): walls[end.wall].backEnds.end = along
    }
  }
}
