import MeshPipeline
import POSIX

/// The chains of dimensions outside of a building: openings and walls along each side, and the whole side.
struct PlanFacades {
  private let loops: [[SIMD2<Double>]]
  private let rooms: [Building.Space]
  private let numbers: PlanNumbers
  private let scale: Double

  /// From the building to the chain of openings, and to that of the whole side, in millimetres.
  private static let nearChain = 9.0
  private static let farChain = 17.0
  /// What chains need beside a building, in millimetres.
  static let margin = 23.0
  /// Directions that differ by less are one, as a cosine: 1.5 degrees.
  private static let sameDirection = 0.99966
  /// Corners that are nearer along a side are one, in metres.
  private static let merging = 0.01

  /// What is on a line is within this of it, in metres.
  private static let precision = 0.0005

  /// A side of the outline that is seen from outside.
  private struct Side {
    var start: SIMD2<Double>
    var end: SIMD2<Double>
    var normal: SIMD2<Double>
  }

  init(
    _ walls: PlanWalls, _ rooms: [Building.Space], _ numbers: PlanNumbers, scale: Double
  ) {
    loops = walls.loops
    straight = walls.walls.filter { abs($0.wall.bulge) < 1e-6 }
    (self.rooms, self.numbers, self.scale) = (rooms, numbers, scale)
    directions = Self.directions(of: straight)
    main = straight.max { $0.length < $1.length }?.frame(at: 0).left ?? SIMD2(0, 1)
  }

  private let straight: [PlanWall]
  /// The directions that straight walls look to, and that of the longest one.
  private let directions: [SIMD2<Double>]
  private let main: SIMD2<Double>

  private static func directions(of walls: [PlanWall]) -> [SIMD2<Double>] {
    var found: [SIMD2<Double>] = []
    for wall in walls where wall.length > 0.5 {
      let left = wall.frame(at: 0).left
      for normal in [left, -left] {
        let isKnown = found.contains { $0.dot(normal) > sameDirection }
        if !isKnown { found.append(normal) }
      }
    }
    return found
  }

  func draw(on drawing: inout Drawing) {
    let corners = Array(loops.joined())
    let sides = self.sides
    for normal in directions {
      let own = sides.filter { $0.normal.dot(normal) > Self.sameDirection }
      guard !own.isEmpty, let reach = corners.map({ $0.dot(normal) }).max() else { continue }
      let along = normal.left
      let stations = Self.stations(of: own, along, normal)
      guard stations.count > 1 else { continue }
      chain(
        stations, along, line: normal * (reach + Self.nearChain * scale), on: &drawing)
      // The building as a whole along its main directions, others by themselves.
      let isMain = abs(normal.dot(main)) > Self.sameDirection
      let isAcross = abs(along.dot(main)) > Self.sameDirection
      let whole = isMain || isAcross ? Self.extremes(of: corners, along, normal) : stations
      let rest = Self.length(of: whole, along) - Self.length(of: stations, along)
      guard stations.count > 2 || rest > Self.merging else { continue }
      chain(
        [whole[0], whole[whole.count - 1]], along,
        line: normal * (reach + Self.farChain * scale), on: &drawing)
    }
  }

  private static func length(of points: [SIMD2<Double>], _ along: SIMD2<Double>) -> Double {
    (points[points.count - 1] - points[0]).dot(along)
  }

  /// The first and the last corner along a direction, of several the outermost.
  private static func extremes(
    of corners: [SIMD2<Double>], _ along: SIMD2<Double>, _ normal: SIMD2<Double>
  ) -> [SIMD2<Double>] {
    [-along, along].compactMap { way in
      let most = corners.map { $0.dot(way) }.max() ?? 0
      return corners.filter { $0.dot(way) > most - precision }
        .max { $0.dot(normal) < $1.dot(normal) }
    }
  }

  /// Whether a side is a face of a straight wall, and not a chord of a round one.
  private func isOfStraightWall(
    _ ends: (SIMD2<Double>, SIMD2<Double>), _ normal: SIMD2<Double>
  ) -> Bool {
    straight.contains { wall in
      let frame = wall.frame(at: 0)
      guard abs(frame.left.dot(normal)) > Self.sameDirection else { return false }
      return [ends.0, ends.1].allSatisfy { end in
        let offset = end - frame.place
        let place = offset.dot(frame.along)
        return abs(abs(offset.dot(frame.left)) - wall.thickness / 2) < Self.precision
          && place > -wall.thickness && place < wall.length + wall.thickness
      }
    }
  }

  /// The sides of the outline from which one looks out, into no room and no other wall.
  private var sides: [Side] {
    var sides: [Side] = []
    let edges = loops.flatMap { loop in
      loop.indices.map { (loop[$0], loop[($0 + 1) % loop.count]) }
    }
    for (a, b) in edges {
      let along = b - a
      let length = along.length
      guard length > 0.02 else { continue }
      // The wall is on the left.
      let normal = -along.left / length
      guard directions.contains(where: { $0.dot(normal) > Self.sameDirection }) else {
        continue
      }
      let middle = (a + b) / 2
      let isInRoom = rooms.contains { $0.contains(middle + normal * 0.05) }
      if !isInRoom, isOfStraightWall((a, b), normal),
        !Self.isHidden(middle, normal, behind: edges)
      {
        sides.append(Side(start: a, end: b, normal: normal))
      }
    }
    return sides
  }

  /// Whether a line outward from a point meets another side.
  private static func isHidden(
    _ point: SIMD2<Double>, _ normal: SIMD2<Double>,
    behind edges: [(SIMD2<Double>, SIMD2<Double>)]
  ) -> Bool {
    let along = normal.left
    return edges.contains { a, b in
      let (u, v) = ((a - point).dot(along), (b - point).dot(along))
      guard (u > 0) != (v > 0) else { return false }
      let crossing = a + (b - a) * (u / (u - v))
      return (crossing - point).dot(normal) > 0.001
    }
  }

  /// The corners along a direction, the outermost one of those at the same place.
  private static func stations(
    of sides: [Side], _ along: SIMD2<Double>, _ normal: SIMD2<Double>
  ) -> [SIMD2<Double>] {
    func place(_ point: SIMD2<Double>) -> Double { point.dot(along) }
    func depth(_ point: SIMD2<Double>) -> Double { point.dot(normal) }
    let points = sides.flatMap { [$0.start, $0.end] }.sorted { place($0) < place($1) }
    var stations: [SIMD2<Double>] = []
    for point in points {
      guard let last = stations.last, place(point) - place(last) < merging else {
        stations.append(point)
        continue
      }
      if depth(point) > depth(last) + 1e-6 { stations[stations.count - 1] = point }
    }
    return stations
  }

  /// Adds the dimensions between neighbouring points on one line.
  private func chain(
    _ points: [SIMD2<Double>], _ along: SIMD2<Double>, line: SIMD2<Double>,
    on drawing: inout Drawing
  ) {
    var dimensions = zip(points, points.dropFirst()).map { from, to in
      DrawingDimension(
        from: from, to: to, line: line, direction: along,
        text: numbers.length((to - from).dot(along)))
    }
    placeTexts(of: &dimensions)
    for dimension in dimensions { drawing.add(dimension) }
  }

  /// Moves numbers that are wider than what they measure above or below others.
  private func placeTexts(of dimensions: inout [DrawingDimension]) {
    var occupied = PlanOccupancy()
    func box(_ dimension: DrawingDimension) -> PlanBox {
      PlanBox(of: dimension.shown(scale: scale).text, scale: scale)
    }
    func fits(_ dimension: DrawingDimension) -> Bool {
      DrawingText.width(of: dimension.text, height: dimension.height) * scale < dimension.length
    }
    for dimension in dimensions where fits(dimension) { occupied.add(box(dimension), cost: 1) }
    for index in dimensions.indices where !fits(dimensions[index]) {
      let (start, end) = dimensions[index].ends
      let turn = dimensions[index].turn
      let above = SIMD2(angle: turn).left * scale
      let height = dimensions[index].height
      let rows = [height + 0.8, -(height + 2 * DrawingDimension.textGap), 2 * height + 1.6, 0]
      for row in rows {
        dimensions[index].shift = (start + end) / 2 + above * row
        if occupied.cost(of: box(dimensions[index])) == 0 { break }
      }
      occupied.add(box(dimensions[index]), cost: 1)
    }
  }
}
