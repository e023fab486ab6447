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
