import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct CropTests {
  private func cropped(
    _ scene: Scene, _ change: (inout Crop.Parameters) -> Void
  ) throws -> Scene {
    var parameters = Crop.Parameters()
    change(&parameters)
    #expect(parameters.faults().isEmpty)
    return try Crop(parameters).run(scene, in: StageContext())
  }

  private func vector(_ x: Double, _ y: Double, _ z: Double) -> LengthVector {
    LengthVector(meters: SIMD3(x, y, z))
  }

  private let grid = Scene(meshes: [MeshFixtures.grid(columns: 4, rows: 3)])

  @Test func `whole faces are kept by their middle or their corners`() throws {
    func count(_ mode: Crop.Mode, _ keep: Crop.Side = .inside) throws -> Int {
      try cropped(grid) {
        ($0.min, $0.max) = (vector(-1, -1, -1), vector(1.5, 1, 3))
        ($0.mode, $0.side) = (mode, keep)
      }.faceCount
    }
    // Columns of six faces each; x is 1/3 or 2/3 into the column at a face's middle.
    #expect(try count(.centroid) == 6 + 3)
    #expect(try count(.all) == 6)
    #expect(try count(.any) == 12)
    #expect(try count(.centroid, .outside) == 24 - 9)
  }

  @Test func `a cut is exact, inside and outside`() throws {
    for keep in [Crop.Side.inside, .outside] {
      let result = try cropped(grid) {
        ($0.min, $0.max) = (vector(0.5, -1, 0.5), vector(2.25, 1, 2))
        ($0.mode, $0.side) = (.cut, keep)
      }.meshes[0]
      let expected = keep == .inside ? 1.75 * 1.5 : 12 - 1.75 * 1.5
      #expect(abs(result.surfaceArea - expected) < 1e-6)
      for face in 0..<result.faceCount { #expect(result.areaVector(face).y > 0) }
    }
  }

  @Test(arguments: [Crop.Side.inside, .outside])
  func `a cut leaves a border on the box alone`(keep: Crop.Side) throws {
    let sphere = MeshFixtures.sphere(segments: 24, rings: 13)
    let result = try cropped(Scene(meshes: [sphere])) {
      ($0.min, $0.max) = (vector(-0.4, -0.3, 0), vector(0.7, 0.9, 2))
      ($0.mode, $0.side) = (.cut, keep)
    }.meshes[0]
    #expect(result.nonManifoldEdgeCount == 0)
    #expect(!result.boundaryEdges.isEmpty)
    for edge in result.boundaryEdges {
      let middle =
        (result.positions[Int(edge.x)].simd + result.positions[Int(edge.y)].simd) / 2
      let gaps = [
        middle.x + 0.4, middle.x - 0.7, middle.y + 0.3, middle.y - 0.9, middle.z, middle.z - 2,
      ]
      #expect(gaps.contains { abs($0) < 1e-6 })
    }
  }

  @Test func `a turned box cuts along its own axes`() throws {
    let large = Scene(meshes: [MeshFixtures.grid(columns: 10, rows: 10)])
    let result = try cropped(large) {
      ($0.center, $0.size) = (vector(5, 0, 5), vector(4, 1, 2))
      $0.rotate = [Angle(degrees: 0), Angle(degrees: 30), Angle(degrees: 0)]
      $0.mode = .cut
    }.meshes[0]
    #expect(abs(result.surfaceArea - 8) < 1e-4)
  }

  @Test func `attributes of a cut lie between those of its ends`() throws {
    var mesh = MeshFixtures.allAttributes
    mesh.confidences = mesh.positions.map(\.x)
    let scene = Scene(meshes: [mesh], materials: MeshFixtures.sceneWithEverything.materials)
    let result = try cropped(scene) {
      ($0.min, $0.max) = (vector(0.25, -1, 0.5), vector(3.5, 1, 2.5))
      $0.mode = .cut
    }.meshes[0]
    try result.validate(materialCount: 2)
    for vertex in 0..<result.vertexCount {
      #expect(abs((result.confidences?[vertex] ?? 0) - result.positions[vertex].x) < 1e-6)
      #expect(result.normals?[vertex] == Vector3(0, 1, 0))
    }
    for corner in 0..<result.cornerCount {
      let position = result.positions[Int(result.indices[corner])]
      let texture = result.textureCoordinates?[corner] ?? .zero
      #expect(abs(texture.x - position.x / 4) < 1e-6)
      #expect(abs(texture.y - position.z / 3) < 1e-6)
    }
    // Rows of eight faces; each class is six faces of the uncut grid.
    let whole = (0..<4).map { label in
      (0..<result.faceCount).filter { result.classes?.labels[$0] == UInt16(label) }
        .reduce(0) { $0 + result.areaVector($1).length / 2 }
    }
    // Class 0 holds the first three cells of the first row, of which 0.25...3 by 0.5...1 stay.
    #expect(abs(whole[0] - 2.75 * 0.5) < 1e-6)
  }

  @Test func `a sphere keeps what is near, points too`() throws {
    let result = try cropped(MeshFixtures.sceneWithEverything) {
      ($0.center, $0.radius) = (vector(0, 0, 0), Length(meters: 1.1))
    }
    #expect(result.pointClouds[0].positions.map(\.x).max() == 1)
    #expect(result.pointCount == 3)
    #expect(result.pointClouds[0].colors?.count == 3)
    #expect(result.capture?.frames.count == 1)
  }

  @Test func `a box may be open to a side, and its lengths are true ones`() throws {
    var scene = grid
    scene.coordinateSystem.metersPerUnit = 0.1
    let result = try cropped(scene) { $0.min = vector(0.2, -1, -1) }
    #expect(result.faceCount == 12)
  }

  @Test func `regions that are none, or two, are faults`() {
    func faults(_ change: (inout Crop.Parameters) -> Void) -> Int {
      var parameters = Crop.Parameters()
      change(&parameters)
      return parameters.faults().count
    }
    #expect(faults { _ in } == 1)
    #expect(faults { $0.center = vector(0, 0, 0) } == 1)
    #expect(faults { ($0.min, $0.max) = (vector(0, 0, 0), vector(1, 0, 1)) } == 1)
    #expect(
      faults {
        ($0.center, $0.radius) = (vector(0, 0, 0), Length(meters: 1))
        $0.mode = .cut
      } == 1)
    #expect(
      faults {
        ($0.min, $0.radius) = (vector(0, 0, 0), Length(meters: 1))
        $0.rotate = [Angle(degrees: 1)]
      } == 3)
  }

  @Test func `a box has the coordinates of the file, in each tile of a survey`() throws {
    for origin in [SIMD3(583_000.0, 4_507_000, 0), SIMD3(582_000, 4_508_000, 0)] {
      let local = SIMD3(583_000.0, 4_507_000, 0) - origin
      var scene = Scene(
        pointClouds: [
          PointCloud(
            positions: (0..<5).map { Vector3(SIMD3<Float>(local + SIMD3(Double($0), 1, 30))) })
        ], coordinateSystem: .blender)
      scene.origin = origin
      let box = try cropped(scene) {
        ($0.min, $0.max) = (vector(583_000.5, 4_507_000, 29), vector(583_003, 4_507_002, 31))
      }
      #expect(box.pointCount == 3)
      let sphere = try cropped(scene) {
        ($0.center, $0.radius) = (vector(583_004, 4_507_001, 30), Length(meters: 1.5))
      }
      #expect(sphere.pointCount == 2)
    }
  }

  @Test func `a box beside the scan says where that is`() throws {
    var scene = grid
    scene.origin = SIMD3(583_000, 4_507_000, 0)
    var parameters = Crop.Parameters()
    (parameters.min, parameters.max) = (vector(-1, -1, -1), vector(2, 2, 2))
    let context = StageContext()
    #expect(try Crop(parameters).run(scene, in: context).faceCount == 0)
    #expect(
      context.warnings == [
        "nothing is inside; the scan goes from (583000.000, 4507000.000, 0.000) to "
          + "(583004.000, 4507000.000, 3.000) in metres"
      ])
    // Numbers of a file in feet need their unit.
    scene.survey = Survey()
    scene.survey?.referenceSystem = ReferenceSystem()
    scene.survey?.referenceSystem?.horizontalUnit = 1200.0 / 3937
    let inFeet = StageContext()
    _ = try Crop(parameters).run(scene, in: inFeet)
    #expect(
      inFeet.warnings.first?.hasSuffix("in metres; its file is in US survey feet, as in 980000usft")
        == true)
  }
}
