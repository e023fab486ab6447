import Foundation
import MeshPipeline

extension BuildingFixture {
  /// A scan of the inner faces, as a phone makes it: Y up, turned, with noise that is the same for neighbours, planes that are
  /// a little off as a whole, drift, furniture before the walls and holes where nobody looked.
  ///
  /// - Parameters:
  ///   - edge: The edge of triangles.
  ///   - missing: The share of walls that is not there.
  ///   - hasOpenDoors: Whether outer doors stand open, so that the sides of their walls are seen.
  package func scan(
    hasClasses: Bool = true, edge: Double = 0.06, noise: Double = 0.006, missing: Double = 0.2,
    turn: Double = 0.3, hasOpenDoors: Bool = false
  ) -> Mesh {
    var surface = ScannedBuilding(seed: seed, edge: edge, noise: noise)
    for room in rooms {
      for side in room.corners.indices {
        let (a, b) = (room.corners[side], room.corners[(side + 1) % room.corners.count])
        if room.isOpen.contains(side) { continue }
        if room.isStep.contains(side) {
          surface.addRiser(from: a, to: b, low: lowerFloor(beside: room), high: room.floor)
          continue
        }
        addWall(
          from: a, to: b, of: room, side: side, missing: missing, hasOpenDoors: hasOpenDoors,
          to: &surface)
      }
      surface.addLevel(
        room.corners, at: room.floor, isCeiling: false, missing: 0.5 * missing,
        covered: pieces.filter { $0.low.z == room.floor }.map { ($0.low, $0.high) },
        well: room.stairwell)
      surface.addLevel(
        room.corners, at: room.ceiling, isCeiling: true, missing: 0.5 * missing, covered: [],
        well: room.storey > 0 ? [] : room.stairwell)
    }
    for stair in stairs { surface.add(stair) }
    for piece in pieces { surface.addBox(piece.low, piece.high, piece.category) }
    return surface.mesh(turn: turn, hasClasses: hasClasses)
  }

  private func lowerFloor(beside room: Room) -> Double {
    rooms.filter { $0.storey == room.storey && !$0.isOpen.isEmpty }.map(\.floor).min()
      ?? room.floor
  }

  private func addWall(
    from a: SIMD2<Double>, to b: SIMD2<Double>, of room: Room, side: Int, missing: Double,
    hasOpenDoors: Bool, to surface: inout ScannedBuilding
  ) {
    let length = ((b - a) * (b - a)).sum().squareRoot()
    let u = (b - a) / length
    let n = SIMD2(-u.y, u.x)
    var holes: [ScannedBuilding.Hole] = []
    // Sills are heights above the floor of the storey, that of its first room.
    let step = room.floor - (rooms.first { $0.storey == room.storey }?.floor ?? 0)
    for opening in openings where opening.storey == room.storey {
      let offset = opening.middle - a
      let along = (offset * u).sum()
      guard abs((offset * n).sum()) < 0.25, along > opening.width / 2,
        along < length - opening.width / 2
      else { continue }
      // One in the middle of a wall between rooms goes through, others are closed behind a recess.
      let isThrough = abs((offset * n).sum()) > 0.02
      let isOpen = hasOpenDoors && opening.isDoor
      holes.append(
        ScannedBuilding.Hole(
          from: along - opening.width / 2, to: along + opening.width / 2, low: opening.sill - step,
          high: opening.sill - step + opening.height,
          depth: isThrough ? thickness / 2 : isOpen ? outerThickness : 0.08,
          panel: isThrough || isOpen ? nil : opening.isDoor ? "door" : "window"))
    }
    for opening in roundOpenings
    where opening.sides.contains(side) && rooms[opening.room].corners == room.corners {
      holes.append(
        ScannedBuilding.Hole(
          from: 0, to: length, low: opening.sill, high: opening.sill + opening.height,
          depth: 0.08, panel: opening.isDoor ? "door" : "window",
          sides: (side == opening.sides.lowerBound, side == opening.sides.upperBound)))
    }
    let hidden = pieces.filter { piece in
      let middle = SIMD2((piece.low.x + piece.high.x) / 2, (piece.low.y + piece.high.y) / 2) - a
      let distance = (middle * n).sum()
      return distance > 0 && distance < 0.4 && piece.low.z == room.floor
    }.map { piece -> ScannedBuilding.Hole in
      let ends = [SIMD2(piece.low.x, piece.low.y), SIMD2(piece.high.x, piece.high.y)].map {
        (($0 - a) * u).sum()
      }
      return .init(
        from: ends.min() ?? 0, to: ends.max() ?? 0, low: 0, high: piece.high.z - room.floor,
        depth: 0, panel: nil)
    }
    surface.addWall(
      from: a, u: u, length: length, floor: room.floor, ceiling: room.ceiling, holes: holes,
      hidden: hidden, missing: missing)
  }
}

/// The triangles of a scan.
struct ScannedBuilding {
  struct Hole {
    var from: Double
    var to: Double
    var low: Double
    var high: Double
    /// Behind the wall's face.
    var depth: Double
    /// The class of what closes it.
    var panel: String?
    /// Whether it has a side of its recess at its beginning and at its end.
    var sides = (true, true)
  }

  private let edge: Double
  private let noise: Double
  private let seed: UInt64
  private var random: SeededGenerator
  private var points: [SIMD3<Double>] = []
  private var indices: [UInt32] = []
  private var labels: [UInt16] = []

  init(seed: UInt64, edge: Double, noise: Double) {
    (self.seed, self.edge, self.noise) = (seed, edge, noise)
    random = SeededGenerator(seed: seed)
  }

  private mutating func gaussian() -> Double {
    let (a, b) = (
      Double.random(in: 1e-12...1, using: &random), Double.random(in: 0...1, using: &random)
    )
    return (-2 * log(a)).squareRoot() * cos(2 * .pi * b)
  }

  // MARK: Surfaces

  /// A rectangle with corners on a grid between breaks, so that its edges are where they are.
  private mutating func add(
    _ origin: SIMD3<Double>, _ u: SIMD3<Double>, _ v: SIMD3<Double>, _ width: Double,
    _ height: Double, breaks: ([Double], [Double]) = ([], []), label: String,
    where isThere: (Double, Double) -> Bool
  ) {
    let normal = SIMD3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)
    let bias = gaussian() * 0.0025
    let columns = grid(width, breaks.0)
    let rows = grid(height, breaks.1)
    let first = points.count
    for row in rows {
      for column in columns {
        let isInner = row > 0 && row < height && column > 0 && column < width
        let jitter = isInner ? SIMD2(gaussian(), gaussian()) * (0.06 * edge) : .zero
        let place = origin + u * (column + jitter.x) + v * (row + jitter.y)
        points.append(place + normal * (bias + noise * correlated(place) + gaussian() * 0.0015))
      }
    }
    let number = UInt16(FaceClasses.arkitNames.firstIndex(of: label) ?? 0)
    for row in 0..<rows.count - 1 {
      for column in 0..<columns.count - 1
      where isThere(
        (columns[column] + columns[column + 1]) / 2, (rows[row] + rows[row + 1]) / 2)
      {
        let a = UInt32(first + row * columns.count + column)
        let c = a + UInt32(columns.count)
        indices += [a, a + 1, c + 1, a, c + 1, c]
        labels += [number, number]
      }
    }
  }

  private func grid(_ length: Double, _ breaks: [Double]) -> [Double] {
    let ends = [0] + breaks.filter { $0 > 0.01 && $0 < length - 0.01 }.sorted() + [length]
    var result = [0.0]
    for (from, to) in zip(ends, ends.dropFirst()) where to - from > 1e-6 {
      let count = max(1, Int(((to - from) / edge).rounded()))
      for step in 1...count { result.append(from + (to - from) * Double(step) / Double(count)) }
    }
    return result
  }

  /// Circles over a rectangle that cover a share of it.
  private mutating func blots(
    _ width: Double, _ height: Double, share: Double
  ) -> [(SIMD2<Double>, Double)] {
    var result: [(SIMD2<Double>, Double)] = []
    var area = 0.0
    while area < share * width * height * 0.95 {
      let radius = Double.random(in: 0.2...0.6, using: &random)
      let center = SIMD2(
        Double.random(in: 0...max(width, 0.1), using: &random),
        Double.random(in: 0...max(height, 0.1), using: &random))
      result.append((center, radius))
      area += Double.pi * radius * radius * 0.8
    }
    return result
  }

  mutating func addWall(
    from a: SIMD2<Double>, u: SIMD2<Double>, length: Double, floor: Double, ceiling: Double,
    holes: [Hole], hidden: [Hole], missing: Double
  ) {
    let height = ceiling - floor
    // Large pieces of some walls, none of others: 20 % of all.
    let share = length < 0.6 ? 0 : Double.random(in: 0...2 * missing, using: &random)
    let blots = blots(length, height, share: share)
    let (u3, up) = (SIMD3(u.x, u.y, 0), SIMD3<Double>(0, 0, 1))
    let origin = SIMD3(a.x, a.y, floor)
    // The wall looks to its left: along v × u of the rectangle's axes.
    let end = origin + u3 * length
    func isCut(_ x: Double, _ z: Double, _ list: [Hole]) -> Bool {
      list.contains { x > $0.from && x < $0.to && z > $0.low && z < $0.high }
    }
    add(
      end, -u3, up, length, height,
      breaks: (
        holes.flatMap { [length - $0.from, length - $0.to] }, holes.flatMap { [$0.low, $0.high] }
      ),
      label: "wall"
    ) { back, z in
      let x = length - back
      let point = SIMD2(x, z)
      return !isCut(x, z, holes) && !isCut(x, z, hidden)
        && !blots.contains { center, radius in
          let d = point - center
          return (d * d).sum() < radius * radius
        }
    }
    for hole in holes { addRecess(hole, origin, u3) }
  }

  private mutating func addRecess(_ hole: Hole, _ origin: SIMD3<Double>, _ u: SIMD3<Double>) {
    let up = SIMD3<Double>(0, 0, 1)
    let behind = SIMD3(u.y, -u.x, 0)
    let (width, height) = (hole.to - hole.from, hole.high - hole.low)
    let corner = origin + u * hole.from + up * hole.low
    let label = hole.panel == nil ? "wall" : hole.panel ?? ""
    // The sides look at each other.
    if hole.sides.0 {
      add(
        corner + behind * hole.depth, -behind, up, hole.depth, height, label: label
      ) { _, _ in true }
    }
    if hole.sides.1 {
      add(corner + u * width, behind, up, hole.depth, height, label: label) { _, _ in true }
    }
    add(corner + up * height, u, behind, width, hole.depth, label: label) { _, _ in true }
    add(corner + behind * hole.depth, u, -behind, width, hole.depth, label: label) { _, _ in true }
    if let panel = hole.panel {
      add(
        corner + behind * hole.depth + u * width, -u, up, width, height, label: panel
      ) { _, _ in true }
    }
  }

  mutating func addLevel(
    _ corners: [SIMD2<Double>], at height: Double, isCeiling: Bool, missing: Double,
    covered: [(SIMD3<Double>, SIMD3<Double>)], well: [SIMD2<Double>] = []
  ) {
    let xs = corners.map(\.x)
    let ys = corners.map(\.y)
    guard let left = xs.min(), let right = xs.max(), let low = ys.min(), let high = ys.max() else {
      return
    }
    let blots = blots(right - left, high - low, share: missing)
    func isThere(_ point: SIMD2<Double>) -> Bool {
      isInside(point, of: corners) && (well.isEmpty || !isInside(point, of: well))
        && !covered.contains {
          point.x > $0.0.x && point.x < $0.1.x && point.y > $0.0.y && point.y < $0.1.y
        }
        && !blots.contains { center, radius in
          let d = point - SIMD2(left, low) - center
          return (d * d).sum() < radius * radius
        }
    }
    let (x, y) = (SIMD3<Double>(1, 0, 0), SIMD3<Double>(0, 1, 0))
    if isCeiling {
      add(
        SIMD3(left, low, height), y, x, high - low, right - left, label: "ceiling"
      ) { isThere(SIMD2(left + $1, low + $0)) }
    } else {
      add(
        SIMD3(left, low, height), x, y, right - left, high - low, label: "floor"
      ) { isThere(SIMD2(left + $0, low + $1)) }
    }
  }

  /// The upright front of a step in the floor, which looks to the right.
  mutating func addRiser(
    from a: SIMD2<Double>, to b: SIMD2<Double>, low: Double, high: Double, label: String = "floor"
  ) {
    let length = ((b - a) * (b - a)).sum().squareRoot()
    let u = (b - a) / length
    add(
      SIMD3(a.x, a.y, low), SIMD3(u.x, u.y, 0), SIMD3(0, 0, 1), length, high - low, label: label
    ) { _, _ in true }
  }

  /// Treads, risers and the cheeks below them.
  mutating func add(_ stair: BuildingFixture.Stair) {
    var height = stair.foot
    for (number, flight) in stair.flights.enumerated() {
      let (u, up) = (flight.direction, SIMD3<Double>(0, 0, 1))
      let left = SIMD2(-u.y, u.x)
      for tread in 0..<flight.treads {
        let front = flight.corner + u * (Double(tread) * stair.going)
        addRiser(
          from: front + left * stair.width, to: front, low: height, high: height + stair.rise,
          label: "stairs")
        height += stair.rise
        add(
          SIMD3(front.x, front.y, height), SIMD3(u.x, u.y, 0), SIMD3(left.x, left.y, 0),
          stair.going, stair.width, label: "stairs"
        ) { _, _ in true }
        // The cheek on the right, where there is no wall.
        add(
          SIMD3(front.x, front.y, stair.foot), SIMD3(u.x, u.y, 0), up, stair.going,
          height - stair.foot, label: "wall"
        ) { _, _ in true }
      }
      guard number < stair.landings.count else { continue }
      let last = flight.corner + u * (Double(flight.treads) * stair.going)
      addRiser(
        from: last + left * stair.width, to: last, low: height, high: height + stair.rise,
        label: "stairs")
      height += stair.rise
      let (low, high) = (stair.landings[number][0], stair.landings[number][2])
      add(
        SIMD3(low.x, low.y, height), SIMD3(1, 0, 0), SIMD3(0, 1, 0), high.x - low.x,
        high.y - low.y, label: "stairs"
      ) { _, _ in true }
    }
    guard let flight = stair.flights.last else { return }
    let end = flight.corner + flight.direction * (Double(flight.treads) * stair.going)
    let left = SIMD2(-flight.direction.y, flight.direction.x)
    addRiser(
      from: end + left * stair.width, to: end, low: height, high: height + stair.rise,
      label: "stairs")
  }

  mutating func addBox(_ low: SIMD3<Double>, _ high: SIMD3<Double>, _ label: String) {
    let size = high - low
    let (x, y, z) = (SIMD3<Double>(1, 0, 0), SIMD3<Double>(0, 1, 0), SIMD3<Double>(0, 0, 1))
    let all: (Double, Double) -> Bool = { _, _ in true }
    add(SIMD3(low.x, low.y, high.z), x, y, size.x, size.y, label: label, where: all)
    add(low, x, z, size.x, size.z, label: label, where: all)
    add(SIMD3(high.x, low.y, low.z), y, z, size.y, size.z, label: label, where: all)
    add(SIMD3(high.x, high.y, low.z), -x, z, size.x, size.z, label: label, where: all)
    add(SIMD3(low.x, high.y, low.z), -y, z, size.y, size.z, label: label, where: all)
  }

  // MARK: Errors

  /// A number of unit variance that is nearly the same within 10 cm.
  private func correlated(_ point: SIMD3<Double>) -> Double {
    let scaled = point / 0.1
    let cell = scaled.rounded(.down)
    let part = scaled - cell
    var sum = 0.0
    var weights = 0.0
    for corner in 0..<8 {
      let step = SIMD3(Double(corner & 1), Double(corner >> 1 & 1), Double(corner >> 2 & 1))
      let each = SIMD3(repeating: 1.0) - part + step * (2 * part - 1)
      let weight = each.x * each.y * each.z
      var key = SeededGenerator(
        seed: UInt64(bitPattern: Int64(cell.x + step.x)) &* 73_856_093
          ^ UInt64(bitPattern: Int64(cell.y + step.y)) &* 19_349_663
          ^ UInt64(bitPattern: Int64(cell.z + step.z)) &* 83_492_791 ^ seed)
      let value =
        (0..<4).reduce(0.0) { sum, _ in
          sum + Double.random(in: -1...1, using: &key)
        } / (4.0 / 3).squareRoot()
      sum += weight * value
      weights += weight * weight
    }
    return sum / weights.squareRoot()
  }

  /// The mesh, Y up, drifted and turned.
  func mesh(turn: Double, hasClasses: Bool) -> Mesh {
    var key = SeededGenerator(seed: seed ^ 0xD1)
    let scale = SIMD3(
      Double.random(in: -0.001...0.001, using: &key),
      Double.random(in: -0.001...0.001, using: &key), 0)
    let phase = Double.random(in: 0...6, using: &key)
    var mesh = Mesh(name: "scan")
    mesh.positions = points.map { point in
      var p = point + point * scale
      p.x += 0.003 * sin(point.y / 3 + phase)
      p.y += 0.003 * sin(point.x / 3 - phase)
      let (c, s) = (cos(turn), sin(turn))
      let (x, y) = (p.x * c - p.y * s, p.x * s + p.y * c)
      return Vector3(Float(x + 1.3), Float(p.z - 1.4), Float(-(y - 0.7)))
    }
    mesh.indices = indices
    if hasClasses { mesh.classes = FaceClasses(labels: labels) }
    return mesh
  }
}
