import MeshpipeScene
import POSIX

/// A wall as a closed solid with its openings cut through, and what fills them.
///
/// It is a flat region along the wall and up, cut into triangles and placed on both sides: ends where walls meet, and arcs as
/// chords of 5°.
struct WallSolid {
  /// Openings stay this far from the ends of the shorter side, in metres.
  private static let leastPier = 0.005
  /// Openings that end this near to the lower or upper end of the wall reach it, in metres.
  private static let reach = 0.005

  private let wall: Building.Wall
  private let course: PlanCurve
  /// Where it is cut at its ends.
  private let cuts: (start: WallOutlines.Cut, end: WallOutlines.Cut)
  /// Where it is bent, along its centre line.
  private let bends: [Double]
  /// From the plan into the scene.
  private let place: (SIMD2<Double>, Double) -> Vector3
  private let isMirrored: Bool

  /// - Parameter elevation: Of the storey.
  init(
    _ wall: Building.Wall, _ cuts: (start: WallOutlines.Cut, end: WallOutlines.Cut),
    elevation: Double, placement: Transform
  ) {
    (self.wall, self.cuts) = (wall, cuts)
    course = wall.course
    let (course, count) = (course, WallOutlines.chordCount(of: course))
    bends = (1..<max(count, 1)).map { course.length * Double($0) / Double(count) }
    place = { point, height in
      Vector3(SIMD3<Float>(placement.apply(toPoint: SIMD3(point.x, point.y, elevation + height))))
    }
    isMirrored = placement.determinant < 0
  }

  /// The wall without its openings.
  var mesh: Mesh {
    let (length, height) = (course.length, wall.height.value)
    guard length > 0, height > 0 else { return Mesh() }
    let holes = wall.openings.compactMap { opening -> [SIMD2<Double>]? in
      guard let range = range(of: opening) else { return nil }
      let low = opening.sill.value - wall.base
      let high = low + opening.height.value
      return Self.rectangle(
        range, (low < Self.reach ? -1 : low)...(high > height - Self.reach ? height + 1 : high))
    }
    let cells = PlanarCells(
      outline: Self.rectangle(0...length, 0...height), holes: holes, cuts: bends)
    // The region's corners are multiples of a step.
    guard let last = cells.points.map(\.x).max() else { return Mesh() }
    let half = wall.thickness.value / 2
    func point(_ corner: SIMD2<Double>, _ side: Double) -> Vector3 {
      let along = corner.x == last ? length : corner.x
      return place(self.point(along, side * half), wall.base + corner.y)
    }
    return Slab(cells) {
      point($0, -1)
    } back: {
      point($0, 1)
    } middle: { corner in
      let cut = corner.x == 0 ? cuts.start : corner.x == last ? cuts.end : nil
      return cut?.middle.map { place($0, wall.base + corner.y) }
    }.mesh(mirrored: isMirrored)
  }

  /// What fills an opening, in the middle of the wall.
  func panel(in opening: Building.Opening, thickness: Double) -> Mesh {
    let low = max(opening.sill.value, wall.base)
    let high = min(opening.sill.value + opening.height.value, wall.base + wall.height.value)
    guard high > low else { return Mesh() }
    return panel(
      in: opening, from: low, to: high, thickness: min(thickness, wall.thickness.value))
  }

  /// The floor in an opening that one can walk through; nil if it has a sill.
  func threshold(of opening: Building.Opening, thickness: Double) -> Mesh? {
    guard opening.sill.value - wall.base < 10 * Self.reach else { return nil }
    return panel(
      in: opening, from: wall.base - thickness, to: wall.base, thickness: wall.thickness.value)
  }

  private func panel(
    in opening: Building.Opening, from low: Double, to high: Double, thickness: Double
  ) -> Mesh {
    guard let range = range(of: opening) else { return Mesh() }
    let cells = PlanarCells(
      outline: Self.rectangle(range, low...high), holes: [], cuts: bends.filter(range.contains))
    return Slab(cells) {
      place(point($0.x, -thickness / 2), $0.y)
    } back: {
      place(point($0.x, thickness / 2), $0.y)
    }.mesh(mirrored: isMirrored)
  }

  // MARK: Along the wall

  /// A point of the plan: along the centre line, and to its left.
  private func point(_ along: Double, _ left: Double) -> SIMD2<Double> {
    // Seen from the end, left is the other side.
    if along <= 0 { return left < 0 ? cuts.start.right : cuts.start.left }
    if along >= course.length { return left < 0 ? cuts.end.left : cuts.end.right }
    let share = along / course.length
    return course.point(at: share) + course.direction(at: share).left * left
  }

  /// From where to where an opening goes along the wall, within the shorter side; nil if nothing of it does.
  private func range(of opening: Building.Opening) -> ClosedRange<Double>? {
    func past(_ points: [SIMD2<Double>], _ end: SIMD2<Double>, _ inward: SIMD2<Double>) -> Double {
      points.map { inward.dot($0 - end) }.max() ?? 0
    }
    let first = past([cuts.start.left, cuts.start.right], wall.start, course.direction(at: 0))
    let last = past([cuts.end.left, cuts.end.right], wall.end, -course.direction(at: 1))
    let low = max(opening.position - opening.width.value / 2, max(first, 0) + Self.leastPier)
    let high = min(
      opening.position + opening.width.value / 2, course.length - max(last, 0) - Self.leastPier)
    return high - low > Self.leastPier ? low...high : nil
  }

  private static func rectangle(
    _ x: ClosedRange<Double>, _ y: ClosedRange<Double>
  ) -> [SIMD2<Double>] {
    [
      SIMD2(x.lowerBound, y.lowerBound), SIMD2(x.upperBound, y.lowerBound),
      SIMD2(x.upperBound, y.upperBound), SIMD2(x.lowerBound, y.upperBound),
    ]
  }
}
