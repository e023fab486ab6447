import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// Models of buildings whose drawing is known.
struct ModelRoomsTests {
  private func model(
    _ scene: Scene, context: StageContext = StageContext(),
    _ change: (inout ModelRooms.Parameters) -> Void = { _ in }
  ) throws -> Scene {
    var parameters = ModelRooms.Parameters()
    change(&parameters)
    return try ModelRooms(parameters).run(scene, in: context)
  }

  private func scene(_ building: Building) -> Scene {
    var scene = Scene(name: "Flat", meshes: [MeshFixtures.torus()])
    scene.buildings = [building]
    return scene
  }

  private func mesh(_ name: String, of scene: Scene) throws -> Mesh {
    try #require(scene.meshes.first { $0.name == name })
  }

  /// Whether each edge has one face in each direction, and the outside is outside.
  private func isSolid(_ mesh: Mesh) -> Bool {
    let edges = Edges(mesh)
    return mesh.volume > 0
      && edges.allSatisfy { $0.valence == 2 && !edges.isInconsistent($0) }
  }

  @Test func `parts of a building are solids with the volume of its drawing`() throws {
    let building = TwoRoomBuilding.twoRooms()
    let made = try model(scene(building))
    #expect(made.meshes.allSatisfy(isSolid))
    let measures = BuildingMeasures(building).storeys[0]
    for wall in measures.walls {
      #expect(abs(try mesh(wall.name, of: made).volume - wall.volume) < 1e-4 * wall.volume)
    }
    // A door leaf of 4 cm, a pane of 2 cm, a floor of 20 cm with what is below the door, and a table.
    #expect(abs(try mesh("door-1", of: made).volume - 0.9 * 2.1 * 0.04) < 1e-5)
    #expect(abs(try mesh("window-1", of: made).volume - 1.5 * 1.2 * 0.02) < 1e-5)
    let floors = made.meshes.filter { $0.name.hasPrefix("floor") }.reduce(0) { $0 + $1.volume }
    #expect(abs(floors - 0.2 * (measures.floorArea + 0.9 * 0.1)) < 1e-3)
    #expect(abs(try mesh("table-1", of: made).volume - 1.6 * 0.8 * 0.75) < 1e-4)
    #expect(abs(try mesh("column-1", of: made).volume - 0.3 * 0.4 * 2.5) < 1e-4)
    #expect(abs(try mesh("stairs-2", of: made).volume - 0.3 * 0.36) < 1e-4)
    // The storey is half a metre up.
    let bounds = made.bounds
    #expect(abs(bounds.minimum.y - 0.3) < 1e-4 && abs(bounds.maximum.y - 3.02) < 1e-4)
    #expect(abs(bounds.minimum.x + 0.15) < 1e-4 && abs(bounds.maximum.x - 6.15) < 1e-4)
  }

  @Test func `meshes have the names and classes of what they are, and the scan is gone`() throws {
    var scan = scene(TwoRoomBuilding.twoRooms())
    scan.pointClouds = [PointCloud(positions: [Vector3(0, 0, 0)])]
    scan.materials = [Material(name: "paint")]
    let context = StageContext()
    let made = try model(scan, context: context)
    #expect(made.pointClouds.isEmpty && made.materials.isEmpty && made.buildings == scan.buildings)
    let names = made.meshes.map { mesh in
      mesh.classes.map { classes in Set(classes.labels).map { classes.names[Int($0)] } } ?? []
    }
    for (mesh, classes) in zip(made.meshes, names) {
      let expected =
        ["front", "right", "back", "left", "between", "column-1"].contains(mesh.name)
        ? "wall" : String(mesh.name.prefix { $0 != "-" })
      #expect(classes == [expected])
    }
    #expect(Set(made.meshes.map(\.name)).count == made.meshes.count)
    for mesh in made.meshes { try mesh.validate(materialCount: 0) }
    #expect(
      context.notes.contains { $0.key == "meshes" && $0.value.number == Double(made.meshes.count) })
  }

  @Test func `parts decides what is made`() throws {
    let building = scene(TwoRoomBuilding.twoRooms())
    let made = try model(building) { $0.parts = [.doors, .windows] }
    #expect(made.meshes.map(\.name).sorted() == ["door-1", "window-1"])
    #expect(throws: ModelRooms.Failure.nothingToMake) { try model(building) { $0.parts = [] } }
    #expect(throws: ModelRooms.Failure.noBuilding) {
      try model(Scene(meshes: [MeshFixtures.torus()]))
    }
  }

  @Test func `round and mirrored walls in other units are solids, too`() throws {
    var building = TwoRoomBuilding.twoRooms(
      placement: Transform(
        x: SIMD3(0, 0, 100), y: SIMD3(-100, 0, 0), z: SIMD3(0, 100, 0),
        translation: SIMD3(1000, 200, 0)))
    building.storeys[0].walls = [TwoRoomBuilding.wall("round", SIMD2(0, 0), SIMD2(2, 0), 0.2)]
    // Half a circle of 1 m, with a door in its middle.
    building.storeys[0].walls[0].bulge = 1
    building.storeys[0].walls[0].length = Building.Dimension(.pi)
    let solid = try mesh("round", of: try model(scene(building)))
    let volume = BuildingMeasures(building).storeys[0].walls[0].volume
    #expect(isSolid(solid))
    #expect(abs(solid.volume * 1e-6 - volume) < 1e-4 * volume)
    building.storeys[0].walls[0].openings = [
      Building.Opening(
        name: "door", .door, at: .pi / 2, width: Building.Dimension(0.9),
        sill: Building.Dimension(0), height: Building.Dimension(2))
    ]
    let made = try model(scene(building))
    let (cut, leaf) = (try mesh("round", of: made), try mesh("door", of: made))
    #expect(isSolid(cut))
    #expect(isSolid(leaf))
    #expect(abs((solid.volume - cut.volume) * 1e-6 - 0.9 * 2 * 0.2) < 0.005)
  }

  @Test func `openings over each other, at corners and beyond their wall leave solids`() throws {
    var building = TwoRoomBuilding.twoRooms()
    func opening(_ at: Double, _ width: Double, _ sill: Double, _ height: Double)
      -> Building.Opening
    {
      Building.Opening(
        name: "opening \(at)", .opening, at: at, width: Building.Dimension(width),
        sill: Building.Dimension(sill), height: Building.Dimension(height))
    }
    building.storeys[0].walls[0].openings = [
      opening(0.1, 0.4, 0, 2), opening(2, 1, 0.5, 1), opening(2.4, 1, 0.8, 1),
      opening(5.9, 0.8, -1, 9),
      opening(9, 1, 0, 2),
    ]
    building.storeys[0].walls[1].openings = [opening(2, 30, 0, 9)]
    let made = try model(scene(building))
    #expect(made.meshes.filter { !$0.name.hasPrefix("right") }.allSatisfy(isSolid))
  }

  @Test(.needs("trimesh")) func `trimesh finds each wall watertight, with its volume`() throws {
    let made = try model(scene(TwoRoomBuilding.twoRooms()))
    let folder = try TemporaryFolder()
    var volumes: [Double] = []
    for wall in BuildingMeasures(made.buildings[0]).storeys[0].walls {
      let output = OutputSet(folder: folder.path, mainFileName: "\(wall.name).ply")
      try PLY.write(
        Scene(meshes: [try mesh(wall.name, of: made)]), to: output, in: WritingContext())
      volumes.append(wall.volume)
    }
    let script = try folder.write(
      "solid.py",
      """
      import sys, trimesh
      for path in sys.argv[1:]:
        mesh = trimesh.load(path)
        print(mesh.is_watertight and mesh.is_winding_consistent, mesh.volume)
      """)
    let paths = ["front", "right", "back", "left", "between"].map { folder.path + "/\($0).ply" }
    let lines = try Program.run(Checkers.python, [script] + paths).output.split(separator: "\n")
    #expect(lines.count == 5)
    for (line, volume) in zip(lines, volumes) {
      let words = line.split(separator: " ")
      #expect(words[0] == "True")
      #expect(abs((Double(words[1]) ?? 0) - volume) < 1e-4 * volume)
    }
  }
}
