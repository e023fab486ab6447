import Formats
import MeshPipeline
import MeshTestSupport
import Testing

@Suite struct RoomPlanTests {
  private func reading(_ text: String) throws -> Reading {
    let folder = try TemporaryFolder()
    return try Reading(folder.write("room.roomplan.json", text))
  }

  private func fault(_ text: String) throws -> String {
    try readingFault("room.roomplan.json", text)
  }

  private func mesh(_ name: String, _ scene: Scene) throws -> Mesh {
    try #require(scene.meshes.first { $0.name == name })
  }

  @Test(arguments: [0, 0.7, 2.5])
  func `walls are closed solids with the thickness and without the holes`(turn: Double) throws {
    let scene = try reading(RoomFixture(turn: turn, moved: SIMD3(3, -1, 2)).text).scene
    let (w, h, d) = (RoomFixture.size.x, RoomFixture.size.y, RoomFixture.size.z)
    // Mitred: as long as the surface in front, two thicknesses longer behind.
    let solid = [w, w, d, d].map { ($0 + 0.1) * h * 0.1 }
    let holes = [0.9 * 2 + 1.5 * 2.2, 1.2, 0, 0].map { $0 * 0.1 }
    for number in 0..<4 {
      let summary = SurfaceSummary(try mesh("wall-\(number + 1)", scene))
      #expect(summary.isClosed && summary.nonManifoldEdges == 0)
      #expect(abs(summary.volume - (solid[number] - holes[number])) < 1e-4)
    }
    // A window goes around a tunnel, a door only indents the outline.
    #expect(SurfaceSummary(try mesh("wall-1", scene)).eulerCharacteristic == 2)
    #expect(SurfaceSummary(try mesh("wall-2", scene)).eulerCharacteristic == 0)
    let floor = SurfaceSummary(try mesh("floor-1", scene))
    #expect(abs(floor.area - w * d) < 1e-3 && floor.faces == 2)
    let table = SurfaceSummary(try mesh("table-1", scene))
    #expect(table.isClosed && abs(table.volume - 1.6 * 0.75 * 0.8) < 1e-4)
    let door = SurfaceSummary(try mesh("door-1", scene))
    #expect(door.isClosed && abs(door.volume - 0.9 * 2 * 0.04) < 1e-4)
  }

  @Test func `the measured surface stays, and corners are whole`() throws {
    let scene = try reading(RoomFixture().text).scene
    let (w, h, d) = (RoomFixture.size.x, RoomFixture.size.y, RoomFixture.size.z)
    var box = Box()
    for mesh in scene.meshes { box.add(mesh.bounds) }
    #expect((SIMD3<Double>(box.size) - SIMD3(w + 0.2, h, d + 0.2)).length < 1e-4)
    // Nothing of the north wall is in front of its surface.
    let north = try mesh("wall-1", scene)
    #expect(abs(Double(north.bounds.maximum.z) + d / 2) < 1e-5)
  }

  @Test func `parts have their names and classes`() throws {
    let scene = try reading(RoomFixture().text).scene
    #expect(
      scene.meshes.map(\.name) == [
        "wall-1", "wall-2", "wall-3", "wall-4", "floor-1", "door-1", "window-1", "table-1",
        "storage-1",
      ])
    for mesh in scene.meshes {
      #expect(mesh.classes?.presentNames == [String(mesh.name.dropLast(2))])
    }
    #expect(scene.room?.parts.count == 10)
  }

  @Test func `a wall under a roof and a window in it`() throws {
    var room = RoomFixture()
    room.parts = [room.parts[0], room.parts[6]]
    room.parts[0].corners = [
      SIMD2(-2.5, -1.25), SIMD2(2.5, -1.25), SIMD2(2.5, 0.25), SIMD2(0, 1.25), SIMD2(-2.5, 0.25),
    ]
    // A triangle that reaches over the roof.
    room.parts[1].placement = room.parts[0].placement
    room.parts[1].parent = nil
    room.parts[1].corners = [SIMD2(-0.5, 0.5), SIMD2(0.5, 0.5), SIMD2(0, 3)]
    let scene = try reading(room.text).scene
    let wall = SurfaceSummary(try mesh("wall-1", scene))
    #expect(wall.isClosed && wall.nonManifoldEdges == 0)
    // The triangle's sides meet the roof: y = 0.5 + 5 (0.5 - x) and y = 1.25 - 0.4 x.
    let x = 1.75 / 4.6
    let cut = 0.5 * (0.5 - x) * (0.75 - 0.4 * x) + x * (0.75 - 0.2 * x)
    #expect(abs(wall.volume - 0.1 * (5 * 2 - 2 * cut)) < 1e-3)
  }

  @Test func `holes may touch and overlap each other and the border`() throws {
    var room = RoomFixture()
    let wall = room.parts[0]
    var model = room.parts[5]
    model.parent = wall.identifier
    func hole(at x: Double, _ y: Double, _ w: Double, _ h: Double) -> Room.Part {
      var part = model
      part.identifier = "\(x) \(y)"
      part.placement = wall.placement * Transform(translation: SIMD3(x, y, 0))
      part.size = SIMD3(w, h, 0)
      return part
    }
    // Two that meet in a corner, two that overlap, one over the border, one outside.
    room.parts = [
      wall, hole(at: -1, 0, 0.5, 0.5), hole(at: -0.5, 0.5, 0.5, 0.5), hole(at: 1, 0, 0.5, 0.5),
      hole(at: 1.25, 0.1, 0.5, 0.5), hole(at: 2.5, 0, 0.4, 0.4), hole(at: 9, 0, 1, 1),
    ]
    let solid = SurfaceSummary(try mesh("wall-1", try reading(room.text).scene))
    #expect(solid.isClosed)
    let holes = 0.25 * 4 - 0.25 * 0.4 + 0.2 * 0.4
    #expect(abs(solid.volume - 0.1 * (12.5 - holes)) < 1e-4)
  }

  @Test func `a curved wall is bent around its centre`() throws {
    var room = RoomFixture()
    room.parts = [room.parts[0]]
    room.parts[0].size = SIMD3(4, 2.5, 0)
    var json = room.json
    let curve: JSONValue = [
      "center": [0, 0], "radius": 2, "startAngle": ["value": 0, "unit": ["symbol": "rad"]],
      "endAngle": ["value": 3.14159, "unit": ["symbol": "rad"]],
    ]
    guard case .object(var members) = json.content,
      case .array(var walls) = members[0].value.content,
      case .object(var wall) = walls[0].content
    else { return }
    wall.append(.init("curve", curve))
    walls[0] = JSONValue(.object(wall))
    members[0].value = JSONValue(.array(walls))
    json = JSONValue(.object(members))
    let scene = try reading(json.prettyText).scene
    let summary = SurfaceSummary(try mesh("wall-1", scene))
    #expect(summary.isClosed && summary.nonManifoldEdges == 0)
    // Half of a tube, between radii of 2 and 2.1 m, in steps of ten degrees.
    #expect(abs(summary.volume - .pi / 2 * (2.1 * 2.1 - 2 * 2) * 2.5) < 0.01)
  }

  @Test func `a structure of rooms has each part once`() throws {
    let room = RoomFixture().json
    let structure: JSONValue = ["identifier": "A", "rooms": [room, room]]
    let scene = try reading(structure.prettyText).scene
    #expect(scene.meshes.count == 9)
    #expect(try reading(JSONValue(.array([room])).prettyText).scene.meshes.count == 9)
  }

  @Test func `an unknown category is a class of its own`() throws {
    let text = RoomFixture().text.replacing("\"storage\": {", with: "\"grandPiano\": {")
    let reading = try reading(text)
    #expect(reading.scene.meshes.last?.classes?.presentNames == ["grand-piano"])
    #expect(reading.warnings.count == 1 && reading.warnings[0].contains("'grand-piano'"))
    let washer = try self.reading(
      RoomFixture().text.replacing("\"storage\": {", with: "\"washerDryer\": {"))
    #expect(washer.scene.meshes.last?.classes?.presentNames == ["washer-dryer"])
    #expect(washer.warnings == [])
  }

  @Test(arguments: [
    ("\"dimensions\": [0, 1, 1]", "negative or zero"), ("\"dimensions\": [-1, 1, 1]", "negative"),
    ("\"dimensions\": [1, 1]", "three finite numbers"), ("\"dimensions\": [1e30, 1, 1]", "1 km"),
    ("\"dimensions\": [NaN, 1, 1]", "three finite numbers"), ("\"other\": 1", "missing"),
    ("\"dimensions\": \"1\"", "three finite numbers"),
  ])
  func `a part that can't be used is left out, with its place`(
    dimensions: String, words: String
  ) throws {
    let good =
      #"{"category":{"sofa":{}},"dimensions":[1,1,1],"transform":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}"#
    let bad = good.replacing("\"dimensions\":[1,1,1]", with: dimensions)
    let reading = try reading("{\"objects\":[\(good),\n\(bad)]}")
    #expect(reading.scene.meshes.count == 1)
    #expect(reading.warnings.count == 1)
    #expect(
      reading.warnings[0].contains("objects[1] (line 2)") && reading.warnings[0].contains(words))
    #expect(try fault("{\"objects\":[\(bad)]}").contains(words))
  }

  @Test(arguments: [
    ("[1,0,0,0,0,1,0,0,0,0,0,0,0,0,0,1]", "axes"),
    ("[1,0,0,0,0,1,0,0,0,0,1,0,1e30,0,0,1]", "100 km"),
    ("[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0]", "16 finite"),
    ("[1,0,0,5,0,1,0,0,0,0,1,0,0,0,0,1]", "columns"),
    ("[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,NaN]]", "16 finite"),
  ])
  func `a degenerate transform is named`(transform: String, words: String) throws {
    let text = "{\"objects\":[{\"dimensions\":[1,1,1],\"transform\":\(transform)}]}"
    #expect(try fault(text).contains(words))
  }

  @Test func `other files and too many parts are refused with the reason`() throws {
    #expect(try fault("{\"a\": 1}").contains("not a room of RoomPlan"))
    #expect(try fault("{\"walls\": []}").contains("not a room of RoomPlan"))
    #expect(try fault("{\"walls\": [").contains("room.roomplan.json:1:12"))
    let part = #"{"dimensions":[1,1,1],"transform":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]},"#
    let many = String(repeating: part, count: 10_001).dropLast()
    #expect(try fault("{\"objects\":[\(many)]}").contains("more than 10000"))
    let doors = String(repeating: part, count: 2001).dropLast()
    #expect(try fault("{\"doors\":[\(doors)]}").contains("more than 2000"))
  }

  @Test func `rooms are told from pipelines and glTF by their first bytes`() throws {
    let registry = FormatRegistry(builtInFormats)
    func id(_ text: String) -> String? {
      registry.reader(forHead: FileHead(text.utf8, fileSize: text.utf8.count))?.id
    }
    #expect(id(RoomFixture().text) == "roomplan")
    #expect(id("{\n  \"coreModel\" : \"AbC") == "roomplan")
    #expect(id("{\"asset\": {\"version\": \"2.0\"}}") == "gltf")
    #expect(id("{\"meshpipe\": 1, \"stages\": [{\"use\": \"transform\"}], \"walls\": 1}") == nil)
    #expect(id("{\"frames\": []}") == nil)
  }

  @Test(
    .needsShared("captures/roomplan"),
    arguments: ["test-roomplan", "test-roomplan-multiroom"])
  func `real rooms are closed solids`(name: String) throws {
    let path = try #require(Checkout.shared("captures/roomplan/\(name).json"))
    let context = ReadingContext()
    let reader = try #require(FormatRegistry(builtInFormats).reader(ofFile: path))
    #expect(reader.id == "roomplan")
    let scene = try reader.read(path, in: context)
    #expect(context.stage.warnings == [])
    for mesh in scene.meshes where !mesh.name.hasPrefix("floor") {
      let summary = SurfaceSummary(mesh)
      #expect(
        summary.isClosed && summary.nonManifoldEdges == 0 && summary.volume > 0, "\(mesh.name)")
    }
  }
}
