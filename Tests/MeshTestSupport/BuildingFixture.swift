import Foundation
import MeshPipeline

/// A made-up building of which everything is known, for scans of it.
///
/// Lengths are metres; x and y are those of a plan seen from above, z is up.
package struct BuildingFixture {
  /// The plans, from a single room to a house with half a storey between its parts.
  package enum Plan: CaseIterable, Sendable {
    case oneRoom, lShape, diagonal, round, flat, twoStoreys, stairs, sunken, halfStorey, roundWindow
  }

  package struct Room {
    package var storey: Int
    /// Counterclockwise; those of a round wall are close to each other.
    package var corners: [SIMD2<Double>]
    package var floor: Double
    package var ceiling: Double
    /// Sides that are chords of a round wall.
    package var isRound: Set<Int> = []
    /// Sides without a wall, where the floor has a step down to the next room.
    package var isStep: Set<Int> = []
    /// Sides without anything, where the floor of the next room is higher.
    package var isOpen: Set<Int> = []
    /// What has no ceiling or no floor, because stairs go through.
    package var stairwell: [SIMD2<Double>] = []
  }

  /// Stairs of straight flights, solid below.
  package struct Stair {
    package var storey: Int
    /// Low corner, direction upwards and number of treads of each flight.
    package var flights: [(corner: SIMD2<Double>, direction: SIMD2<Double>, treads: Int)]
    package var landings: [[SIMD2<Double>]] = []
    package var rise: Double
    package var going: Double
    package var width: Double
    package var riserCount: Int
    /// The floor on which it begins.
    package var foot: Double
  }

  package struct Opening {
    package var storey: Int
    package var middle: SIMD2<Double>
    package var width: Double
    package var sill: Double
    package var height: Double
    package var isDoor: Bool
  }

  /// Chords of a round wall of a room that are a door or a window as a whole.
  package struct RoundOpening {
    package var room: Int
    package var sides: ClosedRange<Int>
    package var sill: Double
    package var height: Double
    package var isDoor: Bool
  }

  /// A box of furniture, in plan axes.
  package struct Piece {
    package var low: SIMD3<Double>
    package var high: SIMD3<Double>
    package var category: String

    /// Creates a box.
    package init(low: SIMD3<Double>, high: SIMD3<Double>, category: String) {
      (self.low, self.high, self.category) = (low, high, category)
    }
  }

  package private(set) var rooms: [Room] = []
  package private(set) var openings: [Opening] = []
  package var pieces: [Piece] = []
  package private(set) var stairs: [Stair] = []
  package private(set) var roundOpenings: [RoundOpening] = []
  /// The thickness of walls between rooms.
  package private(set) var thickness = 0.12
  /// That of the others.
  package private(set) var outerThickness = 0.3
  let seed: UInt64

  /// - Parameter seed: Changes all dimensions a little, and the furniture.
  package init(_ plan: Plan, seed: UInt64 = 1) {
    self.seed = seed
    var random = SeededGenerator(seed: seed &* 977 &+ 3)
    func vary(_ value: Double, _ share: Double = 0.1) -> Double {
      value * (1 + Double.random(in: -share...share, using: &random))
    }
    thickness = Double.random(in: 0.09...0.2, using: &random)
    let (w, d, h) = (vary(5), vary(4), vary(2.55, 0.04))
    switch plan {
    case .oneRoom:
      addRoom([SIMD2(0, 0), SIMD2(w, 0), SIMD2(w, d), SIMD2(0, d)], h)
      addDoor(SIMD2(w * 0.3, 0), vary(0.9))
      addWindow(SIMD2(w, d * 0.5), vary(1.3))
      addWindow(SIMD2(w * 0.6, d), vary(1.1))
    case .lShape:
      let (a, b) = (vary(2.4), vary(1.9))
      addRoom(
        [
          SIMD2(0, 0), SIMD2(w + 1, 0), SIMD2(w + 1, b), SIMD2(a, b), SIMD2(a, d + 1),
          SIMD2(0, d + 1),
        ],
        h)
      addDoor(SIMD2(w + 1, b / 2), vary(0.85))
      addWindow(SIMD2(w * 0.5, 0), vary(1.4))
      addWindow(SIMD2(a / 2, d + 1), vary(1.0))
    case .diagonal:
      let cut = vary(1.6)
      addRoom(
        [SIMD2(0, 0), SIMD2(w, 0), SIMD2(w, d - cut), SIMD2(w - cut, d), SIMD2(0, d)], h)
      addDoor(SIMD2(0, d * 0.5), vary(0.9))
      addWindow(SIMD2(w * 0.5, 0), vary(1.3))
    case .round, .roundWindow:
      var corners = [SIMD2<Double>(0, 0), SIMD2(w, 0)]
      let radius = d / 2
      let steps = 36
      for step in 1...steps {
        let angle = -Double.pi / 2 + Double.pi * Double(step) / Double(steps)
        corners.append(SIMD2(w + radius * cos(angle), radius + radius * sin(angle)))
      }
      corners.append(SIMD2(0, d))
      addRoom(corners, h)
      rooms[0].isRound = Set(1...steps)
      if plan == .roundWindow {
        addRoundOpening(5...9, sill: 0, height: 2.03, radius)
        addRoundOpening(15...20, sill: 0.9, height: 1.15, radius)
        addRoundOpening(27...32, sill: 0.6, height: 1.4, radius)
      }
      addDoor(SIMD2(0, d * 0.5), vary(0.9))
      addWindow(SIMD2(w * 0.5, 0), vary(1.3))
    case .flat:
      makeFlat(vary(3.4), vary(3.8), vary(2.9), vary(3.6), vary(1.4), h, storey: 0, base: 0)
    case .twoStoreys:
      for storey in 0..<2 {
        addTwoRooms(w, d, h, storey: storey)
        let t = thickness
        addDoor(SIMD2(w + t / 2, d * 0.6), vary(0.85), storey: storey)
        addWindow(SIMD2(0, d * 0.5), vary(1.2), storey: storey)
        addWindow(SIMD2(w + t + 1.5, d), vary(1.0), storey: storey)
      }
    case .stairs: makeStairs(w + 1.2, d, h)
    case .sunken:
      let drop = Double.random(in: 0.15...0.6, using: &random)
      makeSunken(w, d, h, drop: drop)
    case .halfStorey: makeHalfStoreys(w, d, h)
    }
    addFurniture(&random)
    outerThickness = Double.random(in: 0.2...0.4, using: &random)
  }

  /// Three rooms on both sides of a corridor.
  private mutating func makeFlat(
    _ a: Double, _ b: Double, _ c: Double, _ depth: Double, _ corridor: Double, _ h: Double,
    storey: Int, base: Double
  ) {
    let t = thickness
    let upper = depth + 2 * t + corridor
    let widths = [a, b, c]
    let other = [b + 0.4, a - 0.3, c - 0.1]
    for (widths, low, high) in [(widths, 0.0, depth), (other, upper, upper + depth + 0.3)] {
      var x = 0.0
      for (index, width) in widths.enumerated() {
        addRoom(
          [SIMD2(x, low), SIMD2(x + width, low), SIMD2(x + width, high), SIMD2(x, high)], h,
          storey: storey, base: base)
        let isLower = low == 0
        addDoor(
          SIMD2(x + width * 0.4, isLower ? depth + t / 2 : upper - t / 2),
          0.8 + 0.05 * Double(index),
          storey: storey)
        addWindow(
          SIMD2(x + width * 0.5, isLower ? 0 : high), 1.1 + 0.1 * Double(index), storey: storey)
        x += width + t
      }
    }
    let length = a + b + c + 2 * t
    addRoom(
      [
        SIMD2(0, depth + t), SIMD2(length, depth + t), SIMD2(length, depth + t + corridor),
        SIMD2(0, depth + t + corridor),
      ], h, storey: storey, base: base)
    addDoor(SIMD2(0, depth + t + corridor / 2), 0.95, storey: storey)
  }

  /// A room, and to its right one of 3 m.
  private mutating func addTwoRooms(_ w: Double, _ d: Double, _ h: Double, storey: Int) {
    let base = Double(storey) * (h + 0.3)
    let t = thickness
    addRoom([SIMD2(0, 0), SIMD2(w, 0), SIMD2(w, d), SIMD2(0, d)], h, storey: storey, base: base)
    addRoom(
      [SIMD2(w + t, 0), SIMD2(w + t + 3, 0), SIMD2(w + t + 3, d), SIMD2(w + t, d)], h,
      storey: storey, base: base)
  }

  /// Two storeys with stairs between them: a straight flight, or two with a landing at a quarter or half turn.
  private mutating func makeStairs(_ w: Double, _ d: Double, _ h: Double) {
    let rise = (h + 0.3) / (((h + 0.3) / 0.178).rounded())
    let risers = Int(((h + 0.3) / rise).rounded())
    let (going, width) = (0.26 + 0.002 * Double(seed % 7), 0.85 + 0.03 * Double(seed % 6))
    for storey in 0..<2 {
      addTwoRooms(w, d, h, storey: storey)
      let t = thickness
      addDoor(SIMD2(w + t / 2, d * 0.22), 0.85, storey: storey)
      addWindow(SIMD2(w + t + 1.5, 0), 1.0, storey: storey)
      addWindow(SIMD2(w * 0.5, 0), 1.2, storey: storey)
    }
    var stair = Stair(
      storey: 0, flights: [], rise: rise, going: going, width: width, riserCount: risers, foot: 0)
    let (x, y) = (SIMD2<Double>(1, 0), SIMD2<Double>(0, 1))
    func rectangle(_ low: SIMD2<Double>, _ high: SIMD2<Double>) -> [SIMD2<Double>] {
      [low, SIMD2(high.x, low.y), high, SIMD2(low.x, high.y)]
    }
    switch seed % 3 {
    case 0:
      // Along the upper wall, which is on the left.
      let start = SIMD2(0.9, d - width)
      stair.flights = [(start, x, risers - 1)]
      let length = Double(risers - 1) * going
      rooms[2].stairwell = rectangle(start, SIMD2(start.x + length, d))
    case 1:
      // To the right along the upper wall, then down along the right one.
      let second = 5
      let first = risers - 2 - second
      let corner = SIMD2(w - width, d - width)
      stair.flights = [
        (SIMD2(corner.x - Double(first) * going, d - width), x, first),
        (SIMD2(w - width, corner.y), -y, second),
      ]
      stair.landings = [rectangle(corner, SIMD2(w, d))]
      rooms[2].stairwell = rectangle(
        SIMD2(corner.x - Double(first) * going, d - width - Double(second) * going), SIMD2(w, d))
    default:
      // Up and back beside itself.
      let first = (risers - 2) / 2
      let second = risers - 2 - first
      let corner = SIMD2(w - width, d - 2 * width - 0.1)
      stair.flights = [
        (SIMD2(corner.x - Double(first) * going, d - width), x, first),
        (SIMD2(corner.x, corner.y + width), -x, second),
      ]
      stair.landings = [rectangle(corner, SIMD2(w, d))]
      rooms[2].stairwell = rectangle(
        SIMD2(corner.x - Double(max(first, second)) * going, corner.y), SIMD2(w, d))
    }
    rooms[0].stairwell = rooms[2].stairwell
    stairs = [stair]
  }

  /// A living room that is lower than the rest, with no wall between, and a room beside with a floor of its own.
  private mutating func makeSunken(_ w: Double, _ d: Double, _ h: Double, drop: Double) {
    let t = thickness
    addRoom([SIMD2(0, 0), SIMD2(w, 0), SIMD2(w, d), SIMD2(0, d)], h)
    addRoom(
      [SIMD2(w, 0), SIMD2(w + 3.6, 0), SIMD2(w + 3.6, d), SIMD2(w, d)], h, base: -drop)
    rooms[1].ceiling = h
    rooms[0].isStep = [1]
    rooms[1].isOpen = [3]
    addRoom(
      [SIMD2(0, d + t), SIMD2(w, d + t), SIMD2(w, d + t + 3), SIMD2(0, d + t + 3)], h, base: 0.18)
    rooms[2].ceiling = h
    addDoor(SIMD2(w * 0.3, 0), 0.9)
    addWindow(SIMD2(w + 1.8, 0), 1.4)
    addWindow(SIMD2(w + 1.8, d), 1.2)
    addWindow(SIMD2(w * 0.6, d + t + 3), 1.1)
  }

  /// Two parts of a house with two storeys each, one of them half a storey higher.
  private mutating func makeHalfStoreys(_ w: Double, _ d: Double, _ h: Double) {
    let t = thickness
    for storey in 0..<2 {
      let base = Double(storey) * (h + 0.3)
      let half = base + (h + 0.3) / 2
      addRoom([SIMD2(0, 0), SIMD2(w, 0), SIMD2(w, d), SIMD2(0, d)], h, storey: storey, base: base)
      addRoom(
        [SIMD2(w + t, 0), SIMD2(w + t + 4, 0), SIMD2(w + t + 4, d - 0.5), SIMD2(w + t, d - 0.5)],
        h, storey: storey, base: half)
      addWindow(SIMD2(0, d * 0.5), 1.2, storey: storey)
      addWindow(SIMD2(w + t + 2, 0), 1.0, storey: storey)
      openings[openings.count - 1].sill += half - base
    }
  }

  private mutating func addRoom(
    _ corners: [SIMD2<Double>], _ height: Double, storey: Int = 0, base: Double = 0
  ) {
    rooms.append(Room(storey: storey, corners: corners, floor: base, ceiling: base + height))
  }

  private mutating func addDoor(_ middle: SIMD2<Double>, _ width: Double, storey: Int = 0) {
    openings.append(
      Opening(
        storey: storey, middle: middle, width: width, sill: 0, height: 2.03, isDoor: true))
  }

  /// Adds an opening in the round wall of the first room.
  private mutating func addRoundOpening(
    _ sides: ClosedRange<Int>, sill: Double, height: Double, _ radius: Double
  ) {
    let corners = rooms[0].corners
    let (start, end) = (corners[sides.lowerBound], corners[sides.upperBound + 1])
    let center = SIMD2(corners[1].x, radius)
    let chord = ((end - start) * (end - start)).sum().squareRoot()
    let outward = (start + end) / 2 - center
    let middle = center + outward * (radius / (outward * outward).sum().squareRoot())
    roundOpenings.append(
      RoundOpening(room: 0, sides: sides, sill: sill, height: height, isDoor: sill == 0))
    openings.append(
      Opening(
        storey: 0, middle: middle, width: chord, sill: sill, height: height, isDoor: sill == 0))
  }

  private mutating func addWindow(_ middle: SIMD2<Double>, _ width: Double, storey: Int = 0) {
    openings.append(
      Opening(
        storey: storey, middle: middle, width: width, sill: 0.9, height: 1.15, isDoor: false))
  }

  /// Boxes along the walls and one amid the room, off the openings.
  private mutating func addFurniture(_ random: inout SeededGenerator) {
    for room in rooms where room.corners.count < 10 {
      for side in room.corners.indices {
        let (a, b) = (room.corners[side], room.corners[(side + 1) % room.corners.count])
        let direction = b - a
        guard min(abs(direction.x), abs(direction.y)) < 1e-9 else { continue }
        let length = abs(direction.x) + abs(direction.y)
        let width = Double.random(in: 0.5...1.4, using: &random)
        let depth = Double.random(in: 0.35...0.6, using: &random)
        let height = [0.45, 0.75, 1.2, 1.9][Int.random(in: 0..<4, using: &random)]
        guard length > width + 1.2, !room.isStep.contains(side), !room.isOpen.contains(side) else {
          continue
        }
        let start = Double.random(in: 0.5...(length - width - 0.5), using: &random)
        let u = direction / length
        let n = SIMD2(-u.y, u.x)
        let (p, q) = (a + u * start + n * 0.02, a + u * (start + width) + n * depth)
        let low = SIMD2(min(p.x, q.x), min(p.y, q.y))
        let high = SIMD2(max(p.x, q.x), max(p.y, q.y))
        let isFree =
          openings.allSatisfy { opening in
            let offset = (low + high) / 2 - opening.middle
            return opening.storey != room.storey
              || max(abs(offset.x), abs(offset.y)) > (opening.width + width) / 2 + 0.35
          } && (stairs.isEmpty || low.y < room.corners[0].y + 0.1)
        guard isFree else { continue }
        pieces.append(
          Piece(
            low: SIMD3(low.x, low.y, room.floor), high: SIMD3(high.x, high.y, room.floor + height),
            category: height < 0.5 ? "seat" : height < 0.8 ? "table" : "none"))
      }
    }
  }

  /// The area of a room.
  package static func area(_ room: Room) -> Double {
    let corners = room.corners
    return corners.indices.reduce(0) { sum, index in
      let (a, b) = (corners[index], corners[(index + 1) % corners.count])
      return sum + (a.x * b.y - a.y * b.x) / 2
    }
  }
}
