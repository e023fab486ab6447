import MeshPipeline
import MeshTestSupport
import Stages
import SurfaceKernels
import Testing

@Suite struct InspectTests {
  private func figures(_ scene: Scene) throws -> [String: JSONValue] {
    let context = StageContext()
    let result = try Inspect(Inspect.Parameters()).run(scene, in: context)
    #expect(result == scene)
    return Dictionary(uniqueKeysWithValues: context.notes.map { ($0.key, $0.value) })
  }

  private func figures(_ mesh: Mesh) throws -> [String: JSONValue] {
    try figures(Scene(meshes: [mesh]))
  }

  @Test func `a cube is healthy`() throws {
    let found = try figures(MeshFixtures.cube)
    #expect(found["watertight"] == true)
    #expect(found["manifold"] == true)
    #expect(found["boundaryEdges"] == 0)
    #expect(found["selfIntersections"] == 0)
    #expect(found["components"] == 1)
    #expect(found["volume"] == 1)
    #expect(found["smallestAngle"] == 45)
    #expect(found["thinnestWall"] == 1)
  }

  @Test func `lengths are in metres`() throws {
    var system = CoordinateSystem.arkit
    system.metersPerUnit = 0.01
    var open = MeshFixtures.cube
    open.indices.removeLast(6)
    let found = try figures(Scene(meshes: [open], coordinateSystem: system))
    #expect(found["watertight"] == false)
    #expect(found["boundaryEdges"] == 4)
    #expect(found["boundaryLoops"] == 1)
    #expect(found["boundaryLength"] == 0.04)
    #expect(found["thinnestWall"] == 0.01)
    #expect(found["volume"] == nil)
  }

  @Test func `what is not manifold is counted`() throws {
    #expect(try figures(MeshFixtures.fin)["nonManifoldEdges"] == 1)
    let bowTie = try figures(MeshFixtures.bowTie)
    #expect(bowTie["nonManifoldVertices"] == 1)
    #expect(bowTie["manifold"] == false)
    var flipped = MeshFixtures.cube
    flipped.flipFace(3)
    let found = try figures(flipped)
    #expect(found["invertedFaces"] == 1)
    #expect(found["watertight"] == false)
  }

  @Test func `colours show what is not sound, where it is`() throws {
    func colored(_ mesh: Mesh, _ show: Inspect.Display, wall: Double = 0.001) throws -> [Color] {
      var parameters = Inspect.Parameters()
      (parameters.show, parameters.minimumThickness) = (show, Length(meters: wall))
      let scene = try Inspect(parameters).run(Scene(meshes: [mesh]), in: StageContext())
      return try #require(scene.meshes[0].colors)
    }
    var open = MeshFixtures.sphere()
    open.keepFaces((0..<open.faceCount).map { $0 != 0 })
    let border = try colored(open, .defects)
    #expect(Set(border).count == 2)
    #expect(border.indices.filter { border[$0] != border.last } == [0, 1, 2])
    var pair = MeshFixtures.cube
    pair.indices += pair.indices.map { $0 + 8 }
    pair.positions += pair.positions.map { Vector3($0.x + 5, $0.y, $0.z) }
    let parts = try colored(pair, .components)
    #expect(Set(parts[..<8]).count == 1 && Set(parts[8...]).count == 1 && parts[0] != parts[8])
    var slab = MeshFixtures.cube
    for vertex in slab.positions.indices { slab.positions[vertex].y *= 0.01 }
    // Each vertex belongs to a side that is a centimetre from its opposite.
    #expect(Set(try colored(slab, .thickness, wall: 0.02)).count == 1)
    #expect(
      try colored(slab, .thickness, wall: 0.02)[0] != colored(slab, .thickness, wall: 0.002)[0])
  }

  @Test func `the print bed tells the scale`() throws {
    var parameters = Inspect.Parameters()
    parameters.bed = LengthVector(meters: SIMD3(0.3, 0.2, 0.1))
    func scale(_ size: SIMD3<Float>) throws -> JSONValue? {
      var box = MeshFixtures.cube
      box.positions = box.positions.map { Vector3($0.simd * size) }
      let context = StageContext()
      _ = try Inspect(parameters).run(Scene(meshes: [box]), in: context)
      return context.notes.first { $0.key == "bedScale" }?.value
    }
    // Y is up: the height of the bed limits the first, its depth the second, turned, its width the third.
    #expect(try scale([1, 1, 1]) == 0.1)
    #expect(try scale([2, 0.1, 3]) == 0.1)
    #expect(try scale([0.1, 0.1, 6]) == 0.05)
  }

  @Test func `crossing cubes intersect where they cross`() {
    var cubes = MeshFixtures.cube
    cubes.indices += cubes.indices.map { $0 + 8 }
    cubes.positions += cubes.positions.map { Vector3($0.x + 0.4, $0.y + 0.3, $0.z + 0.2) }
    let crossing = SelfIntersections(of: cubes).faces
    // Three sides of each cube are cut; the others are not.
    #expect(crossing.count >= 8 && crossing.count <= 12)
    #expect(crossing.contains { $0 < 12 } && crossing.contains { $0 >= 12 })
    var apart = cubes
    for vertex in 8..<16 { apart.positions[vertex].x += 2 }
    #expect(SelfIntersections(of: apart).faces == [])
    // Side by side, with the vertices of the common side doubled.
    var beside = MeshFixtures.cube
    beside.indices += beside.indices.map { $0 + 8 }
    beside.positions += beside.positions.map { Vector3($0.x + 1, $0.y, $0.z) }
    #expect(SelfIntersections(of: beside).faces.count == 4)
  }

  @Test(
    arguments: [
      // A common edge: folded flat, and opened by the smallest amount.
      ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.2, 0.3, 0)], [0, 1, 2, 1, 0, 3], 2),
      ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.2, 0.3, 1e-6)], [0, 1, 2, 1, 0, 3], 0),
      ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.2, -0.3, 0)], [0, 1, 2, 1, 0, 3], 0),
      // A common vertex: one pierces the other, lies beside it, and in it.
      ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.3, 0.3, 1), (0.3, 0.3, -1)], [0, 1, 2, 0, 3, 4], 2),
      ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)], [0, 1, 2, 0, 3, 4], 0),
      ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.2, 0.1, 0), (0.1, 0.2, 0)], [0, 1, 2, 0, 3, 4], 2),
      // No common vertex: a corner in a face, one just above it, and one inside another in a plane.
      (
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.2, 0.2, 0), (0.2, 0.2, 1), (0.3, 0.2, 1)],
        [0, 1, 2, 3, 4, 5], 2
      ),
      (
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.2, 0.2, 1e-6), (0.2, 0.2, 1), (0.3, 0.2, 1)],
        [0, 1, 2, 3, 4, 5], 0
      ),
      (
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.2, 0.2, 0), (0.3, 0.2, 0), (0.2, 0.3, 0)],
        [0, 1, 2, 3, 4, 5], 2
      ),
      // A face without area intersects nothing.
      ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.2, 0.2, -1), (0.2, 0.2, 1)], [0, 1, 2, 3, 4, 4], 0),
    ] as [([(Float, Float, Float)], [UInt32], Int)])
  func `two faces intersect or don't`(
    corners: [(Float, Float, Float)], indices: [UInt32], count: Int
  ) {
    let mesh = Mesh(positions: corners.map { Vector3($0.0, $0.1, $0.2) }, indices: indices)
    #expect(SelfIntersections(of: mesh).faces.count == count)
  }

  @Test func `texture coordinates out of range and overlapping ones are found`() throws {
    var mesh = MeshFixtures.grid(columns: 4, rows: 4)
    mesh.textureCoordinates = mesh.indices.map {
      Vector2(mesh.positions[Int($0)].x / 4, mesh.positions[Int($0)].z / 4)
    }
    #expect(try figures(mesh)["textureOverlap"] == 0)
    let half = mesh.textureCoordinates.map { Array($0.prefix(48)) } ?? []
    mesh.textureCoordinates = half + half
    #expect(try figures(mesh)["textureOverlap"] == 1)
    mesh.textureCoordinates?[0].x = 1.5
    mesh.textureCoordinates?[5].y = .nan
    #expect(try figures(mesh)["texturesOutOfRange"] == 2)
  }

  @Test func `empty, broken and piled up meshes pass`() throws {
    #expect(try figures(Scene())["watertight"] == false)
    #expect(try figures(Mesh())["selfIntersections"] == 0)
    for scene in MeshFixtures.all { _ = try figures(scene) }
    var pile = Mesh(positions: MeshFixtures.cube.positions)
    for _ in 0..<2000 { pile.indices += [0, 3, 5] }
    pile.positions[7] = Vector3(.nan, 0, 0)
    pile.indices += [7, 1, 2]
    let found = try figures(pile)
    #expect(found["selfIntersections"] == 2000)
    #expect(found["duplicateFaces"] == 1999)
    #expect(found["degenerateFaces"] == 1)
  }

  @Test(arguments: [
    ("watertight and selfIntersections == 0", true), ("boundaryEdges > 0", false),
    ("manifold and components == 1 and not watertight", false), ("thinnestWall > 99cm", true),
    ("floatingParts == 0", true),
    ("smallestAngle >= 44.9deg", true), ("smallestAngle > 46°", false),
    ("floatingParts > 0", false),
  ])
  func `conditions know the figures`(text: String, holds: Bool) throws {
    let condition = try Condition(parsing: text, measures: builtInMeasures)
    #expect(condition.holds(for: Scene(meshes: [MeshFixtures.cube])) == holds)
    #expect(throws: ConditionFault.self) { try Condition(parsing: text) }
  }

  @Test(arguments: [
    "watertight > 0", "boundaryEdges", "boundaryEdges > 1m", "boundryEdges > 0",
    "thinnestWall > 5deg",
  ])
  func `measures are used as what they are`(text: String) {
    #expect(throws: ConditionFault.self) {
      try Condition(parsing: text, measures: builtInMeasures)
    }
  }
}
