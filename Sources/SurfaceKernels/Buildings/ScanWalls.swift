import MeshpipeScene
import POSIX

/// The walls between and around rooms: where two faces look away from each other they are the two sides of one, and its
/// thickness is measured; a face alone has a wall of an assumed thickness behind it.
struct ScanWalls {
  /// Faces at most this far apart are those of one wall, in metres.
  private static let thickness = 0.02...0.6
  /// A stretch of less is at a corner, in metres.
  private static let leastStretch = 0.25
  /// Walls in one line with at most this between them are one, if they agree within the other, in metres.
  private static let (gap, agreement) = (0.7, 0.03)

  /// A face: a side of a room.
  struct Face {
    var room: Int
    var loop: Int
    var index: Int
    var side: RoomOutline.Side
    var length: Building.Dimension
  }

  /// A stretch of a face with the face behind it.
  private struct Stretch {
    /// The centre line, in the direction of the first face.
    var line: PlanLine
    var range: ClosedRange<Double>
    var thickness: Building.Dimension
    var faces: [Int]
    /// Deviations of its ends.
    var ends: (Double, Double)
  }

  let faces: [Face]
  /// The walls, with the faces of each.
  private(set) var walls: [(wall: Building.Wall, faces: [Int])] = []

  /// - Parameters:
  ///   - rooms: Of the outlines.
  ///   - elevation: Of the storey.
  init(
    _ outlines: [RoomOutline], thickness: Double, rooms: [ScanLevel.Found], elevation: Double
  ) {
    faces = outlines.enumerated().flatMap { room, outline in
      outline.loops.enumerated().flatMap { loop, sides in
        sides.indices.map { index in
          Face(
            room: room, loop: loop, index: index, side: sides[index],
            length: outline.length(ofSide: index, in: loop))
        }
      }
    }
    var stretches: [Stretch] = []
    var covered = [[ClosedRange<Double>]](repeating: [], count: faces.count)
    for one in faces.indices {
      for other in one + 1..<faces.count {
        guard let pair = pair(one, other) else { continue }
        stretches.append(pair.stretch)
        covered[one].append(pair.own)
        covered[other].append(pair.theirs)
      }
    }
    for face in faces.indices where !faces[face].side.isOpen {
      if faces[face].side.bulge != 0 {
        addRound(face, thickness, rooms, elevation)
        continue
      }
      for range in uncovered(face, covered[face]) {
        stretches.append(alone(face, range, thickness))
      }
    }
    for stretch in merged(stretches) { add(stretch, rooms, elevation) }
  }

  private func range(_ face: Int) -> ClosedRange<Double> {
    let side = faces[face].side
    let (a, b) = (side.line.coordinate(of: side.from), side.line.coordinate(of: side.to))
    return min(a, b)...max(a, b)
  }

  /// The deviations of the ends of a face.
  private func deviations(_ face: Int) -> Double {
    (faces[face].length.uncertainty ?? 0) / PlanUncertainty.factor / 2.0.squareRoot()
  }

  private func pair(
    _ one: Int, _ other: Int
  ) -> (stretch: Stretch, own: ClosedRange<Double>, theirs: ClosedRange<Double>)? {
    let (a, b) = (faces[one].side, faces[other].side)
    guard !a.isOpen, !b.isOpen, a.bulge == 0, b.bulge == 0,
      a.line.direction.dot(b.line.direction) < -0.995
    else { return nil }
    let (start, end) = (a.line.coordinate(of: b.to), a.line.coordinate(of: b.from))
    let own = range(one)
    let (low, high) = (max(own.lowerBound, min(start, end)), min(own.upperBound, max(start, end)))
    guard high - low > Self.leastStretch else { return nil }
    let middle = a.line.point(at: (low + high) / 2)
    let gap = b.line.distance(to: middle)
    // The other face is behind this one, and this one behind it.
    guard Self.thickness.contains(-gap),
      Self.thickness.contains(-a.line.distance(to: b.line.point(at: b.line.coordinate(of: middle))))
    else { return nil }
    let dimension = PlanUncertainty.dimension(-gap, between: a.deviation, and: b.deviation)
    let stretch = Stretch(
      line: a.line.moved(left: gap / 2), range: low...high, thickness: dimension,
      faces: [one, other], ends: (deviations(one), deviations(one)))
    let theirs = [a.line.point(at: low), a.line.point(at: high)].map { b.line.coordinate(of: $0) }
    return (stretch, low...high, min(theirs[0], theirs[1])...max(theirs[0], theirs[1]))
  }

  /// The parts of a face with no other behind it; what is left beside a wall's end is none.
  private func uncovered(_ face: Int, _ covered: [ClosedRange<Double>]) -> [ClosedRange<Double>] {
    let all = range(face)
    let least = covered.isEmpty ? 0.02 : Self.gap
    var result: [ClosedRange<Double>] = []
    var start = all.lowerBound
    for part in covered.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if part.lowerBound - start > least { result.append(start...part.lowerBound) }
      start = max(start, part.upperBound)
    }
    if all.upperBound - start > least { result.append(start...all.upperBound) }
    return result
  }

  private func alone(
    _ face: Int, _ range: ClosedRange<Double>, _ thickness: Double
  ) -> Stretch {
    Stretch(
      line: faces[face].side.line.moved(left: -thickness / 2), range: range,
      thickness: Building.Dimension(thickness), faces: [face],
      ends: (deviations(face), deviations(face)))
  }

  /// Joins stretches that go on in the same line.
  private func merged(_ stretches: [Stretch]) -> [Stretch] {
    var result: [Stretch] = []
    for stretch in stretches {
      var next = stretch
      // What it joins may reach others in turn.
      while let index = result.firstIndex(where: { continues($0, next) }) {
        next = joined(result.remove(at: index), next)
      }
      result.append(next)
    }
    return result
  }

  private func continues(_ one: Stretch, _ other: Stretch) -> Bool {
    guard one.thickness.isAssumed == other.thickness.isAssumed,
      abs(one.thickness.value - other.thickness.value) < Self.agreement,
      abs(one.line.direction.dot(other.line.direction)) > 0.9998
    else { return false }
    let theirs = [other.range.lowerBound, other.range.upperBound].map { other.line.point(at: $0) }
    let along = theirs.map { one.line.coordinate(of: $0) }
    let middle = (theirs[0] + theirs[1]) / 2
    // An assumed wall is behind its face, on the same side.
    let isSameSide = !one.thickness.isAssumed || one.line.direction.dot(other.line.direction) > 0
    return isSameSide && abs(one.line.distance(to: middle)) < Self.agreement
      && max(min(along[0], along[1]), one.range.lowerBound)
        - min(max(along[0], along[1]), one.range.upperBound) < Self.gap
  }

  private func joined(_ one: Stretch, _ other: Stretch) -> Stretch {
    let theirs = [other.range.lowerBound, other.range.upperBound].map { other.line.point(at: $0) }
    let along = theirs.map { one.line.coordinate(of: $0) }
    let (low, high) = (min(along[0], along[1]), max(along[0], along[1]))
    let lengths = (one.range.upperBound - one.range.lowerBound, high - low)
    let share = lengths.1 / (lengths.0 + lengths.1)
    var result = one
    result.line = one.line.moved(left: share * one.line.distance(to: (theirs[0] + theirs[1]) / 2))
    result.range = min(low, one.range.lowerBound)...max(high, one.range.upperBound)
    result.faces = one.faces + other.faces.filter { !one.faces.contains($0) }
    if let a = one.thickness.uncertainty, let b = other.thickness.uncertainty {
      result.thickness = Building.Dimension(
        one.thickness.value * (1 - share) + other.thickness.value * share,
        uncertainty: max(a, b))
    }
    return result
  }

  /// Adds a round wall behind its face.
  private mutating func addRound(
    _ face: Int, _ thickness: Double, _ rooms: [ScanLevel.Found], _ elevation: Double
  ) {
    let side = faces[face].side
    // The room is on the left.
    let (start, end) = side.course.ends(movedLeft: -thickness / 2)
    var wall = Building.Wall(
      name: "wall-\(walls.count + 1)", from: start, to: end,
      thickness: Building.Dimension(thickness), height: rooms[faces[face].room].room.height,
      length: faces[face].length)
    wall.base = rooms[faces[face].room].heights.lowerBound - elevation
    wall.bulge = side.bulge
    wall.isExterior = true
    walls.append((wall, [face]))
  }

  private mutating func add(
    _ stretch: Stretch, _ rooms: [ScanLevel.Found], _ elevation: Double
  ) {
    let length = stretch.range.upperBound - stretch.range.lowerBound
    let own = Set(stretch.faces.map { faces[$0].room }).sorted().map { rooms[$0] }
    let (height, base) = Self.upright(own)
    var wall = Building.Wall(
      name: "wall-\(walls.count + 1)", from: stretch.line.point(at: stretch.range.lowerBound),
      to: stretch.line.point(at: stretch.range.upperBound), thickness: stretch.thickness,
      height: height,
      length: PlanUncertainty.dimension(length, between: stretch.ends.0, and: stretch.ends.1))
    wall.base = base - elevation
    wall.isExterior = stretch.thickness.isAssumed
    walls.append((wall, stretch.faces))
  }

  /// The height of a wall from the lowest floor to the highest ceiling of rooms, and that floor.
  private static func upright(
    _ rooms: [ScanLevel.Found]
  ) -> (height: Building.Dimension, base: Double) {
    let base = rooms.map(\.heights.lowerBound).min() ?? 0
    let tops = rooms.map { found in
      let rise = found.heights.lowerBound - base
      return Building.Dimension(
        found.room.height.value + rise, uncertainty: found.room.height.uncertainty)
    }
    return (tops.max { $0.value < $1.value } ?? Building.Dimension(0), base)
  }
}
