import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// Buildings from scans of made-up ones, with noise, drift, furniture and a fifth of the walls missing.
@Suite struct DetectRoomsScanTests {
  private func detect(_ scene: Scene, context: StageContext = StageContext()) throws -> Scene {
    var parameters = DetectRooms.Parameters()
    parameters.from = .scan
    return try DetectRooms(parameters).run(scene, in: context)
  }

  private func share(
    _ pairs: [BuildingComparison.Pair], where isGood: (BuildingComparison.Pair) -> Bool
  ) -> Double {
    pairs.isEmpty ? 1 : Double(pairs.count(where: isGood)) / Double(pairs.count)
  }

  @Test(arguments: BuildingFixture.Plan.allCases, [true, false])
  func `rooms, walls and openings are found, within their uncertainty`(
    plan: BuildingFixture.Plan, hasClasses: Bool
  ) throws {
    var all: [BuildingComparison] = []
    for seed in [UInt64(1), 4] {
      let truth = BuildingFixture(plan, seed: seed)
      let found = try detect(Scene(meshes: [truth.scan(hasClasses: hasClasses)]))
      all.append(BuildingComparison(found.buildings.first, truth))
    }
    #expect(all.allSatisfy { $0.missedRooms == 0 && $0.inventedRooms == 0 })
    #expect(all.flatMap(\.inventedOpenings) == [])
    #expect(all.flatMap(\.missedOpenings) == [])
    let sides = share(all.flatMap(\.sides)) { PlanAccuracy.isGood($0) }
    #expect(sides >= 0.8)
    let sizes = share(all.flatMap(\.openingSizes)) { PlanAccuracy.isGood($0) }
    #expect(sizes >= 0.9)
    #expect(share(all.flatMap(\.areas)) { $0.error <= 0.01 * $0.truth } == 1)
    #expect(share(all.flatMap(\.thicknesses)) { $0.error <= 0.015 } == 1)
    #expect(share(all.flatMap(\.dimensions), where: \.isCovered) >= 0.9)
  }

  @Test func `a wall between rooms has its measured thickness, others an assumed one`() throws {
    let truth = BuildingFixture(.twoStoreys, seed: 2)
    let building = try #require(
      try detect(Scene(meshes: [truth.scan()])).buildings.first)
    #expect(building.storeys.map(\.name) == ["Ground floor", "Floor 1"])
    for storey in building.storeys {
      #expect(storey.walls.count { !$0.thickness.isAssumed } == 1)
      #expect(storey.walls.allSatisfy { $0.isExterior == $0.thickness.isAssumed })
    }
    #expect(building.assumptions.contains { $0.contains("10.0 cm thick") })
  }

  @Test(arguments: [BuildingFixture.Plan.oneRoom, .lShape, .diagonal, .flat])
  func `an open door shows how thick its wall is`(plan: BuildingFixture.Plan) throws {
    let truth = BuildingFixture(plan, seed: 3)
    let building = try #require(
      try detect(Scene(meshes: [truth.scan(hasOpenDoors: true)])).buildings.first)
    let outer = building.storeys[0].walls.filter { $0.isExterior && !$0.thickness.isAssumed }
    #expect(outer.count == 1)
    let wall = try #require(outer.first)
    #expect(wall.openings.contains { $0.kind == .door })
    #expect(abs(wall.thickness.value - truth.outerThickness) < 0.01)
    #expect(BuildingComparison(building, truth).thicknesses.allSatisfy { $0.isCovered })
  }

  @Test func `a wall is at least as thick as a recess in it is deep`() throws {
    let truth = BuildingFixture(.oneRoom, seed: 3)
    var parameters = DetectRooms.Parameters()
    parameters.from = .scan
    parameters.wallThickness = Length(meters: 0.03)
    let found = try DetectRooms(parameters).run(
      Scene(meshes: [truth.scan()]), in: StageContext())
    let building = try #require(found.buildings.first)
    let walls = building.storeys[0].walls
    #expect(walls.allSatisfy { $0.thickness.isAssumed })
    #expect(walls.filter { $0.openings.isEmpty }.allSatisfy { $0.thickness.value == 0.03 })
    #expect(
      walls.filter { !$0.openings.isEmpty }.allSatisfy { abs($0.thickness.value - 0.08) < 0.01 })
    #expect(building.assumptions.contains { $0.contains("as thick as it is deep") })
  }

  /// A straight flight, two with a landing at a quarter turn, and at a half turn.
  @Test(arguments: [UInt64(3), 1, 2, 4], [true, false])
  func `stairs are counted and measured, and make no storey`(
    seed: UInt64, hasClasses: Bool
  ) throws {
    let truth = BuildingFixture(.stairs, seed: seed)
    let building = try #require(
      try detect(Scene(meshes: [truth.scan(hasClasses: hasClasses)])).buildings.first)
    let found = BuildingComparison(building, truth)
    #expect(found.stairFaults == [])
    #expect(found.stairSizes.count == 3)
    #expect(found.stairSizes.allSatisfy { $0.isCovered && $0.error < 0.01 })
    let stair = try #require(building.storeys[0].stairs.first)
    #expect(building.storeys[1].stairs.isEmpty)
    #expect(stair.landings.count == (seed % 3 == 0 ? 0 : 1))
    let rises = zip(stair.heights, stair.heights.dropFirst()).map { $1 - $0 }
    #expect(rises.allSatisfy { abs($0 - truth.stairs[0].rise) < 0.02 })
    // What is below steps is no furniture.
    #expect(building.storeys[0].furniture.allSatisfy { $0.size.y < 2 && $0.size.x < 2 })
  }

  @Test(arguments: [BuildingFixture.Plan.sunken, .halfStorey], [UInt64(2), 5])
  func `rooms know how high their floor is`(plan: BuildingFixture.Plan, seed: UInt64) throws {
    let truth = BuildingFixture(plan, seed: seed)
    let building = try detect(Scene(meshes: [truth.scan()])).buildings.first
    let found = BuildingComparison(building, truth)
    #expect(found.stairFaults == [])
    #expect(found.missedRooms == 0 && found.inventedRooms == 0)
    #expect(found.floors.count == truth.rooms.count)
    #expect(found.floors.allSatisfy { $0.error < 0.01 })
    // Walls stand on the lowest of the floors beside them.
    for wall in building?.storeys.flatMap(\.walls) ?? [] {
      #expect(found.floors.contains { abs($0.truth - wall.base) < 0.015 })
    }
  }

  @Test func `a bed is no step in the floor`() throws {
    var truth = BuildingFixture(.oneRoom, seed: 2)
    truth.pieces = [
      .init(low: SIMD3(1.5, 0.02, 0), high: SIMD3(3.3, 2.05, 0.45), category: "none")
    ]
    let building = try #require(
      try detect(Scene(meshes: [truth.scan(hasClasses: false)])).buildings.first)
    #expect(building.storeys.map(\.rooms.count) == [1])
    #expect(abs(building.storeys[0].rooms[0].base) < 0.01)
    let bed = try #require(building.storeys[0].furniture.first)
    #expect(abs(bed.size.z - 0.45) < 0.03)
  }

  /// A high and a low table, two tables of one height that make an L, and a seat at a table.
  @Test(arguments: [true, false])
  func `furniture that touches is taken apart`(hasClasses: Bool) throws {
    var truth = BuildingFixture(.oneRoom, seed: 1)
    func piece(_ x: ClosedRange<Double>, _ y: ClosedRange<Double>, _ height: Double)
      -> BuildingFixture.Piece
    {
      .init(
        low: SIMD3(x.lowerBound, y.lowerBound, 0),
        high: SIMD3(x.upperBound, y.upperBound, height), category: "table")
    }
    for (pieces, seats) in [
      ([piece(1...2, 1...1.6, 0.75), piece(2...2.8, 1...1.6, 0.45)], false),
      ([piece(1...2.2, 1...1.6, 0.72), piece(2.2...2.9, 1...2.2, 0.72)], false),
      ([piece(1...2.2, 1...1.8, 0.75), piece(1.3...1.8, 1.8...2.3, 0.45)], true),
    ] {
      truth.pieces = pieces
      if seats { truth.pieces[1].category = "seat" }
      let scene = try detect(Scene(meshes: [truth.scan(hasClasses: hasClasses)]))
      let found = try #require(scene.buildings.first).storeys[0].furniture
      #expect(found.count == 2)
      // An L can be cut in two ways.
      let area = pieces.reduce(0) { $0 + ($1.high.x - $1.low.x) * ($1.high.y - $1.low.y) }
      #expect(abs(found.reduce(0) { $0 + $1.size.x * $1.size.y } - area) < 0.12)
      for piece in pieces where pieces[1].high.y - pieces[1].low.y < 1.1 {
        let size = piece.high - piece.low
        #expect(
          found.contains { other in
            let own = [other.size.x, other.size.y].sorted()
            return abs(other.size.z - size.z) < 0.05
              && zip(own, [size.x, size.y].sorted()).allSatisfy { abs($0 - $1) < 0.1 }
          }, "\(size) in \(found.map(\.size))")
      }
    }
  }

  @Test(arguments: [0.02, 0.05])
  func `wardrobes along a wall do not move it`(gap: Double) throws {
    var truth = BuildingFixture(.oneRoom, seed: 4)
    let width = truth.rooms[0].corners[1].x
    truth.pieces = [
      .init(
        low: SIMD3(width - 2.2, gap, 0), high: SIMD3(width - 0.2, 0.6, 2.0), category: "none"),
      .init(
        low: SIMD3(gap, 1.4, 0), high: SIMD3(0.45, 2.8, 1.4), category: "none"),
    ]
    for hasClasses in [true, false] {
      let building = try detect(Scene(meshes: [truth.scan(hasClasses: hasClasses)])).buildings.first
      let found = BuildingComparison(building, truth)
      #expect(found.missedSides == 0)
      #expect(found.sides.allSatisfy { PlanAccuracy.isGood($0) })
      #expect(found.inventedOpenings == [])
    }
  }

  @Test func `openings in a round wall lie on its arc`() throws {
    let truth = BuildingFixture(.roundWindow, seed: 2)
    let building = try #require(try detect(Scene(meshes: [truth.scan()])).buildings.first)
    let round = try #require(building.storeys[0].walls.first { $0.bulge != 0 })
    #expect(
      round.openings.map(\.kind).sorted { $0.rawValue < $1.rawValue } == [.door, .window, .window])
    #expect(round.openings.allSatisfy { 0..<round.course.length ~= $0.position })
    #expect(BuildingComparison(building, truth).missedOpenings == [])
  }

  @Test func `a short wall around a door is as straight as the others`() throws {
    // Its patches of noise and the door behind it turned it by five degrees.
    let truth = BuildingFixture(.lShape, seed: 14)
    let found = try detect(Scene(meshes: [truth.scan()])).buildings.first
    #expect(BuildingComparison(found, truth).sides.allSatisfy { $0.error < 0.02 })
  }

  @Test func `the plan lies straight on its sheet`() throws {
    let truth = BuildingFixture(.lShape, seed: 5)
    let building = try #require(try detect(Scene(meshes: [truth.scan()])).buildings.first)
    for wall in building.storeys[0].walls {
      let chord = wall.end - wall.start
      #expect(min(abs(chord.x), abs(chord.y)) < 1e-6)
    }
  }

  @Test func `a round wall is an arc`() throws {
    let truth = BuildingFixture(.round, seed: 1)
    let building = try #require(
      try detect(Scene(meshes: [truth.scan()])).buildings.first)
    let round = building.storeys[0].walls.filter { $0.bulge != 0 }
    #expect(round.count == 1)
    // A half circle, counterclockwise around the room.
    #expect(abs((round.first?.bulge ?? 0) - 1) < 0.05)
  }

  @Test func `axes and unit change nothing`() throws {
    let truth = BuildingFixture(.oneRoom, seed: 3)
    var scene = Scene(meshes: [truth.scan()])
    let expected = try #require(try detect(scene).buildings.first?.storeys.first?.rooms.first)
    var system = CoordinateSystem.arkit.with(up: .z)
    system.metersPerUnit = 0.01
    scene.convert(to: system)
    let found = try #require(try detect(scene).buildings.first?.storeys.first?.rooms.first)
    #expect(abs(found.area.value - expected.area.value) < 0.02)
    #expect(found.outline[0].count == expected.outline[0].count)
  }

  @Test func `an object has no plan, and that is said`() throws {
    let context = StageContext()
    let found = try detect(Scene(meshes: [MeshFixtures.sphere(rings: 40)]), context: context)
    #expect(found.buildings.isEmpty)
    #expect(context.warnings.count == 1 && context.warnings[0].contains("no plan"))
  }
}
