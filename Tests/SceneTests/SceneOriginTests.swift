import MeshPipeline
import Testing

struct SceneOriginTests {
  private func scene(_ origin: SIMD3<Double>, _ point: Vector3 = .zero) -> Scene {
    var scene = Scene(pointClouds: [PointCloud(positions: [point])])
    scene.origin = origin
    return scene
  }

  @Test func `tiles with different origins are joined where they belong`() {
    var scene = scene(SIMD3(692_000, 5_336_000, 0), Vector3(1, 2, 3))
    scene.append(self.scene(SIMD3(693_000, 5_335_000, 0), Vector3(1, 2, 3)))
    #expect(scene.origin == SIMD3(692_000, 5_336_000, 0))
    #expect(
      scene.pointClouds.map { $0.positions[0] } == [Vector3(1, 2, 3), Vector3(1001, -998, 3)])
    // An empty scene takes the origin of what is added.
    var empty = Scene()
    empty.append(scene)
    #expect(empty.origin == scene.origin && empty.pointClouds == scene.pointClouds)
  }

  @Test func `the origin has the scene's axes and unit`() {
    var scene = scene(SIMD3(10, 20, 30))
    var target = CoordinateSystem.arkit.with(up: .z)
    target.metersPerUnit = 0.001
    scene.convert(to: target)
    #expect(scene.origin == SIMD3(10_000, -30_000, 20_000))
    // Moving moves the scene, and not the grid.
    scene.apply(Transform(translation: SIMD3(1, 2, 3)))
    #expect(scene.origin == SIMD3(10_000, -30_000, 20_000))
  }
}
