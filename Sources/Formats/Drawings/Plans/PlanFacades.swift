import MeshPipeline
import POSIX

/// The chains of dimensions outside of a building: openings and walls along each side, and the whole side.
struct PlanFacades {
  private let loops: [[SIMD2<Double>]]
  private let rooms: [Building.Space]
  let numbers: PlanNumbers
  let scale: Double

  /// From the building to the chain of openings, and to that of the whole side, in millimetres.
  private static let nearChain = 9.0
  private static let farChain = 17.0
  /// What chains need beside a building, in millimetres.
  static let margin = 23.0
  /// Directions that differ by less are one, as a cosine: 1.5 degrees.
  private static let sameDirection = 0.99966
  /// Walls that differ by less are measured along one of them, as a cosine, if that is right within half of their uncertainty:
  /// 5 degrees.
  private static let nearDirection = 0.9962
  /// Corners that are nearer along a side are one, in metres, and those too near on paper for a number, in millimetres.
  private static let merging = 0.01
  private static let leastStretch = 2.2

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
    directions = Self.directions(of: straight, within: (numbers.usual ?? 0) / 2)
    main = straight.max { $0.length < $1.length }?.frame(at: 0).left ?? SIMD2(0, 1)
  }

  private let straight: [PlanWall]
  /// The directions that straight walls look to, and that of the longest one.
  private let directions: [SIMD2<Double>]
  private let main: SIMD2<Double>

  /// - Parameter slack: By how much a wall may be measured too short, in metres.
  private static func directions(
    of walls: [PlanWall], within slack: Double
  ) -> [SIMD2<Double>] {
    let longestFirst = walls.indices.sorted {
      (walls[$0].length, $1) > (walls[$1].length, $0)
    }
    guard let longest = longestFirst.first.map({ walls[$0].frame(at: 0) }) else { return [] }
    // The chains of the sides along and across the longest wall take in as many others as they may.
    var found = [longest.left, -longest.left, longest.along, -longest.along]
    for wall in longestFirst.map({ walls[$0] }) where wall.length > 0.5 {
      let left = wall.frame(at: 0).left
      for normal in [left, -left] {
        let isKnown = found.contains { direction in
          let cosine = direction.dot(normal)
          return cosine > sameDirection
            || cosine > nearDirection && wall.length * (1 - cosine) < slack
        }
        if !isKnown { found.append(normal) }
      }
    }
    return found
  }

  /// The direction along which a side is measured; nil if there is none.
  private func direction(of normal: SIMD2<Double>) -> Int? {
    let best = directions.indices.max { directions[$0].dot(normal) < directions[$1].dot(normal) }
    return best.flatMap { directions[$0].dot(normal) > Self.nearDirection ? $0 : nil }
  }

  func draw(on drawing: inout Drawing) {
    let corners = Array(loops.joined())
    let sides = self.sides
    var texts = PlanOccupancy(textsOf: drawing, scale: scale)
    var chains = PlanOccupancy()
    for (index, normal) in directions.enumerated() {
      let own = sides.filter { direction(of: $0.normal) == index }
      guard !own.isEmpty, let reach = corners.map({ $0.dot(normal) }).max() else { continue }
      let along = normal.left
      let stations = stations(of: own, along, normal)
      guard stations.count > 1 else { continue }
      let isMain = abs(normal.dot(main)) > Self.sameDirection
      let isAcross = abs(along.dot(main)) > Self.sameDirection
      let isUsual = isMain || isAcross
      func lines(_ distances: [Double]) -> [SIMD2<Double>] {
        distances.map { normal * (reach + $0 * scale) }
      }
      // Chains of other directions may run into these, and give way.
      let distances = isUsual ? [Self.nearChain] : [Self.nearChain, Self.farChain]
      let crossed = isUsual ? PlanOccupancy() : chains
      chain(stations, along, on: lines(distances), without: crossed, &drawing, &texts, &chains)
      // The building as a whole along its main directions, others by themselves.
      let whole = isUsual ? Self.extremes(of: corners, along, normal) : stations
      let rest = Self.length(of: whole, along) - Self.length(of: stations, along)
      guard stations.count > 2 || rest > Self.merging else { continue }
      chain(
        [whole[0], whole[whole.count - 1]], along, on: lines([Self.farChain]), without: crossed,
        &drawing, &texts, &chains)
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
      guard direction(of: normal) != nil else { continue }
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

  /// The corners along a direction, of those too near to each other for a number the outermost one, and both ends.
  private func stations(
    of sides: [Side], _ along: SIMD2<Double>, _ normal: SIMD2<Double>
  ) -> [SIMD2<Double>] {
    func place(_ point: SIMD2<Double>) -> Double { point.dot(along) }
    func depth(_ point: SIMD2<Double>) -> Double { point.dot(normal) }
    let points = sides.flatMap { [$0.start, $0.end] }.sorted { place($0) < place($1) }
    let least = max(Self.merging, Self.leastStretch * scale)
    var stations: [SIMD2<Double>] = []
    for point in points {
      guard let last = stations.last, place(point) - place(last) < least else {
        stations.append(point)
        continue
      }
      let isFirst = stations.count == 1 && place(point) - place(last) > Self.merging
      if !isFirst, depth(point) > depth(last) + 1e-6 { stations[stations.count - 1] = point }
    }
    guard let end = points.last, let last = stations.last, place(end) - place(last) > Self.merging
    else { return stations }
    if stations.count > 1 { stations.removeLast() }
    return stations + [end]
  }
}
