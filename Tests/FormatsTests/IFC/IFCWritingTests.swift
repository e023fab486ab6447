import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Models of buildings, opened by IfcOpenShell.
struct IFCWritingTests {
  private struct Model: Decodable {
    struct Product: Decodable {
      var `class`: String
      var name: String?
      var container: String?
      var volume: Double?
      var minimum: [Double]?
      var maximum: [Double]?
      var faces: Int?
    }

    struct Map: Decodable {
      var name: String
      var description: String?
      var heights: String?
      var unit: String?
      /// East, north and height of the model's zero, and of a metre along each axis from there.
      var places: [[Double]]
    }

    var schema: String
    var maps: [Map]
    var faults: [String]
    var products: [Product]

    func product(_ kind: String, _ name: String) throws -> Product {
      try #require(products.first { $0.class == kind && $0.name == name })
    }

    func count(_ kind: String) -> Int { products.count { $0.class == kind } }
  }

  private func written(
    _ scene: Scene, _ options: [String: JSONValue] = [:]
  ) throws -> (text: String, path: String, folder: TemporaryFolder) {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.ifc")
    try IFC.write(scene, to: output, in: WritingContext(options: options))
    let text = try String(contentsOfFile: output.mainPath, encoding: .utf8)
    return (text, output.mainPath, folder)
  }

  private func opened(_ scene: Scene, _ options: [String: JSONValue] = [:]) throws -> Model {
    let file = try written(scene, options)
    let output = try Checkers.run("Tools/checks/ifc.py", [file.path])
    return try JSONDecoder().decode(Model.self, from: Data(output.utf8))
  }

  private var scene: Scene {
    var scene = Scene(name: "Flat “1”")
    scene.buildings = [TwoRoomBuilding.twoRooms()]
    return scene
  }

  @Test(.needs("ifcopenshell"))
  func `IfcOpenShell finds no fault, and measures what the building has`() throws {
    let model = try opened(scene)
    #expect(model.schema == "IFC4")
    #expect(model.faults == [])
    let measures = BuildingMeasures(scene.buildings[0]).storeys[0]
    for wall in measures.walls {
      let product = try model.product("IfcWall", wall.name)
      #expect(abs((product.volume ?? 0) - wall.volume) < 1e-4 * wall.volume)
      #expect(product.container == "Ground floor")
    }
    let spaces = model.products.filter { $0.class == "IfcSpace" }.map { $0.volume ?? 0 }
    #expect(zip(spaces, measures.rooms).allSatisfy { abs($0 - $1.volume) < 1e-6 })
    #expect(spaces.count == 2)
    #expect(model.count("IfcOpeningElement") == 2)
    #expect(model.count("IfcSlab") == 2)
    #expect(model.count("IfcFurniture") == 1)
    let door = try model.product("IfcDoor", "door-1")
    // In the wall between the rooms, a metre from the front, on the floor of the storey.
    #expect(zip(door.minimum ?? [], [2.48, 0.55, 0.5]).allSatisfy { abs($0 - $1) < 1e-6 })
    #expect(zip(door.maximum ?? [], [2.52, 1.45, 2.6]).allSatisfy { abs($0 - $1) < 1e-6 })
    let window = try model.product("IfcWindow", "window-1")
    #expect(zip(window.minimum ?? [], [3.25, -0.01, 1.4]).allSatisfy { abs($0 - $1) < 1e-6 })
    #expect(abs((try model.product("IfcColumn", "column-1").volume ?? 0) - 0.3) < 1e-6)
    let stair = 0.3 * (0.18 + 0.36)
    #expect(abs((try model.product("IfcStairFlight", "stair-1").volume ?? 0) - stair) < 1e-6)
    #expect(model.count("IfcStair") == 1)
  }

  @Test(.needs("ifcopenshell"))
  func `stairs are flights and landings, from the floor on which they begin`() throws {
    func step(_ x: Double, _ y: Double, _ width: Double, _ depth: Double) -> [SIMD2<Double>] {
      TwoRoomBuilding.rectangle(SIMD2(x, y), SIMD2(x + width, y + depth))
    }
    var stair = Building.Stair(
      steps: [
        step(0, 0, 0.3, 1), step(0.3, 0, 0.3, 1), step(0.6, 0, 1, 1), step(0.6, 1, 1, 0.3),
        step(0.6, 1.3, 1, 0.3),
      ], heights: (0..<5).map { -0.3 + 0.18 * Double($0) })
    (stair.base, stair.landings, stair.riserCount) = (-0.48, [2], 6)
    (stair.rise, stair.going) = (Building.Dimension(0.18), Building.Dimension(0.3))
    var scene = scene
    scene.buildings[0].storeys[0].stairs = [stair]
    let model = try opened(scene)
    #expect(model.faults == [])
    #expect(model.count("IfcStair") == 1)
    #expect(model.count("IfcStairFlight") == 2)
    #expect(model.count("IfcSlab") == 3)
    let first = 0.3 * (0.18 + 0.36)
    #expect(abs((try model.product("IfcStairFlight", "stair-1.1").volume ?? 0) - first) < 1e-6)
    #expect(abs((try model.product("IfcSlab", "stair-1.2").volume ?? 0) - 0.54) < 1e-6)
    let text = try written(scene).text
    #expect(text.contains(".QUARTER_TURN_STAIR."))
    #expect(text.contains(",3,2,0.18,0.3,.STRAIGHT.)"))
  }

  @Test(.needs("ifcopenshell"))
  func `round walls, several storeys and a turned building stand where they are`() throws {
    var building = TwoRoomBuilding.twoRooms(
      placement: Transform(
        x: SIMD3(0, 0, -100), y: SIMD3(-100, 0, 0), z: SIMD3(0, 100, 0),
        translation: SIMD3(1000, 200, 0)))
    var upper = building.storeys[0]
    (upper.name, upper.elevation) = ("Upper floor", 3.3)
    upper.walls = [TwoRoomBuilding.wall("round", SIMD2(0, 0), SIMD2(2, 0), 0.2)]
    // Half a circle of 1 m.
    upper.walls[0].bulge = 1
    upper.walls[0].length = Building.Dimension(.pi)
    building.storeys.append(upper)
    var system = CoordinateSystem.arkit
    system.metersPerUnit = 0.01
    var scene = Scene(coordinateSystem: system)
    scene.buildings = [building]
    let model = try opened(scene)
    #expect(model.faults == [])
    #expect(model.count("IfcBuildingStorey") == 2)
    let round = try model.product("IfcWall", "round")
    // Chords lack a little of the ring.
    let ring = .pi / 2 * (1.1 * 1.1 - 0.9 * 0.9) * 2.5
    #expect(abs((round.volume ?? 0) - ring) < 0.003 * ring)
    // The plan's x is north, and its origin 10 m east.
    #expect(
      zip(round.minimum ?? [], [10 - 0.0, -0.1]).allSatisfy { $1 - $0 > -0.01 && $1 - $0 < 1.2 })
    #expect(abs((round.minimum?[2] ?? 0) - 5.3) < 1e-6)
  }

  @Test(.needs("ifcopenshell"))
  func `true north is the model's, however the plan is turned`() throws {
    // The plan's x is along −z of ARKit's axes, which is y of the model's, and 30° left of it is north.
    var building = TwoRoomBuilding.twoRooms(
      placement: Transform(
        x: SIMD3(0, 0, -1), y: SIMD3(-1, 0, 0), z: SIMD3(0, 1, 0), translation: .zero))
    func directions(_ source: Building.North.Source) throws -> [Double] {
      building.north = Building.North(angle: -.pi / 3, source: source)
      var scene = Scene(coordinateSystem: .arkit)
      scene.buildings = [building]
      let script = """
        import sys, ifcopenshell
        north = ifcopenshell.open(sys.argv[1]).by_type("IfcGeometricRepresentationContext")[0].TrueNorth
        print(*(north.DirectionRatios if north else ()))
        """
      let file = try written(scene)
      let run = try Program.run(Checkers.python, ["-c", script, file.path])
      try #require(run.status == 0, "\(run)")
      return run.output.split { $0.isWhitespace }.compactMap { Double($0) }
    }
    let found = try directions(.photographs(count: 9, isMagnetic: false))
    try #require(found.count == 2)
    #expect(abs(found[0] + 0.5) < 1e-9 && abs(found[1] - 0.75.squareRoot()) < 1e-9)
    // Neither a grid nor a magnet knows it.
    #expect(try directions(.grid("EPSG:25832")) == [])
    #expect(try directions(.photographs(count: 9, isMagnetic: true)) == [])
  }

  @Test(.needs("ifcopenshell"))
  func `a scan on a grid is on the map, and its model near zero`() throws {
    var scene = scene
    scene.coordinateSystem = .blender
    scene.origin = SIMD3(453_120, 5_412_700, 380)
    var system = ReferenceSystem()
    (system.code, system.name) = ("EPSG:25832+7837", "ETRS89 / UTM zone 32N")
    scene.survey = Survey()
    scene.survey?.referenceSystem = system
    let model = try opened(scene)
    #expect(model.faults == [])
    let map = try #require(model.maps.first)
    #expect(model.maps.count == 1)
    #expect(map.name == "EPSG:25832" && map.description == "ETRS89 / UTM zone 32N")
    #expect(map.heights == "EPSG:7837" && map.unit == nil)
    let zero = [453_120.0, 5_412_700, 380]
    for (index, place) in map.places.enumerated() {
      let offset = zip(place, zero).map { $0 - $1 }
      let axis = (0..<3).map { $0 == index - 1 ? 1.0 : 0 }
      #expect(zip(offset, axis).allSatisfy { abs($0 - $1) < 1e-6 }, "\(place)")
    }
    let door = try model.product("IfcDoor", "door-1")
    #expect((door.maximum ?? []).allSatisfy { $0 < 100 })
  }

  @Test(.needs("ifcopenshell"))
  func `a map in feet is one in IFC, too`() throws {
    var scene = scene
    scene.coordinateSystem = .blender
    scene.origin = SIMD3(304.8, 609.6, 30.48)
    var system = ReferenceSystem()
    (system.code, system.horizontalUnit, system.verticalUnit) = ("EPSG:2225", 0.3048, 0.3048)
    scene.survey = Survey()
    scene.survey?.referenceSystem = system
    let model = try opened(scene)
    #expect(model.faults == [])
    let map = try #require(model.maps.first)
    #expect(map.unit == "feet")
    let numbers = map.places.joined()
    let expected = [1000, 2000, 100, 1000 + 1 / 0.3048, 2000, 100]
    #expect(zip(numbers, expected).allSatisfy { abs($0 - $1) < 1e-4 }, "\(map.places)")
  }

  @Test(.needs("ifcopenshell"))
  func `a model whose grid is unknown, or was left, is on no map`() throws {
    var scene = scene
    scene.origin = SIMD3(453_120, 5_412_700, 380)
    #expect(try opened(scene).maps.isEmpty)
    scene.survey = Survey()
    #expect(try opened(scene).maps.isEmpty)
    var system = ReferenceSystem()
    system.code = "EPSG:25832"
    scene.survey?.referenceSystem = system
    scene.survey?.leaveGrid()
    #expect(try opened(scene).maps.isEmpty)
  }

  @Test(.needs("ifcopenshell"))
  func `the scan is there where it is asked for`() throws {
    var scene = scene
    scene.meshes = [MeshFixtures.sphere(segments: 4, rings: 3)]
    #expect(try opened(scene).count("IfcBuildingElementProxy") == 0)
    let model = try opened(scene, ["scan": true])
    #expect(model.faults == [])
    #expect(try model.product("IfcBuildingElementProxy", "Scan").faces == 16)
  }

  @Test func `the same building has the same bytes, and another one other identifiers`() throws {
    let first = try written(scene).text
    #expect(try written(scene).text == first)
    var other = scene
    other.buildings[0].storeys[0].elevation = 1
    let identifiers = { (text: String) in Set(text.matches(of: /\('([\w$]{22})'/).map(\.1)) }
    let (one, two) = (identifiers(first), identifiers(try written(other).text))
    #expect(one.count > 40)
    #expect(one.isDisjoint(with: two))
    // Each is used once.
    #expect(first.matches(of: /\('[\w$]{22}'/).count == one.count)
  }

  @Test(.needs("ifcopenshell"))
  func `what made the model is in a comment that nothing in it ends`() throws {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.ifc")
    var context = WritingContext()
    let provenance = try Provenance.ofManyStages
    context.provenance = provenance
    try IFC.write(scene, to: output, in: context)
    #expect(try ProvenanceReader.read(output.mainPath) == .provenance(provenance))
    let found = try Checkers.run("Tools/checks/ifc.py", [output.mainPath])
    #expect(found.contains("\"faults\": []"))
  }

  @Test func `names may have any characters`() throws {
    var scene = Scene(name: "O'Neil\\ ä 🏠")
    scene.buildings = [TwoRoomBuilding.twoRooms()]
    let text = try written(scene).text
    #expect(text.contains(#"'O''Neil\\ \X2\00E4\X0\ \X4\0001F3E0\X0\'"#))
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
  }

  @Test func `a scene without a building is refused`() throws {
    #expect(throws: NoBuilding.self) {
      try written(Scene(meshes: [MeshFixtures.sphere(segments: 4, rings: 3)]))
    }
  }
}
