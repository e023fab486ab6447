import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct ClassifyPlanesTests {
  /// The room of the synthetic captures without its classes, and these.
  private let truth = SyntheticRoom.mesh(cell: 0.1)
  private var room: Mesh {
    var room = truth
    room.classes = nil
    return room
  }

  private func classified(
    _ scene: Scene, context: StageContext = StageContext(),
    _ change: (inout ClassifyPlanes.Parameters) -> Void = { _ in }
  ) throws -> Scene {
    var parameters = ClassifyPlanes.Parameters()
    change(&parameters)
    return try ClassifyPlanes(parameters).run(scene, in: context)
  }

  private func notes(_ context: StageContext) -> [String: JSONValue] {
    Dictionary(uniqueKeysWithValues: context.notes.map { ($0.key, $0.value) })
  }

  /// Expects floor, walls and ceiling as they are, of the table its top, and nothing of the cabinet.
  private func expectTruth(_ labels: [UInt16], up: (Int) -> Double) throws {
    let classes = try #require(truth.classes)
    for face in labels.indices {
      let isTop = classes.labels[face] == 4 && up(face) > 0.5
      let expected: UInt16 = classes.labels[face] < 4 ? classes.labels[face] : isTop ? 4 : 0
      #expect(labels[face] == expected, "face \(face)")
    }
  }

  @Test func `the planes of a room get their classes`() throws {
    let context = StageContext()
    let scene = try classified(Scene(meshes: [room]), context: context)
    let labels = try #require(scene.meshes[0].classes).labels
    try expectTruth(labels) { self.truth.areaVector(ofFace: $0).normalized.y }
    #expect(context.warnings.isEmpty)
    #expect(notes(context)["floorHeight"] == -1.25)
    // Floor, ceiling, four walls and the top of the table.
    #expect(notes(context)["planes"] == 7)
    guard case .object(let areas) = notes(context)["squareMeters"]?.content else {
      Issue.record("no areas")
      return
    }
    #expect(areas.first { $0.key == "floor" }?.value == 12)
    #expect(areas.first { $0.key == "wall" }?.value == 35)
  }

  @Test func `another up axis and unit change nothing`() throws {
    var system = CoordinateSystem.arkit
    (system.up, system.metersPerUnit) = (.z, 0.01)
    var turned = room
    turned.positions = turned.positions.map { Vector3(100 * $0.x, -100 * $0.z, 100 * $0.y) }
    let scene = try classified(Scene(meshes: [turned], coordinateSystem: system))
    let labels = try #require(scene.meshes[0].classes).labels
    try expectTruth(labels) { self.truth.areaVector(ofFace: $0).normalized.y }
  }

  @Test(arguments: [UInt64](1...3))
  func `noise of a phone changes little`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var noisy = room
    noisy.positions = noisy.positions.map { position in
      Vector3(
        position.simd
          + SIMD3(
            Float.random(in: -0.008...0.008, using: &random),
            Float.random(in: -0.008...0.008, using: &random),
            Float.random(in: -0.008...0.008, using: &random)))
    }
    let labels = try #require(try classified(Scene(meshes: [noisy])).meshes[0].classes).labels
    let classes = try #require(truth.classes).labels
    let wrong = labels.indices.count { classes[$0] < 4 && labels[$0] != classes[$0] }
    #expect(wrong * 100 < labels.count)
  }

  @Test func `a scan's own classes stay unless they are to be replaced`() throws {
    var scan = truth
    scan.classes?.labels = truth.indices.indices.filter { $0 % 3 == 0 }.map { _ in 7 }
    let context = StageContext()
    #expect(try classified(Scene(meshes: [scan]), context: context).meshes[0] == scan)
    #expect(context.warnings.count == 1)
    let replaced = try classified(Scene(meshes: [scan])) { $0.replace = true }
    #expect(replaced.meshes[0].classes?.presentNames.contains("floor") == true)
  }

  @Test func `a ceiling alone is no floor, and that is said`() throws {
    var ceiling = MeshFixtures.grid(columns: 8, rows: 8)
    for face in 0..<ceiling.faceCount { ceiling.flipFace(face) }
    let context = StageContext()
    let scene = try classified(Scene(meshes: [ceiling]), context: context)
    #expect(scene.meshes[0].classes?.presentNames == ["none"])
    #expect(context.warnings.count == 1)
  }

  @Test func `ranges need two lengths in order`() {
    var parameters = ClassifyPlanes.Parameters()
    parameters.seats = [Length(meters: 0.5), Length(meters: 0.2)]
    parameters.tables = []
    #expect(parameters.faults().count == 2)
    #expect(ClassifyPlanes.Parameters().faults().isEmpty)
  }
}
