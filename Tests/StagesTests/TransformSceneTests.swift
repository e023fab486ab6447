import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct TransformSceneTests {
  private func transformed(
    _ points: [Vector3], metersPerUnit: Double = 1,
    _ change: (inout TransformScene.Parameters) -> Void
  ) throws -> Scene {
    var parameters = TransformScene.Parameters()
    change(&parameters)
    #expect(parameters.faults().isEmpty)
    var scene = Scene(meshes: [Mesh(positions: points)])
    scene.coordinateSystem.metersPerUnit = metersPerUnit
    return try TransformScene(parameters).run(scene, in: StageContext())
  }

  @Test func `the name in pipelines is transform`() {
    #expect(TransformScene.name == "transform")
  }

  @Test func `quarter turns are exact and turn counter-clockwise`() throws {
    let scene = try transformed([Vector3(1, 2, 3)]) {
      $0.rotate = [Angle(degrees: 0), Angle(degrees: 90), Angle(degrees: 0)]
    }
    // About Y: Z goes to X, X goes to −Z.
    #expect(scene.meshes[0].positions == [Vector3(3, 2, -1)])
  }

  @Test func `the angles are about x, then y, then z`() throws {
    let scene = try transformed([Vector3(0, 1, 0)]) {
      $0.rotate = [Angle(degrees: 90), Angle(degrees: 90), Angle(degrees: 90)]
    }
    // Y goes to Z (about X), to X (about Y), to Y (about Z).
    #expect(scene.meshes[0].positions == [Vector3(0, 1, 0)])
  }

  @Test func `an axis and an angle turn about any line`() throws {
    let scene = try transformed([Vector3(1, 0, 0), Vector3(1, 1, 1)]) {
      $0.axis = NumberVector(SIMD3(2, 2, 2))
      $0.angle = Angle(degrees: 120)
    }
    let positions = scene.meshes[0].positions
    #expect((positions[0].double - SIMD3(0, 1, 0)).length < 1e-6)
    #expect((positions[1].double - SIMD3(1, 1, 1)).length < 1e-6)
  }

  @Test func `first size, then turn about the pivot, then move`() throws {
    let scene = try transformed([Vector3(2, 0, 0)]) {
      $0.scale = Scale(factor: 3)
      $0.rotate = [Angle(degrees: 0), Angle(degrees: 0), Angle(degrees: 90)]
      $0.pivot = LengthVector(meters: SIMD3(1, 0, 0))
      $0.translate = LengthVector(meters: SIMD3(0, 0, 5))
    }
    #expect(scene.meshes[0].positions == [Vector3(1, 3, 5)])
  }

  @Test func `a change of unit keeps the true size`() throws {
    let scene = try transformed([Vector3(1, 2, 3)]) {
      $0.unit = .mm
      $0.translate = LengthVector(meters: SIMD3(0.5, 0, 0))
    }
    #expect(scene.meshes[0].positions == [Vector3(1500, 2000, 3000)])
    #expect(scene.coordinateSystem.metersPerUnit == 0.001)
  }

  @Test func `reinterpreting keeps the numbers`() throws {
    let scene = try transformed([Vector3(1000, 2000, 3000)]) {
      $0.unit = .mm
      $0.reinterpret = true
    }
    #expect(scene.meshes[0].positions == [Vector3(1000, 2000, 3000)])
    #expect(scene.coordinateSystem.metersPerUnit == 0.001)
  }

  @Test func `what is larger than a box shrinks, with a margin at its sides`() throws {
    func size(of corner: Vector3, margin: Double) throws -> SIMD3<Float> {
      try transformed([.zero, corner], metersPerUnit: 0.001) {
        $0.fit = LengthVector(meters: SIMD3(0.3, 0.2, 0.1))
        $0.margin = Length(meters: margin)
      }.bounds.size
    }
    // Y is up: the margin leaves 280, 200 and 80 mm.
    #expect(try size(of: Vector3(280, 200, 80), margin: 0.01) == SIMD3(280, 200, 80))
    #expect(try size(of: Vector3(300, 200, 100), margin: 0) == SIMD3(300, 200, 100))
    #expect(try size(of: Vector3(560, 10, 10), margin: 0.01) == SIMD3(280, 5, 5))
    #expect(try size(of: Vector3(10, 400, 10), margin: 0.01) == SIMD3(5, 200, 5))
    #expect(try size(of: Vector3(10, 10, 320), margin: 0.01) == SIMD3(2.5, 2.5, 80))
  }

  @Test(
    arguments: [
      (0.3, "at 1:1, 300 × 100 × 0.0 mm"),
      (0.36, "at 1:1.2, 300 × 83.3 × 0.0 mm, shrunk to fit"),
      (8.19, "at 1:27.3, 300 × 3.7 × 0.0 mm, shrunk to fit"),
      (125, "at 1:417, 300 × 0.2 × 0.0 mm, shrunk to fit"),
    ] as [(Float, JSONValue)])
  func `a run says what the scale is`(width: Float, summary: JSONValue) throws {
    var parameters = TransformScene.Parameters()
    parameters.fit = LengthVector(meters: SIMD3(repeating: 0.3))
    let mesh = Mesh(
      positions: [.zero, Vector3(width, 0, 0), Vector3(0, 0.1, 0)], indices: [0, 1, 2])
    let context = StageContext()
    _ = try TransformScene(parameters).run(Scene(meshes: [mesh]), in: context)
    #expect(context.notes.first { $0.key == "summary" }?.value == summary)
  }

  /// A block of 200, 100 and 50 mm along x, y and z, of which y is up.
  private func sized(
    _ change: (inout TransformScene.Parameters) -> Void, from scale: Double? = 1,
    _ context: StageContext = StageContext()
  ) throws -> Scene {
    var parameters = TransformScene.Parameters()
    change(&parameters)
    #expect(parameters.faults().isEmpty)
    var mesh = MeshFixtures.cube
    let box = mesh.bounds
    mesh.positions = mesh.positions.map {
      Vector3(($0.simd - box.minimum) / box.size * SIMD3(0.2, 0.1, 0.05))
    }
    var scene = Scene(meshes: [mesh])
    scene.scale = scale
    return try TransformScene(parameters).run(scene, in: context)
  }

  @Test func `a final size is a height or the longer horizontal side`() throws {
    let high = try sized { $0.height = Length(meters: 0.3) }
    #expect((high.bounds.size - SIMD3(0.6, 0.3, 0.15)).max() < 1e-6)
    #expect(abs((high.scale ?? 0) - 3) < 1e-6)
    let long = try sized { $0.length = Length(meters: 0.1) }
    #expect((long.bounds.size - SIMD3(0.1, 0.05, 0.025)).max() < 1e-6)
    #expect(abs((long.scale ?? 0) - 0.5) < 1e-6)
    #expect(try sized { $0.stretch = NumberVector(SIMD3(1, 2, 1)) }.scale == nil)
    #expect(try sized({ $0.scale = Scale(factor: 0.5) }, from: 0.1).scale == 0.05)
  }

  @Test func `a size or scale that does not fit is said, once`() throws {
    let bed = LengthVector(meters: SIMD3(0.3, 0.22, 0.3))
    func warnings(
      from scale: Double = 1, _ change: (inout TransformScene.Parameters) -> Void
    ) throws -> [String] {
      let context = StageContext()
      _ = try sized(
        {
          $0.fit = bed
          change(&$0)
        }, from: scale, context)
      return context.warnings
    }
    #expect(try warnings { $0.height = Length(meters: 0.14) } == [])
    #expect(try warnings { $0.scale = Scale(factor: 1.5) } == [])
    let high = try warnings { $0.height = Length(meters: 0.2) }
    #expect(
      high == ["a height of 200 mm does not fit into 'fit' with its 'margin'; it is 1.5:1 instead"])
    let scaled = try warnings { $0.scale = Scale(factor: 2) }
    #expect(scaled.count == 1 && scaled[0].hasPrefix("a scale of 2:1 does not fit"))
    // A later stage that asks again for what did not fit, of a model to which walls were added, or that lost some.
    for width in [0.19, 0.205] {
      let again = StageContext()
      _ = try sized(
        {
          $0.fit = LengthVector(meters: SIMD3(width, 0.3, 0.3))
          $0.length = Length(meters: 0.3)
        }, from: 0.5, again)
      #expect(again.warnings == [])
    }
  }

  @Test(
    arguments: [
      ("1:25", 0.04), (" 1 : 25 ", 0.04), ("2:1", 2), ("1:1", 1), ("1:27.9", 1 / 27.9),
    ] as [(String, Double)])
  func `scales are ratios or factors`(text: String, factor: Double) throws {
    #expect(try Scale(json: JSONValue(.string(text))).factor == factor)
    #expect(try Scale(json: factor.json).factor == factor)
    try ParameterType.scale.check(JSONValue(.string(text)))
  }

  @Test(arguments: ["25", "1:0", "1:-2", "1:2:3", ":25", "1:x", "0:1"])
  func `what is not a scale is refused with an example`(text: String) {
    let fault = #expect(throws: ParameterFault.self) { try Scale(json: JSONValue(.string(text))) }
    #expect(fault?.message.contains("a scale like \"1:25\" or 0.04") == true)
  }

  @Test(
    arguments: [
      (1 / 27.93, "1:27.9"), (0.5, "1:2"), (1, "1:1"), (2.5, "2.5:1"), (0.0024, "1:417"),
    ] as [(Double, String)])
  func `scales are told as ratios`(factor: Double, text: String) {
    #expect(Scale(factor: factor).text == text)
  }

  @Test func `a mirror keeps the outside out`() throws {
    var parameters = TransformScene.Parameters()
    parameters.stretch = NumberVector(SIMD3(-1, 1, 1))
    let torus = MeshFixtures.torus()
    let result = try TransformScene(parameters).run(Scene(meshes: [torus]), in: StageContext())
    #expect(abs(result.meshes[0].volume - torus.volume) < 1e-6)
  }

  @Test func `a stretched surface keeps normals at right angles to it`() throws {
    var sphere = MeshFixtures.sphere(segments: 48, rings: 24)
    sphere.normals = sphere.positions
    var parameters = TransformScene.Parameters()
    parameters.stretch = NumberVector(SIMD3(3, 0.5, 1))
    let result = try TransformScene(parameters).run(Scene(meshes: [sphere]), in: StageContext())
    for (position, normal) in zip(result.meshes[0].positions, result.meshes[0].normals ?? []) {
      // The gradient of (x/3)² + (2y)² + z².
      let gradient = (position.double / SIMD3(9, 0.25, 1)).normalized
      #expect((normal.double - gradient).length < 1e-5)
    }
  }

  @Test func `parameters that make no sense together are faults`() {
    func faults(_ change: (inout TransformScene.Parameters) -> Void) -> [String] {
      var parameters = TransformScene.Parameters()
      change(&parameters)
      return parameters.faults()
    }
    #expect(
      faults { $0.rotate = [Angle(degrees: 1)] } == ["'rotate' must be three angles, found 1"])
    #expect(faults { $0.angle = Angle(degrees: 1) } == ["'axis' and 'angle' go together"])
    #expect(
      faults {
        $0.fit = LengthVector(meters: SIMD3(1, 1, 0.1))
        $0.margin = Length(meters: 0.05)
      } == ["'margin' leaves nothing of 'fit'"])
    #expect(faults { $0.reinterpret = true } == ["'reinterpret' needs 'unit'"])
    #expect(
      faults { $0.stretch.value.y = 0 } == ["'stretch' must not be zero along any axis"])
  }

  @Test func `a pivot has the coordinates of the grid, in which the scan then stays`() throws {
    var scene = Scene(meshes: [Mesh(positions: [Vector3(3, 4, 5)])], coordinateSystem: .blender)
    scene.origin = SIMD3(583_000, 4_507_000, 0)
    scene.survey = Survey()
    scene.survey?.referenceSystem = ReferenceSystem()
    var parameters = TransformScene.Parameters()
    parameters.rotate = [0, 0, 90].map { Angle(degrees: $0) }
    let near = try TransformScene(parameters).run(scene, in: StageContext())
    #expect(near.origin == .zero && near.survey?.referenceSystem?.isLeft == true)
    #expect((near.meshes[0].positions[0].double - SIMD3(-4, 3, 5)).length < 1e-5)
    parameters.pivot = LengthVector(meters: SIMD3(583_002, 4_507_004, 0))
    let there = try TransformScene(parameters).run(scene, in: StageContext())
    #expect(there.origin == scene.origin && there.survey == scene.survey)
    #expect((there.meshes[0].positions[0].double - SIMD3(2, 5, 5)).length < 1e-5)
    // A translation moves within the grid.
    var moving = TransformScene.Parameters()
    moving.translate = LengthVector(meters: SIMD3(1, 2, 3))
    let moved = try TransformScene(moving).run(scene, in: StageContext())
    #expect(moved.origin == scene.origin && moved.survey == scene.survey)
    #expect(moved.meshes[0].positions == [Vector3(4, 6, 8)])
    // Another unit is the same place.
    var unit = TransformScene.Parameters()
    unit.unit = .mm
    let small = try TransformScene(unit).run(scene, in: StageContext())
    #expect(small.origin == scene.origin * 1000 && small.survey == scene.survey)
  }

  @Test func `nothing is rounded on the way into a grid, or about a point far away`() throws {
    var scene = Scene(
      meshes: [Mesh(positions: [Vector3(0.0123, 0, 0), Vector3(3, 4, 5)])],
      coordinateSystem: .blender)
    var parameters = TransformScene.Parameters()
    parameters.translate = LengthVector(meters: SIMD3(692_000, 5_335_000, 520))
    let context = StageContext()
    let there = try TransformScene(parameters).run(scene, in: context)
    #expect(there.origin == SIMD3(692_000, 5_335_000, 0))
    #expect(there.meshes[0].positions == [Vector3(0.0123, 0, 520), Vector3(3, 4, 525)])
    #expect(context.warnings.count == 1)
    #expect(context.warnings.first?.contains("relative to (692000, 5335000, 0)") == true)

    scene.origin = SIMD3(692_000, 5_335_000, 0)
    parameters = TransformScene.Parameters()
    parameters.rotate = [0, 0, 90].map { Angle(degrees: $0) }
    parameters.pivot = LengthVector(meters: .zero)
    let turned = try TransformScene(parameters).run(scene, in: StageContext())
    #expect(turned.origin == SIMD3(-5_335_000, 692_000, 0))
    let positions = turned.meshes[0].positions
    #expect((positions[0].double - SIMD3(0, 0.0123, 0)).length < 1e-8)
    #expect((positions[1].double - SIMD3(-4, 3, 5)).length < 1e-6)
  }

  @Test func `the steps of a LAS file end where a scan is turned or scaled about a pivot`() throws {
    var scene = Scene(
      meshes: [Mesh(positions: [.zero, Vector3(3, 4, 5)])], coordinateSystem: .blender)
    scene.survey = Survey()
    scene.survey?.referenceSystem = ReferenceSystem()
    scene.survey?.lattice = .init(step: SIMD3(repeating: 0.001), offset: .zero)
    let surveyed = scene
    func survey(_ change: (inout TransformScene.Parameters) -> Void) throws -> Survey? {
      var parameters = TransformScene.Parameters()
      parameters.pivot = LengthVector(meters: SIMD3(1, 0, 0))
      change(&parameters)
      return try TransformScene(parameters).run(surveyed, in: StageContext()).survey
    }
    var free = scene.survey
    free?.lattice = nil
    #expect(try survey { $0.translate = LengthVector(meters: SIMD3(1, 2, 3)) } == scene.survey)
    #expect(try survey { $0.rotate = [0, 0, 45].map { Angle(degrees: $0) } } == free)
    #expect(try survey { $0.scale = Scale(factor: 3) } == free)
    #expect(try survey { $0.fit = LengthVector(meters: SIMD3(1, 1, 1)) } == free)
  }

  @Test func `a scan leaves its map when it is moved far, or turned about a point far away`() throws
  {
    var scene = Scene(
      meshes: [Mesh(positions: [.zero, Vector3(20, 20, 5)])], coordinateSystem: .blender)
    scene.origin = SIMD3(692_000, 5_335_000, 0)
    scene.survey = Survey()
    scene.survey?.referenceSystem = ReferenceSystem()
    let surveyed = scene
    func isOnMap(_ change: (inout TransformScene.Parameters) -> Void) throws -> Bool {
      var parameters = TransformScene.Parameters()
      change(&parameters)
      let result = try TransformScene(parameters).run(surveyed, in: StageContext())
      return result.survey?.referenceSystem?.isLeft == false
    }
    func vector(_ x: Double, _ y: Double, _ z: Double) -> LengthVector {
      LengthVector(meters: SIMD3(x, y, z))
    }
    let quarter = [0, 0, 90].map { Angle(degrees: $0) }
    // Heights of another zero are on the same map.
    #expect(try isOnMap { $0.translate = vector(0.5, -2, -47) })
    #expect(try isOnMap { ($0.rotate, $0.pivot) = (quarter, vector(692_025, 5_335_000, 0)) })
    #expect(try isOnMap { ($0.unit, $0.translate) = (.mm, vector(0.5, -2, 0)) })
    #expect(try !isOnMap { $0.translate = vector(32_000_000, 0, 0) })
    #expect(try !isOnMap { ($0.unit, $0.translate) = (.mm, vector(50, 0, 0)) })
    #expect(try !isOnMap { ($0.rotate, $0.pivot) = (quarter, vector(0, 0, 0)) })
    #expect(try !isOnMap { ($0.scale, $0.pivot) = (Scale(factor: 0.9996), vector(0, 0, 0)) })
    #expect(try !isOnMap { ($0.fit, $0.pivot) = (vector(1, 1, 1), vector(0, 0, 0)) })
  }
}
