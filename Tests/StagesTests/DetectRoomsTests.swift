import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct DetectRoomsTests {
  private func detect(
    _ scene: Scene, context: StageContext = StageContext(),
    _ change: (inout DetectRooms.Parameters) -> Void = { _ in }
  ) throws -> Scene {
    var parameters = DetectRooms.Parameters()
    change(&parameters)
    return try DetectRooms(parameters).run(scene, in: context)
  }

  private func building(of parts: [Room.Part], thickness: Double = 0.1) throws -> Building {
    var scene = Scene()
    scene.room = Room(parts: parts)
    let found = try detect(scene) { $0.wallThickness = Length(meters: thickness) }
    return try #require(found.buildings.first)
  }

  /// The corners of all rooms, in the scene.
  private func corners(_ building: Building) -> [SIMD3<Double>] {
    building.storeys.flatMap { storey in
      storey.rooms.flatMap { $0.outline.joined() }.map {
        building.placement.apply(toPoint: SIMD3($0.x, $0.y, storey.elevation))
      }
    }
  }

  private func isClose(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Bool { (a - b).length < 1e-6 }

  @Test(arguments: [0.0, 0.3, -1.2])
  func `the longest walls of a phone's room are exactly level where others are askew`(
    turn: Double
  ) throws {
    var parts = RoomFixture(turn: turn).parts
    for index in parts.indices where ["north", "west"].contains(parts[index].identifier) {
      let place = parts[index].placement.translation
      let askew = Transform(rotationAbout: SIMD3(0, 1, 0), by: index == 0 ? 0.02 : -0.012)
      parts[index].placement = askew.about(place) * parts[index].placement
    }
    let walls = try #require(try building(of: parts).storeys.first).walls
    // Two of the four are parallel or perpendicular: south and east, of 5 and 4 m.
    let level = walls.filter { wall in
      let line = wall.end - wall.start
      return min(abs(line.x), abs(line.y)) < 1e-9
    }
    #expect(level.map { ($0.length.value * 10).rounded() / 10 }.sorted() == [4, 5])
    #expect(walls.count == 4)
  }

  @Test(arguments: [0.0, 0.3, -1.2])
  func `a phone's room keeps its numbers however it is turned`(turn: Double) throws {
    let building = try building(
      of: RoomFixture(turn: turn, moved: SIMD3(3, -1, 7)).parts, thickness: 0.2)
    let storey = try #require(building.storeys.first)
    #expect(building.storeys.count == 1)
    #expect(abs(storey.elevation + 1) < 1e-9)
    #expect(abs(storey.height.value - 2.5) < 1e-9)
    let lengths = storey.walls.map(\.length.value).sorted()
    #expect(zip(lengths, [4, 4, 5, 5]).allSatisfy { abs($0 - $1) < 1e-9 })
    // The thickness is behind the surface, and the centre lines meet in its middle.
    for wall in storey.walls {
      #expect(wall.thickness == Building.Dimension(0.2))
      #expect(wall.isExterior)
      let line = wall.end - wall.start
      #expect(abs((line * line).sum().squareRoot() - wall.length.value - 0.2) < 1e-9)
      #expect(min(abs(line.x), abs(line.y)) < 1e-9)
      #expect(storey.walls.contains { ($0.start - wall.end).max() < 1e-9 })
    }
    let room = try #require(storey.rooms.first)
    #expect(storey.rooms.count == 1)
    #expect(abs(room.area.value - 20) < 1e-6)
    #expect(room.sides.count == 4)
    let pose = Transform(rotationAbout: SIMD3(0, 1, 0), by: turn)
    let found = corners(building)
    for (x, z) in [(-2.5, -2.0), (2.5, -2), (2.5, 2), (-2.5, 2)] {
      let corner = pose.apply(toPoint: SIMD3(x, 0, z)) + SIMD3(3, -1, 7)
      #expect(found.contains { isClose($0, corner) })
    }
  }

  @Test func `openings have their position, sill and height`() throws {
    let building = try building(of: RoomFixture(turn: 0.4).parts, thickness: 0.2)
    let storey = building.storeys[0]
    let openings = storey.walls.flatMap { wall in wall.openings.map { (wall, $0) } }
    #expect(openings.map(\.1.name).sorted() == ["door-1", "opening-1", "window-1"])
    let pose = Transform(rotationAbout: SIMD3(0, 1, 0), by: 0.4)
    let expected: [String: (x: Double, z: Double, width: Double, sill: Double, height: Double)] = [
      "door-1": (-1.5, -2.1, 0.9, 0, 2), "opening-1": (1, -2.1, 1.5, 0, 2.2),
      "window-1": (0.5, 2.1, 1.2, 1, 1),
    ]
    for (wall, opening) in openings {
      let truth = try #require(expected[opening.name])
      #expect(abs(opening.width.value - truth.width) < 1e-9)
      #expect(abs(opening.sill.value - truth.sill) < 1e-9)
      #expect(abs(opening.height.value - truth.height) < 1e-9)
      let line = wall.end - wall.start
      let point = wall.start + line / (line * line).sum().squareRoot() * opening.position
      let place = building.placement.apply(toPoint: SIMD3(point.x, point.y, 0))
      #expect(isClose(place, pose.apply(toPoint: SIMD3(truth.x, 0, truth.z))))
    }
    #expect(storey.furniture.map(\.category) == ["table", "storage"])
    #expect(storey.furniture[0].size == SIMD3(1.6, 0.8, 0.75))
    #expect(abs(storey.furniture[0].base) < 1e-9)
  }

  @Test func `a wall between two rooms takes its half of both`() throws {
    // Two rooms of 5 × 4 m beside each other, which share the wall at x = 2.5 and have a floor together.
    var parts = RoomFixture().parts.filter { $0.kind == .wall }
    let other = RoomFixture(moved: SIMD3(5, 0, 0)).parts.filter { $0.kind == .wall }
    parts += other.filter { $0.identifier != "west" }
    let building = try building(of: parts, thickness: 0.2)
    let storey = building.storeys[0]
    #expect(storey.rooms.map(\.name) == ["Room 1", "Room 2"])
    for room in storey.rooms { #expect(abs(room.area.value - 4.9 * 4) < 1e-6) }
    #expect(storey.walls.count { !$0.isExterior } == 1)
    let inner = try #require(storey.walls.first { !$0.isExterior })
    let place = building.placement.apply(toPoint: SIMD3(inner.start.x, inner.start.y, 0))
    #expect(abs(place.x - 2.5) < 1e-9)
  }

  @Test func `a round wall is an arc`() throws {
    // The east wall becomes a half circle of 2 m around the middle of its chord.
    var parts = RoomFixture().parts
    let east = try #require(parts.firstIndex { $0.identifier == "east" })
    parts[east].curve = Room.Curve(center: SIMD2(0, 0), isMajor: false)
    let storey = try building(of: parts).storeys[0]
    let wall = storey.walls[3]
    #expect(abs(abs(wall.bulge) - 1) < 1e-6)
    #expect(abs(wall.length.value - 2 * Double.pi) < 1e-6)
    // The half disc is outside or inside of the box, by the side on which the phone has its centre.
    let area = try #require(storey.rooms.first).area.value
    #expect(abs(abs(area - 20) - 2 * Double.pi) < 0.02)
  }

  @Test func `storeys are told by the file, or by heights`() throws {
    let upper = RoomFixture(moved: SIMD3(0, 2.8, 0)).parts
    let byHeight = try building(of: RoomFixture().parts + upper)
    #expect(byHeight.storeys.map(\.name) == ["Ground floor", "Floor 1"])
    #expect(byHeight.storeys.map(\.rooms.count) == [1, 1])
    #expect(byHeight.storeys.map { $0.walls.flatMap(\.openings).count } == [3, 3])
    func numbered(_ parts: [Room.Part], _ story: Int) -> [Room.Part] {
      parts.map { part in
        var part = part
        part.story = story
        return part
      }
    }
    let byFile = try building(of: numbered(RoomFixture().parts, -1) + numbered(upper, 0))
    #expect(byFile.storeys.map(\.name) == ["Basement 1", "Ground floor"])
    #expect(abs(byFile.storeys[1].elevation - 2.8) < 1e-9)
  }

  @Test func `rooms have the names of their use, and axes and unit change nothing`() throws {
    var scene = Scene()
    scene.room = Room(parts: RoomFixture().parts)
    scene.room?.uses = [Room.Use(name: "living room", point: SIMD3(0.5, 1, 0.5))]
    var system = CoordinateSystem.arkit.with(up: .z)
    system.metersPerUnit = 0.01
    scene.convert(to: system)
    let context = StageContext()
    let building = try #require(try detect(scene, context: context).buildings.first)
    let room = try #require(building.storeys.first?.rooms.first)
    #expect(room.name == "Living room")
    #expect(abs(room.area.value - 20) < 1e-6)
    #expect(corners(building).allSatisfy { abs(abs($0.x) - 250) < 1e-6 && abs($0.z) < 1e-6 })
    #expect(context.warnings == [])
    let assumptions = context.notes.first { $0.key == "assumptions" }?.value.elements
    #expect(assumptions?.count == 3)
  }

  @Test func `without what it needs it says so`() throws {
    #expect(throws: DetectRooms.Failure.noRoom) {
      try detect(Scene()) { $0.from = .room }
    }
    var scene = Scene()
    scene.room = Room(parts: RoomFixture().parts.filter { $0.kind == .object })
    #expect(throws: DetectRooms.Failure.noWalls) { try detect(scene) }
    // Three walls enclose no room, but are walls.
    scene.room = Room(parts: Array(RoomFixture().parts.prefix(3)))
    let context = StageContext()
    let found = try detect(scene, context: context)
    #expect(found.buildings.first?.storeys.first?.walls.count == 3)
    #expect(context.warnings.count == 1)
  }
}
