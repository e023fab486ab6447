import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct ConvertAxesTests {
  private static let systems: [CoordinateSystem] = SignedAxis.allCases.flatMap { up in
    SignedAxis.allCases.filter { $0.index != up.index }.flatMap { forward in
      CoordinateSystem.Handedness.allCases.map {
        CoordinateSystem(up: up, forward: forward, handedness: $0)
      }
    }
  }

  private func converted(
    _ scene: Scene, to system: CoordinateSystem, from: ConvertAxes.Convention? = nil
  ) throws -> Scene {
    var parameters = ConvertAxes.Parameters()
    parameters.up = system.up
    parameters.forward = system.forward
    parameters.handedness = system.handedness
    parameters.from = from
    return try ConvertAxes(parameters).run(scene, in: StageContext())
  }

  @Test func `by default ARKit's scene becomes Blender's`() throws {
    let scene = Scene(meshes: [
      Mesh(positions: [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, -1)], indices: [0, 1, 2])
    ])
    let result = try ConvertAxes(ConvertAxes.Parameters()).run(scene, in: StageContext())
    // Right stays +X, up becomes +Z, forward becomes +Y.
    #expect(
      result.meshes[0].positions == [Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(0, 1, 0)])
    #expect(result.meshes[0].indices == [0, 1, 2])
    #expect(result.coordinateSystem == .blender)
  }

  @Test(arguments: CoordinateSystem.Handedness.allCases, SignedAxis.allCases)
  func `an up axis brings the forward axis that an output's up brings`(
    handedness: CoordinateSystem.Handedness, up: SignedAxis
  ) throws {
    var parameters = ConvertAxes.Parameters()
    parameters.up = up
    parameters.handedness = handedness
    let source = CoordinateSystem(
      up: up.index == 1 ? .z : .y, forward: .x, handedness: handedness)
    let result = ConvertAxes(parameters).outputCoordinateSystem(for: source)
    #expect(result == source.with(up: up))
  }

  @Test(arguments: systems)
  func `there and back gives the same bits`(system: CoordinateSystem) throws {
    var scene = MeshFixtures.sceneWithEverything
    scene.meshes[0].positions[0] = Vector3(-0.0, .leastNonzeroMagnitude, 3.3)
    scene.meshes[0].positions[1] = Vector3(0.0, -0.0, .greatestFiniteMagnitude)
    scene.meshes[0].normals?[0] = Vector3(0.267261, -0.534522, 0.801784)
    let there = try converted(scene, to: system)
    #expect(there.coordinateSystem == system)
    let back = try converted(there, to: .arkit)
    #expect(back == scene)
    #expect(bits(back.meshes[0].positions) == bits(scene.meshes[0].positions))
    #expect(back.capture == scene.capture)
  }

  @Test(arguments: systems)
  func `lengths, outsides and views stay`(system: CoordinateSystem) throws {
    var scene = MeshFixtures.sceneWithEverything
    scene.meshes = [MeshFixtures.sphere()]
    scene.meshes[0].normals = scene.meshes[0].positions
    let result = try converted(scene, to: system)
    let mesh = result.meshes[0]
    let rightHanded = system.handedness == .right
    #expect((mesh.indices == scene.meshes[0].indices) == rightHanded)
    // In its own handedness every face still turns its outside away from the centre.
    for face in 0..<mesh.faceCount {
      let (a, b, c) = mesh.vertices(ofFace: face)
      let corners = [a, b, c].map { mesh.positions[Int($0)].double }
      let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0])
      #expect(normal.dot(corners[0]) > 0)
    }
    #expect(mesh.normals == mesh.positions)
    let frame = try #require(scene.capture?.frames[0].pose.inverse)
    let moved = try #require(result.capture?.frames[0].pose.inverse)
    for (before, after) in zip(scene.meshes[0].positions, mesh.positions) {
      let difference = frame.apply(toPoint: before.double) - moved.apply(toPoint: after.double)
      #expect(difference.length < 1e-12)
    }
  }

  @Test func `from overrules what the scene says`() throws {
    let scene = Scene(meshes: [Mesh(positions: [Vector3(1, 2, 3)])])
    let blender = try converted(scene, to: .arkit, from: .blender)
    #expect(blender.meshes[0].positions == [Vector3(1, 3, -2)])
    let unreal = try converted(scene, to: .blender, from: .unreal)
    // Unreal: forward X, right Y, up Z; Blender: right X, forward Y, up Z.
    #expect(unreal.meshes[0].positions == [Vector3(2, 1, 3)])
    let opencv = try converted(scene, to: .arkit, from: .opencv)
    #expect(opencv.meshes[0].positions == [Vector3(1, -2, -3)])
  }

  @Test func `up and forward on one axis is a fault`() {
    var parameters = ConvertAxes.Parameters()
    parameters.up = .y
    parameters.forward = .negativeY
    #expect(parameters.faults() == ["'up' (y) and 'forward' (-y) must be different axes"])
    parameters.forward = .x
    #expect(parameters.faults().isEmpty)
  }

  private func bits(_ positions: [Vector3]) -> [UInt32] {
    positions.flatMap { [$0.x.bitPattern, $0.y.bitPattern, $0.z.bitPattern] }
  }
}
