import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// What meshes enclose, in summaries and in conditions.
@Suite struct VolumeTests {
  /// A cube of 2 m, far from the origin, in centimetres.
  private func cube(inverted: Bool = false) -> Scene {
    var mesh = MeshFixtures.cube
    mesh.positions = mesh.positions.map { Vector3($0.x * 200 + 100_000, $0.y * 200, $0.z * 200) }
    if inverted { for face in 0..<mesh.faceCount { mesh.indices.swapAt(3 * face, 3 * face + 1) } }
    var system = CoordinateSystem.arkit
    system.metersPerUnit = 0.01
    return Scene(meshes: [mesh], coordinateSystem: system)
  }

  private func holds(_ text: String, for scene: Scene) throws -> Bool {
    try Condition(parsing: text, measures: builtInMeasures).holds(for: scene)
  }

  @Test func `a cube has the cube of its side`() throws {
    let volume = try #require(SceneSummary(cube()).volume)
    #expect(abs(volume - 8) < 1e-9)
    for condition in [
      "volume > 7999999cm3 and volume < 8.000001 m³", "volume > 7999l", "not volume < 0",
    ] {
      #expect(try holds(condition, for: cube()), "\(condition)")
    }
  }

  @Test func `a cube turned inside out has less than nothing`() throws {
    let volume = try #require(SceneSummary(cube(inverted: true)).volume)
    #expect(abs(volume + 8) < 1e-9)
    #expect(try holds("volume < -7.99m3", for: cube(inverted: true)))
  }

  @Test func `what is open or turned in part has none`() throws {
    var open = cube()
    open.meshes[0].indices.removeLast(3)
    var turned = cube()
    turned.meshes[0].indices.swapAt(0, 1)
    for scene in [open, turned, Scene()] {
      #expect(SceneSummary(scene).volume == nil)
      for condition in ["volume > 0", "volume <= 0", "volume == 0", "volume < 1l"] {
        #expect(try !holds(condition, for: scene), "\(condition)")
      }
    }
  }

  @Test(arguments: [("volume > 5mm", "length"), ("volume > 5m2", "area"), ("area > 5l", "volume")])
  func `a volume is compared with volumes only`(text: String, other: String) {
    let fault = #expect(throws: ConditionFault.self) { try holds(text, for: cube()) }
    #expect(fault?.message.contains(other) == true, "\(fault?.message ?? "")")
  }
}
