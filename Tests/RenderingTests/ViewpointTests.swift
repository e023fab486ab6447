import MeshPipeline
import MeshTestSupport
import Testing

@testable import Rendering

struct ViewpointTests {
  /// A long box, all of whose sides differ: 4 wide, 1 high, 2 deep, its front towards +Z.
  static var box: Scene {
    var mesh = MeshFixtures.cube
    mesh.apply(Transform(scale: SIMD3(4, 1, 2)))
    return Scene(meshes: [mesh])
  }

  static let views = [
    "three-quarter", "front", "back", "left", "right", "top", "bottom", "200,-30",
  ]

  @Test(arguments: views)
  func `a view shows all of the scene and fills the picture`(name: String) throws {
    let renderer = try SceneRenderer(Self.box)
    let view = try #require(Viewpoint(name, isOpened: false))
    for size in [SIMD2(160, 120), SIMD2(90, 200)] {
      let camera = renderer.camera(for: view, size: size)
      let pixels = try Self.box.meshes[0].positions.map { try #require(camera.project($0.simd)) }
      let (width, height) = (Float(size.x), Float(size.y))
      let (left, right) = (pixels.map(\.x).min() ?? 0, width - (pixels.map(\.x).max() ?? 0))
      let (top, bottom) = (pixels.map(\.y).min() ?? 0, height - (pixels.map(\.y).max() ?? 0))
      // The same margin on opposite sides, and the narrow one is a fortieth of the picture.
      #expect(abs(left - right) < 0.01 * width || abs(top - bottom) < 0.01 * height)
      #expect(abs(min(min(left, right) / width, min(top, bottom) / height) - 0.025) < 0.002)
    }
  }

  @Test(arguments: [
    ("front", SIMD2<Float>(4, 1)), ("left", SIMD2(2, 1)), ("right", SIMD2(2, 1)),
    ("top", SIMD2(4, 2)),
  ])
  func `sides of a box have their proportions`(name: String, size: SIMD2<Float>) throws {
    // From far away, as a view fits the nearer side of a box.
    let axes = try #require(Viewpoint(name, isOpened: false)).axes(in: .arkit)
    let positions = Self.box.meshes[0].positions.map(\.double)
    func extent(_ axis: SIMD3<Double>) -> Double {
      let along = positions.map { $0.dot(axis) }
      return (along.max() ?? 0) - (along.min() ?? 0)
    }
    #expect(SIMD2<Float>(Float(extent(axes.x)), Float(extent(axes.y))) == size)
  }

  @Test func `sides are where a user expects them`() {
    func ahead(_ view: Viewpoint, _ system: CoordinateSystem) -> SIMD3<Double> {
      -view.axes(in: system).z
    }
    #expect(ahead(.front, .arkit) == SIMD3(0, 0, -1))
    #expect(ahead(.right, .arkit) == SIMD3(-1, 0, 0))
    #expect(ahead(.top, .arkit) == SIMD3(0, -1, 0))
    #expect(Viewpoint.top.axes(in: .arkit).y == SIMD3(0, 0, -1))
    // As Blender's own keys for front, right and top.
    #expect(ahead(.front, .blender) == SIMD3(0, 1, 0))
    #expect(ahead(.right, .blender) == SIMD3(-1, 0, 0))
    #expect(Viewpoint.top.axes(in: .blender).y == SIMD3(0, 1, 0))
  }

  @Test(arguments: [
    CoordinateSystem.blender, CoordinateSystem(up: .x, forward: .negativeY, metersPerUnit: 0.01),
    CoordinateSystem(up: .y, forward: .z, handedness: .left),
  ])
  func `the picture is the same in any coordinate system`(system: CoordinateSystem) throws {
    var scene = try texturedSquare(testCard(16, 16))
    scene.meshes.append(MeshFixtures.openCone())
    let size = SIMD2(40, 30)
    let view = Viewpoint(azimuth: 20, elevation: 35)
    let renderer = try SceneRenderer(scene, style: RenderStyle(sides: .both))
    let picture = try renderer.picture(from: renderer.camera(for: view, size: size)).image
    scene.apply(scene.coordinateSystem.transform(to: system))
    scene.coordinateSystem = system
    let other = try SceneRenderer(scene, style: RenderStyle(sides: .both))
    let same = try other.picture(from: other.camera(for: view, size: size)).image
    let differences = zip(picture.pixels, same.pixels).map { abs(Int($0) - Int($1)) }
    #expect(differences.filter { $0 > 8 }.count < differences.count / 50)
  }

  @Test func `a texture stands upright seen from the front`() throws {
    let card = testCard(16, 16)
    let renderer = try SceneRenderer(
      texturedSquare(card), style: RenderStyle(shading: .unlit, sides: .both))
    let picture = try renderer.picture(from: renderer.camera(for: .front, size: SIMD2(64, 64)))
    for (x, y) in [(2, 2), (13, 2), (2, 13), (13, 13)] {
      // The square fills 95 % of the picture.
      let place = (SIMD2(Double(x), Double(y)) + 0.5 - 8) * (0.95 * 4) + 32
      let seen = picture.image.color(Int(place.x), Int(place.y))
      #expect(difference(seen, card.color(x, y)) <= 12)
    }
  }

  @Test func `a turntable goes round to the right at one distance`() throws {
    let renderer = try SceneRenderer(Self.box)
    let cameras = renderer.turntable(from: .front, count: 4, size: SIMD2(80, 60))
    #expect(cameras.count == 4)
    let centre = SIMD3<Float>(2, 0.5, 1)
    let ahead: [SIMD3<Float>] = [
      SIMD3(0, 0, -1), SIMD3(-1, 0, 0), SIMD3(0, 0, 1), SIMD3(1, 0, 0),
    ]
    for (camera, ahead) in zip(cameras, ahead) {
      #expect((camera.forward - ahead).length < 1e-6)
      let offset = camera.position - centre
      #expect(abs(offset.length - (cameras[0].position - centre).length) < 1e-4)
      for position in Self.box.meshes[0].positions {
        let pixel = try #require(camera.project(position.simd))
        #expect(camera.contains(SIMD2(pixel.x, pixel.y)))
      }
    }
  }

  @Test func `from inside one sees a wall all round`() throws {
    var scene = Self.box
    scene.meshes[0].flipWinding()
    let renderer = try SceneRenderer(scene)
    for camera in renderer.turntable(from: .inside, count: 3, size: SIMD2(16, 12)) {
      #expect(try renderer.picture(from: camera, samples: 1).coverage.allSatisfy { $0 == 255 })
    }
  }

  /// A corridor 2 m wide and 2.5 m high round three sides of a square of 12 m, without a ceiling.
  static var corridor: Scene {
    let outline: [SIMD2<Float>] = [
      SIMD2(0, 0), SIMD2(12, 0), SIMD2(12, 12), SIMD2(10, 12), SIMD2(10, 2), SIMD2(2, 2),
      SIMD2(2, 12), SIMD2(0, 12),
    ]
    var mesh = Mesh()
    func add(_ corners: [Vector3]) {
      let start = UInt32(mesh.positions.count)
      mesh.positions += corners
      mesh.indices += [0, 1, 2, 0, 2, 3].map { start + $0 }
    }
    for index in outline.indices {
      let (a, b) = (outline[index], outline[(index + 1) % outline.count])
      add([
        Vector3(a.x, 0, a.y), Vector3(b.x, 0, b.y), Vector3(b.x, 2.5, b.y), Vector3(a.x, 2.5, a.y),
      ])
    }
    let floors: [(x: SIMD2<Float>, z: SIMD2<Float>)] = [
      (SIMD2(0, 12), SIMD2(0, 2)), (SIMD2(0, 2), SIMD2(2, 12)), (SIMD2(10, 12), SIMD2(2, 12)),
    ]
    for (x, z) in floors {
      add([
        Vector3(x[0], 0, z[0]), Vector3(x[0], 0, z[1]), Vector3(x[1], 0, z[1]),
        Vector3(x[1], 0, z[0]),
      ])
    }
    return Scene(meshes: [mesh])
  }

  @Test(arguments: [1, 0.01])
  func `inside is where one can stand, not the middle between the arms of a corridor`(
    metersPerUnit: Double
  ) throws {
    var scene = Self.corridor
    scene.apply(Transform(scale: SIMD3(repeating: 1 / metersPerUnit)))
    scene.coordinateSystem.metersPerUnit = metersPerUnit
    let renderer = try SceneRenderer(scene)
    for camera in renderer.turntable(from: .inside, count: 3, size: SIMD2(16, 12)) {
      let place = camera.position * Float(metersPerUnit)
      // At eye height over the floor, half a metre and more from every wall.
      #expect(abs(place.y - 1.375) < 0.02, "\(place)")
      let isInside = place.z < 2 || place.x < 2 || place.x > 10
      #expect(isInside && min(place.x, 12 - place.x, place.z) > 0.5, "\(place)")
    }
  }

  @Test(arguments: [
    Viewpoint.front, .right, .back, .left, Viewpoint(azimuth: 75, elevation: 0), .top,
  ])
  func `a surface that is open is shown from its front`(side: Viewpoint) throws {
    // A shallow dish, whose rim bends towards the viewer.
    let axes = side.axes(in: .arkit)
    var mesh = squareMesh()
    mesh.positions.append(Vector3(0.5, 0.5, -0.2))
    mesh.indices = [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4]
    mesh.textureCoordinates = nil
    mesh.apply(Transform(x: axes.x, y: axes.y, z: axes.z))
    let renderer = try SceneRenderer(Scene(meshes: [mesh]), style: RenderStyle(sides: .front))
    let camera = renderer.camera(for: renderer.defaultView, size: SIMD2(40, 30))
    let seen = renderer.depths(from: camera).meters.count { $0 > 0 }
    #expect(seen > 40 * 30 / 5, "\(renderer.defaultView)")
    // A sheet is no room, of which only fronts would be shown.
    let isLevel = side.elevation == 0
    #expect(try !(isLevel && SceneRenderer(Scene(meshes: [mesh])).isOpened))
  }

  @Test func `a closed scene is shown from the usual side`() throws {
    #expect(try SceneRenderer(Self.box).defaultView == .threeQuarter(isOpened: false))
    var room = Self.box
    room.meshes[0].flipWinding()
    #expect(try SceneRenderer(room).defaultView == .threeQuarter(isOpened: true))
    #expect(try SceneRenderer(Self.corridor).defaultView == .threeQuarter(isOpened: true))
  }

  @Test func `a room is shown without the walls that hide it`() throws {
    var scene = Self.box
    scene.meshes[0].flipWinding()
    let renderer = try SceneRenderer(scene)
    let camera = renderer.camera(for: .top, size: SIMD2(40, 20))
    // The floor, not the ceiling.
    let depth = renderer.depths(from: camera).meters[10 * 40 + 20]
    #expect(abs(depth - camera.position.y) < 1e-4)
  }

  @Test func `points and single points have a picture`() throws {
    var cloud = PointCloud(positions: [Vector3(1, 2, 3)])
    cloud.colors = [Color(red: 255, green: 0, blue: 0)]
    let renderer = try SceneRenderer(
      Scene(pointClouds: [cloud]), style: RenderStyle(shading: .unlit))
    let camera = renderer.camera(for: renderer.defaultView, size: SIMD2(9, 9))
    #expect(try renderer.picture(from: camera).image.color(4, 4) == SIMD3(255, 0, 0))
  }

  @Test func `a dense cloud covers its surface`() throws {
    let positions = (0..<2500).map { Vector3(Float($0 % 50) / 50, 0, Float($0 / 50) / 50) }
    let renderer = try SceneRenderer(Scene(pointClouds: [PointCloud(positions: positions)]))
    let camera = renderer.camera(for: .top, size: SIMD2(60, 60))
    let coverage = try renderer.picture(from: camera).coverage
    for pixel in 0..<3600 where (8..<52).contains(pixel % 60) && (8..<52).contains(pixel / 60) {
      #expect(coverage[pixel] == 255)
    }
  }

  @Test func `broken places do not move the camera`() throws {
    var scene = Self.box
    let camera = try SceneRenderer(scene).camera(for: .front, size: SIMD2(40, 30))
    scene.meshes[0].positions += [Vector3(.nan, 0, 0), Vector3(900, 0, 0)]
    scene.meshes[0].indices += [0, 1, 8]
    let same = try SceneRenderer(scene).camera(for: .front, size: SIMD2(40, 30))
    #expect(camera.position == same.position)
  }

  @Test(arguments: ["", "up", "front,", "10", "10,91", "nan,0", "inside,1", "1,2,3"])
  func `a text that is no view is refused`(text: String) {
    #expect(Viewpoint(text, isOpened: false) == nil)
  }

  @Test func `angles are read`() {
    #expect(Viewpoint("45,-20", isOpened: true) == Viewpoint(azimuth: 45, elevation: -20))
    #expect(
      Viewpoint("inside,90,5", isOpened: true)
        == Viewpoint(azimuth: 90, elevation: 5, isInside: true))
  }
}
