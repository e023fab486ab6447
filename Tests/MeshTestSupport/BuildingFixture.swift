import Foundation
import MeshPipeline

/// A made-up building of which everything is known, for scans of it.
///
/// Lengths are metres; x and y are those of a plan seen from above, z is up.
package struct BuildingFixture {
  /// The plans, from a single room to two storeys.
  package enum Plan: CaseIterable, Sendable {
    case oneRoom, lShape, diagonal, round, flat, twoStoreys
  }

  package struct Room {
    package var storey: Int
    /// Counterclockwise; those of a round wall are close to each other.
    package var corners: [SIMD2<Double>]
    package var floor: Double
    package var ceiling: Double
    /// Sides that are chords of a round wall.
    package var isRound: Set<Int> = []
  }

  package struct Opening {
    package var storey: Int
    package var middle: SIMD2<Double>
    package var width: Double
    package var sill: Double
    package var height: Double
    package var isDoor: Bool
  }

  /// A box of furniture, in plan axes.
  package struct Piece {
    package var low: SIMD3<Double>
    package var high: SIMD3<Double>
    package var category: String
  }

  package private(set) var rooms: [Room] = []
  package private(set) var openings: [Opening] = []
  package private(set) var pieces: [Piece] = []
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
    case .round:
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
      addDoor(SIMD2(0, d * 0.5), vary(0.9))
      addWindow(SIMD2(w * 0.5, 0), vary(1.3))
    case .flat:
      makeFlat(vary(3.4), vary(3.8), vary(2.9), vary(3.6), vary(1.4), h, storey: 0, base: 0)
    case .twoStoreys:
      for storey in 0..<2 {
        let base = Double(storey) * (h + 0.3)
        let t = thickness
        addRoom(
          [SIMD2(0, 0), SIMD2(w, 0), SIMD2(w, d), SIMD2(0, d)], h, storey: storey, base: base)
        addRoom(
          [SIMD2(w + t, 0), SIMD2(w + t + 3, 0), SIMD2(w + t + 3, d), SIMD2(w + t, d)], h,
          storey: storey, base: base)
        addDoor(SIMD2(w + t / 2, d * 0.6), vary(0.85), storey: storey)
        addWindow(SIMD2(0, d * 0.5), vary(1.2), storey: storey)
        addWindow(SIMD2(w + t + 1.5, d), vary(1.0), storey: storey)
      }
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
    func row(_ widths: [Double], _ low: Double, _ high: Double) {}
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
        guard length > width + 1.2 else { continue }
        let start = Double.random(in: 0.5...(length - width - 0.5), using: &random)
        let u = direction / length
        let n = SIMD2(-u.y, u.x)
        let (p, q) = (a + u * start + n * 0.02, a + u * (start + width) + n * depth)
        let low = SIMD2(min(p.x, q.x), min(p.y, q.y))
        let high = SIMD2(max(p.x, q.x), max(p.y, q.y))
        let isFree = openings.allSatisfy { opening in
          let offset = (low + high) / 2 - opening.middle
          return opening.storey != room.storey
            || max(abs(offset.x), abs(offset.y)) > (opening.width + width) / 2 + 0.35
        }
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
