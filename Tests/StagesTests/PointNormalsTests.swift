import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct PointNormalsTests {
  private func computed(
    _ scene: Scene, context: StageContext = StageContext(),
    _ change: (inout ComputeNormals.Parameters) -> Void = { _ in }
  ) throws -> [Vector3] {
    var parameters = ComputeNormals.Parameters()
    change(&parameters)
    let clouds = try ComputeNormals(parameters).run(scene, in: context).pointClouds
    return clouds.flatMap { $0.normals ?? [] }
  }

  /// The points of a unit sphere about a place, in a spiral.
  private func sphere(at center: SIMD3<Float> = .zero, count: Int = 2000) -> PointCloud {
    var cloud = MeshFixtures.sphere(segments: 60, rings: count / 60).vertexPoints
    cloud.normals = nil
    cloud.positions = cloud.positions.map { Vector3($0.simd + center) }
    return cloud
  }

  @Test func `normals of spheres look outside, each of its own`() throws {
    let centers = [SIMD3<Float>(0, 0, 0), SIMD3(30, 1, 2), SIMD3(-500, 9, -7)]
    var cloud = PointCloud()
    for center in centers { cloud.positions += sphere(at: center).positions }
    let normals = try computed(Scene(pointClouds: [cloud]))
    try #require(normals.count == cloud.positions.count)
    for (normal, position) in zip(normals, cloud.positions) {
      let center = centers.min {
        ($0 - position.simd).length < ($1 - position.simd).length
      }
      #expect(normal.simd.dot((position.simd - (center ?? .zero)).normalized) > 0.99)
    }
  }

  @Test func `the normal of a plane is exact, and looks to the camera`() throws {
    var cloud = PointCloud()
    for x in 0..<20 {
      for y in 0..<20 {
        let (u, v) = (Float(x) / 10 - 1, Float(y) / 10 - 1)
        cloud.positions.append(Vector3(u, v, 0.5 * u - 4))
      }
    }
    let exact = SIMD3<Float>(-0.5, 0, 1).normalized
    for side in [Float(1), -1] {
      var scene = Scene(pointClouds: [cloud])
      // Cameras look along −Z; the one behind the plane looks back.
      let turned = Transform(
        x: SIMD3(-1, 0, 0), y: SIMD3(0, 1, 0), z: SIMD3(0, 0, -1),
        translation: SIMD3(0, 0, -8))
      scene.capture = Capture(depthFrames: [
        Capture.DepthFrame(
          name: "a", depth: Capture.DepthSource(path: "none", encoding: .exr),
          imageSize: SIMD2(100, 100),
          intrinsics: Capture.Intrinsics(
            focalLength: SIMD2(50, 50), principalPoint: SIMD2(50, 50)),
          pose: side > 0 ? .identity : turned)
      ])
      for normal in try computed(scene) {
        #expect((normal.simd - exact * side).length < 1e-5)
      }
    }
  }

  /// The points of two walls, a floor and a ceiling, whose edges are missing.
  private var room: PointCloud {
    var cloud = PointCloud()
    for side in [Float(-1), 1] {
      for x in -12...12 {
        for y in -12...12 {
          let (u, v) = (Float(x) / 14, Float(y) / 14)
          cloud.positions.append(Vector3(side, u, v))
          cloud.positions.append(Vector3(u, side, v))
        }
      }
    }
    return cloud
  }

  @Test func `floor, ceiling and walls that don't touch all look outside`() throws {
    for (normal, position) in zip(try computed(Scene(pointClouds: [room])), room.positions) {
      #expect(normal.simd.dot(position.simd) > 0.99)
    }
  }

  @Test func `normals look to a place, or to the side of those before`() throws {
    let toCenter = try computed(Scene(pointClouds: [room])) {
      $0.toward = .viewpoint
      $0.viewpoint = LengthVector(meters: SIMD3(0.1, 0.2, 0))
    }
    for (normal, position) in zip(toCenter, room.positions) {
      #expect(normal.simd.dot(position.simd) < -0.99)
    }
    var cloud = room
    cloud.normals = cloud.positions.map { Vector3(SIMD3(0.9, 0.8, 0.1) * $0.x + 0.3 * $0.simd) }
    let sides = try computed(Scene(pointClouds: [cloud])) { $0.toward = .normals }
    for (normal, before) in zip(sides, cloud.normals ?? []) {
      #expect(normal.simd.dot(before.simd) >= 0)
    }
    let context = StageContext()
    #expect(
      try computed(Scene(pointClouds: [room]), context: context) { $0.toward = .normals }
        == computed(Scene(pointClouds: [room])))
    #expect(context.warnings.count == 1)
    #expect(ComputeNormals.Parameters().faults().isEmpty)
    var incomplete = ComputeNormals.Parameters()
    incomplete.toward = .viewpoint
    #expect(incomplete.faults().count == 1)
  }

  @Test func `points in a line, at one place and without finite coordinates have normals`() throws {
    let line = PointCloud(positions: (0..<50).map { Vector3(Float($0), 0, 0) })
    let place = PointCloud(positions: [Vector3](repeating: Vector3(1, 2, 3), count: 50))
    let broken = PointCloud(positions: [Vector3(.nan, 1, 2), Vector3(.infinity, 0, 0), .zero])
    let normals = try computed(Scene(pointClouds: [line, place, broken]))
    #expect(normals.count == 103)
    #expect(normals.allSatisfy { abs($0.simd.length - 1) < 1e-5 })
  }

  @Test func `without frames there is nothing to look to`() throws {
    let context = StageContext()
    let scene = Scene(pointClouds: [sphere()])
    let normals = try computed(scene, context: context) { $0.toward = .cameras }
    #expect(context.warnings.count == 1)
    #expect(try normals == computed(scene) { $0.toward = .outside })
    #expect(try normals == Parallel.withThreads(1) { try computed(scene) })
  }
}
