import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct FilterClassificationTests {
  /// A strip of square cells of two faces and one square metre each, one class per cell.
  private func strip(_ names: [String], rows: Int = 1) -> Mesh {
    var mesh = MeshFixtures.grid(columns: names.count, rows: rows)
    let labels = names.map { FaceClasses.arkitNames.firstIndex(of: $0).map(UInt16.init) ?? 0 }
    mesh.classes = FaceClasses(
      labels: (0..<mesh.faceCount).map { labels[$0 / 2 % names.count] })
    return mesh
  }

  private func filter(
    _ meshes: [Mesh], clouds: [PointCloud] = [], in context: StageContext = StageContext(),
    _ change: (inout FilterClassification.Parameters) -> Void
  ) throws -> Scene {
    var parameters = FilterClassification.Parameters()
    change(&parameters)
    return try FilterClassification(parameters).run(
      Scene(meshes: meshes, pointClouds: clouds), in: context)
  }

  @Test func `keep keeps the named classes with the vertices that they use`() throws {
    let scene = try filter([strip(["floor", "wall", "wall", "seat"])]) {
      $0.keep = [ClassLabel("Wall")]
    }
    #expect(scene.meshes[0].classes?.labels == [1, 1, 1, 1])
    #expect(scene.meshes[0].vertexCount == 6)
    #expect(scene.bounds.minimum.x == 1 && scene.bounds.maximum.x == 3)
  }

  @Test func `drop is the complement of keep`() throws {
    let mesh = strip(["floor", "wall", "none", "seat"])
    let kept = try filter([mesh]) { $0.keep = [ClassLabel("floor"), ClassLabel("none")] }
    let left = try filter([mesh]) { $0.drop = [ClassLabel("wall"), ClassLabel("seat")] }
    #expect(kept == left)
    #expect(kept.faceCount == 4)
  }

  @Test func `all attributes follow their faces`() throws {
    var mesh = MeshFixtures.allAttributes
    mesh.classes = FaceClasses(labels: (0..<mesh.faceCount).map { UInt16($0 % 4) })
    let scene = try filter([mesh]) { $0.keep = [ClassLabel("floor")] }
    let chosen = (0..<mesh.faceCount).filter { $0 % 4 == 2 }
    let expected = mesh.selecting(faces: chosen)
    let result = try #require(scene.meshes.first)
    #expect(result.faceCount == chosen.count)
    for corner in result.indices.indices {
      let (ours, theirs) = (Int(result.indices[corner]), Int(expected.indices[corner]))
      #expect(result.positions[ours] == expected.positions[theirs])
      #expect(result.colors?[ours] == expected.colors?[theirs])
      #expect(result.confidences?[ours] == expected.confidences?[theirs])
    }
    #expect(result.textureCoordinates == expected.textureCoordinates)
    #expect(result.faceMaterials == expected.faceMaterials)
    #expect(result.classes == expected.classes)
  }

  @Test func `meshes that become empty go, and faces without classes count as none`() throws {
    var plain = MeshFixtures.cube
    plain.name = "plain"
    let scene = try filter([strip(["wall"]), plain, strip(["floor"])]) {
      $0.drop = [ClassLabel("wall"), ClassLabel("none")]
    }
    #expect(scene.meshes.map(\.faceCount) == [2])
  }

  @Test func `points are filtered by their classes`() throws {
    var cloud = PointCloud(
      name: "points", positions: [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(2, 0, 0)])
    cloud.classes = FaceClasses(labels: [2, 1, 2])
    cloud.confidences = [0, 1, 2]
    let scene = try filter([], clouds: [cloud]) { $0.keep = [ClassLabel("floor")] }
    #expect(scene.pointClouds[0].confidences == [0, 2])
    #expect(scene.pointClouds[0].classes?.labels == [2, 2])
  }

  @Test func `an unknown name is told with the nearest one and what the scan holds`() throws {
    let error = #expect(throws: FilterClassification.Failure.self) {
      try filter([strip(["floor", "wall", "wall"])]) { $0.keep = [ClassLabel("flor")] }
    }
    #expect(
      error?.message
        == "unknown class 'flor' (did you mean 'floor'?); the scan has wall (4), floor (2)")
    #expect(error?.exitCode == .data)
  }

  @Test(
    arguments: [
      ("2", "class 2 is 'ground'"), ("64", "class 64 is 'class-64'"), ("1", "class 1 is 'none'"),
    ])
  func `a code of the ASPRS is told by its name`(number: String, hint: String) throws {
    var cloud = PointCloud(positions: [.zero, .zero, .zero])
    cloud.classes = FaceClasses(labels: [0, 1, 2], names: ["none", "ground", "class-64"])
    var scene = Scene(pointClouds: [cloud])
    scene.survey = Survey()
    var parameters = FilterClassification.Parameters()
    parameters.keep = [ClassLabel(number)]
    let error = #expect(throws: FilterClassification.Failure.self) {
      try FilterClassification(parameters).run(scene, in: StageContext())
    }
    #expect(error?.message.contains("unknown class '\(number)' (\(hint)); the scan has") == true)
  }

  @Test func `a class of ARKit's that the scan lacks is not an error`() throws {
    let scene = try filter([strip(["floor", "wall"])]) { $0.drop = [ClassLabel("seat")] }
    #expect(scene.faceCount == 4)
  }

  @Test func `names of the scan's own are known, however they are spelt`() throws {
    var mesh = MeshFixtures.grid(columns: 2, rows: 1)
    mesh.classes = FaceClasses(labels: [0, 0, 1, 1], names: ["radiator", "light-switch"])
    let scene = try filter([mesh]) { $0.keep = [ClassLabel("Light Switch")] }
    #expect(scene.faceCount == 2)
  }

  @Test func `a scan without classes is an error that names the guard`() {
    let error = #expect(throws: FilterClassification.Failure.noClassification) {
      try filter([MeshFixtures.cube]) { $0.keep = [ClassLabel("floor")] }
    }
    #expect(error?.message.contains("\"when\": \"classification\"") == true)
  }

  @Test func `filtering everything away is an error`() {
    let error = #expect(throws: FilterClassification.Failure.self) {
      try filter([strip(["wall", "wall"])]) { $0.keep = [ClassLabel("floor")] }
    }
    #expect(error?.exitCode == .data)
    #expect(error?.message.contains("wall (4)") == true)
  }

  @Test func `what is dropped goes even when it is kept`() throws {
    let scene = try filter([strip(["floor", "wall", "seat"])]) {
      $0.keep = [ClassLabel("floor"), ClassLabel("wall")]
      $0.drop = [ClassLabel("wall"), ClassLabel("seat")]
    }
    #expect(scene.faceCount == 2)
    #expect(scene.bounds.maximum.x == 1)
  }

  @Test func `without keep and drop there must be something else to do`() throws {
    var parameters = FilterClassification.Parameters()
    #expect(parameters.faults().count == 1)
    parameters.drop = [ClassLabel("wall")]
    #expect(parameters.faults().isEmpty)
    parameters.drop = []
    parameters.minimumArea = Area(squareMeters: 3)
    #expect(parameters.faults().isEmpty)
    // One cell of wall in the floor takes its class, and nothing goes.
    let scene = try filter([strip(["floor", "floor", "wall", "floor", "floor"])]) {
      $0.minimumArea = Area(squareMeters: 1.5)
    }
    #expect(scene.faceCount == 10)
    #expect(scene.meshes[0].classes?.labels.allSatisfy { $0 == 2 } == true)
  }

  @Test(arguments: [1, 2, 3, 9])
  func `growing adds rings of faces around the kept part`(rings: Int) throws {
    // All faces of the neighbouring cells touch the border, so a ring is a cell on each side.
    let names = ["wall", "wall", "wall", "wall", "wall", "floor"]
    let scene = try filter([strip(names + ["wall", "wall", "wall", "wall"])]) {
      $0.keep = [ClassLabel("floor")]
      $0.boundary = .grow
      $0.rings = rings
    }
    let cells = min(5, rings) + 1 + min(4, rings)
    #expect(scene.faceCount == 2 * cells)
  }

  @Test func `shrinking takes rings from class borders and leaves open borders`() throws {
    let scene = try filter([strip(["floor", "floor", "floor", "floor", "wall"])]) {
      $0.keep = [ClassLabel("floor")]
      $0.boundary = .shrink
      $0.rings = 2
    }
    #expect(scene.bounds.minimum.x == 0)
    #expect(scene.bounds.maximum.x == 2)
  }

  @Test func `a small island takes the class that most of its border touches`() throws {
    // One cell of seat between a cell of wall and one of floor, and rows above and below of floor.
    var mesh = MeshFixtures.grid(columns: 3, rows: 3)
    var cells = [2, 2, 2, 1, 5, 2, 2, 2, 2].map(UInt16.init)
    mesh.classes = FaceClasses(labels: cells.flatMap { [$0, $0] })
    let context = StageContext()
    let scene = try filter([mesh], in: context) {
      $0.drop = [ClassLabel("seat")]
      $0.minimumArea = Area(squareMeters: 1.5)
    }
    // The wall cell is an island below 1.5 m² too; both are part of the floor now.
    cells = Array(repeating: 2, count: 9)
    #expect(scene.meshes[0].classes?.labels == cells.flatMap { [$0, $0] })
    #expect(context.notes.map(\.value) == [2])
  }

  @Test func `an island as large as the limit stays, and the limit is in square metres`() throws {
    var mesh = strip(["floor", "floor", "seat", "floor", "floor"])
    mesh.positions = mesh.positions.map { Vector3($0.x * 1000, $0.y, $0.z * 1000) }
    var scene = Scene(meshes: [mesh])
    scene.coordinateSystem.metersPerUnit = 0.001
    var parameters = FilterClassification.Parameters()
    parameters.drop = [ClassLabel("seat")]
    parameters.minimumArea = Area(squareMeters: 1)
    #expect(try FilterClassification(parameters).run(scene, in: StageContext()).faceCount == 8)
    parameters.minimumArea = Area(squareMeters: 1.01)
    let merged = try FilterClassification(parameters).run(scene, in: StageContext())
    #expect(merged.faceCount == 10)
  }

  @Test(arguments: 0..<20)
  func `islands absorb into a labelling without small islands`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var mesh = MeshFixtures.grid(columns: 12, rows: 12)
    mesh.classes = FaceClasses(
      labels: (0..<mesh.faceCount).map { _ in UInt16.random(in: 0..<3, using: &random) })
    let scene = try filter([mesh]) {
      $0.drop = [ClassLabel("door")]
      $0.minimumArea = Area(squareMeters: 3)
    }
    let result = try #require(scene.meshes.first)
    #expect(result.faceCount == mesh.faceCount)
    let islands = FaceComponents(
      edges: Edges(result), faceCount: result.faceCount, within: result.classes?.labels)
    // Each face has half a square metre.
    #expect(islands.faceCounts.allSatisfy { $0 >= 6 })
  }

  @Test(arguments: [
    ("\"0.05m2\"", 0.05), ("\"500 cm2\"", 0.05), ("\"2m²\"", 2), ("\"100mm2\"", 1e-4),
  ])
  func `areas have units`(text: String, squareMeters: Double) throws {
    let json = JSONValue(.string(String(text.dropFirst().dropLast())))
    #expect(abs(try Area(json: json).squareMeters - squareMeters) < 1e-12)
    #expect(throws: ParameterFault.self) { try Area(json: "3 acres") }
    #expect(try Area(json: 1.5) == Area(squareMeters: 1.5))
  }
}
