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

  @Test func `joined scans keep what their rooms are used for, where it is`() {
    func room(_ use: String) -> Scene {
      var scene = scene(.zero)
      scene.room = Room(parts: [])
      scene.room?.uses = [Room.Use(name: use, point: SIMD3(1, 2, 3))]
      return scene
    }
    var joined = room("kitchen")
    var other = room("bedroom")
    other.convert(to: .arkit.with(up: .z))
    joined.append(other)
    let place = SIMD3<Double>(1, 2, 3)
    #expect(
      joined.room?.uses == ["kitchen", "bedroom"].map { Room.Use(name: $0, point: place) })
    // And of a scan that has none they come from the other.
    var plain = scene(.zero)
    plain.append(other)
    #expect(plain.room?.uses == [Room.Use(name: "bedroom", point: place)])
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

  @Test func `a map to places far away moves the origin, and one nearby the positions`() {
    let ofGrid = SIMD3(692_000.0, 5_335_000, 0)
    var scan = scene(.zero, Vector3(1.25, 2.5, 3))
    scan.apply(Transform(translation: ofGrid + SIMD3(0.125, 0, 500)), relativeTo: .zero)
    #expect(scan.origin == ofGrid)
    #expect(scan.pointClouds[0].positions == [Vector3(1.375, 2.5, 503)])
    scan.apply(Transform(translation: SIMD3(1, 2, 3)), relativeTo: scan.origin)
    #expect(scan.origin == ofGrid)
    #expect(scan.pointClouds[0].positions == [Vector3(2.375, 4.5, 506)])
    // And back.
    scan.apply(Transform(translation: -ofGrid), relativeTo: scan.origin)
    #expect(scan.origin == .zero)
    #expect(scan.pointClouds[0].positions == [Vector3(2.375, 4.5, 506)])
    // Positions that are far away already stay there.
    var far = scene(.zero, Vector3(20_000, 0, 0))
    far.apply(Transform(translation: SIMD3(1, 0, 0)), relativeTo: .zero)
    #expect(far.origin == .zero && far.pointClouds[0].positions == [Vector3(20_001, 0, 0)])
  }

  private func surveyed(_ code: String, _ step: Double) -> Scene {
    var scene = scene(.zero)
    var system = ReferenceSystem()
    system.code = code
    scene.survey = Survey()
    scene.survey?.referenceSystem = system
    scene.survey?.lattice = .init(step: SIMD3(repeating: step), offset: .zero)
    return scene
  }

  @Test func `tiles of one map stay on it, and those of two are on neither`() {
    var tiles = surveyed("EPSG:25832", 0.01)
    tiles.append(surveyed("EPSG:25832", 0.001))
    #expect(tiles.survey?.referenceSystem?.isLeft == false)
    #expect(tiles.survey?.lattice?.step == SIMD3(repeating: 0.001))
    tiles.append(scene(.zero))
    #expect(tiles.survey?.referenceSystem?.isLeft == false)
    tiles.append(surveyed("EPSG:25833", 0.001))
    #expect(tiles.survey?.referenceSystem?.isLeft == true)
    var empty = Scene()
    empty.append(surveyed("EPSG:25832", 1))
    #expect(empty.survey?.referenceSystem?.code == "EPSG:25832")
  }

  @Test func `turning and scaling leave the map, and moving and other axes do not`() {
    var tile = surveyed("EPSG:25832", 0.01)
    tile.apply(Transform(translation: SIMD3(1, 2, 3)))
    tile.convert(to: .blender)
    #expect(tile.survey == surveyed("EPSG:25832", 0.01).survey)
    tile.apply(Transform(scale: SIMD3(1, 1, 2)))
    #expect(tile.survey?.referenceSystem?.isLeft == true && tile.survey?.lattice == nil)
  }
}
