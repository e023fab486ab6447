import Foundation
import MeshPipeline

/// How a building that was found differs from the one that was scanned.
package struct BuildingComparison {
  /// A dimension and its truth.
  package struct Pair {
    package var name: String
    package var found: Building.Dimension
    package var truth: Double

    package var error: Double { abs(found.value - truth) }
    package var isCovered: Bool { error <= found.uncertainty ?? 0 }
  }

  package var sides: [Pair] = []
  package var areas: [Pair] = []
  package var heights: [Pair] = []
  package var thicknesses: [Pair] = []
  package var openingSizes: [Pair] = []
  /// Of rooms, above the floor of their storey.
  package var floors: [Pair] = []
  /// Rise, going and width.
  package var stairSizes: [Pair] = []
  package var stairFaults: [String] = []
  package var missedRooms = 0
  package var inventedRooms = 0
  package var missedOpenings: [String] = []
  package var foundOpenings = 0
  package var inventedOpenings: [String] = []
  package var missedSides = 0

  package var dimensions: [Pair] {
    sides + areas + heights + thicknesses + openingSizes + stairSizes
  }

  /// - Parameter turn: That of the scan.
  package init(_ building: Building?, _ truth: BuildingFixture, turn: Double = 0.3) {
    let storeys = building?.storeys ?? []
    /// From the building's plan to that of the fixture.
    func back(_ point: SIMD2<Double>) -> SIMD2<Double> {
      guard let building else { return point }
      let scene = building.placement.apply(toPoint: SIMD3(point.x, point.y, 0))
      let (x, y) = (scene.x - 1.3, -scene.z + 0.7)
      return SIMD2(x * cos(turn) + y * sin(turn), -x * sin(turn) + y * cos(turn))
    }
    let storeyCount = 1 + (truth.rooms.map(\.storey).max() ?? 0)
    if storeys.count != storeyCount {
      stairFaults.append("\(storeys.count) storeys instead of \(storeyCount)")
    }
    for number in 0...(truth.rooms.map(\.storey).max() ?? 0) {
      let storey = number < storeys.count ? storeys[number] : nil
      compareRooms(storey, truth.rooms.filter { $0.storey == number }, back)
      compareOpenings(storey, truth, number, back)
      compareStairs(storey, truth.stairs.filter { $0.storey == number })
    }
  }

  private static func middle(_ corners: [SIMD2<Double>]) -> SIMD2<Double> {
    let low = corners.reduce(corners[0], pointwiseMin)
    return (low + corners.reduce(low, pointwiseMax)) / 2
  }

  private static func distance(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double {
    ((a - b) * (a - b)).sum().squareRoot()
  }

  private mutating func compareRooms(
    _ storey: Building.Storey?, _ rooms: [BuildingFixture.Room],
    _ back: (SIMD2<Double>) -> SIMD2<Double>
  ) {
    var left = (storey?.rooms ?? []).map { room in (room, room.outline[0].map(back)) }
    let elevation = rooms.first?.floor ?? 0
    for truth in rooms {
      let middle = Self.middle(truth.corners)
      guard let index = left.firstIndex(where: { Self.distance(Self.middle($0.1), middle) < 0.5 })
      else {
        missedRooms += 1
        continue
      }
      let (room, corners) = left.remove(at: index)
      areas.append(Pair(name: "area", found: room.area, truth: BuildingFixture.area(truth)))
      heights.append(
        Pair(name: "height", found: room.height, truth: truth.ceiling - truth.floor))
      floors.append(
        Pair(
          name: "floor",
          found: Building.Dimension(room.base, uncertainty: 0.02), truth: truth.floor - elevation))
      for side in truth.corners.indices where !truth.isRound.contains(side) {
        let (a, b) = (truth.corners[side], truth.corners[(side + 1) % truth.corners.count])
        let match = corners.indices.first {
          Self.distance(corners[$0], a) < 0.15
            && Self.distance(corners[($0 + 1) % corners.count], b) < 0.15
        }
        guard let match, match < room.sides.count else {
          missedSides += 1
          continue
        }
        sides.append(Pair(name: "side", found: room.sides[match], truth: Self.distance(a, b)))
      }
    }
    inventedRooms += left.count
  }

  private mutating func compareStairs(
    _ storey: Building.Storey?, _ truth: [BuildingFixture.Stair]
  ) {
    let found = storey?.stairs ?? []
    guard found.count == truth.count else {
      stairFaults.append("\(found.count) stairs instead of \(truth.count)")
      return
    }
    for (own, stair) in zip(found, truth) {
      if own.riserCount != stair.riserCount {
        stairFaults.append("\(own.riserCount) risers instead of \(stair.riserCount)")
      }
      if own.landings.count != stair.landings.count { stairFaults.append("landings") }
      for (name, size, value) in [
        ("rise", own.rise, stair.rise), ("going", own.going, stair.going),
        ("stair width", own.width, stair.width),
      ] {
        guard let size else { continue }
        stairSizes.append(Pair(name: name, found: size, truth: value))
      }
    }
  }

  private mutating func compareOpenings(
    _ storey: Building.Storey?, _ truth: BuildingFixture, _ number: Int,
    _ back: (SIMD2<Double>) -> SIMD2<Double>
  ) {
    var left: [(Building.Opening, SIMD2<Double>)] = []
    for wall in storey?.walls ?? [] {
      if let thickness = wall.thickness.uncertainty {
        thicknesses.append(
          Pair(
            name: "thickness",
            found: Building.Dimension(wall.thickness.value, uncertainty: thickness),
            truth: wall.isExterior ? truth.outerThickness : truth.thickness))
      }
      for opening in wall.openings {
        let point = wall.course.point(at: opening.position / wall.course.length)
        left.append((opening, back(point)))
      }
    }
    for opening in truth.openings where opening.storey == number {
      let name = opening.isDoor ? "door" : "window"
      guard
        let index = left.firstIndex(where: {
          Self.distance($0.1, opening.middle) < 0.3 && ($0.0.kind == .window) != opening.isDoor
        })
      else {
        missedOpenings.append("\(name) at \(opening.middle)")
        continue
      }
      let found = left.remove(at: index).0
      foundOpenings += 1
      openingSizes += [
        Pair(name: "width", found: found.width, truth: opening.width),
        Pair(name: "sill", found: found.sill, truth: opening.sill),
        Pair(name: "opening height", found: found.height, truth: opening.height),
      ]
    }
    inventedOpenings += left.map { "\($0.0.name) at \($0.1) \($0.0.width.value)" }
  }
}
