import MeshPipeline
import MeshTestSupport
import Photogrammetry
import Stages
import Testing

struct PointsFromDepthTests {
  private func points(
    of capture: Capture, _ system: CoordinateSystem = .arkit,
    context: StageContext = StageContext(),
    _ change: (inout PointsFromDepth.Parameters) -> Void = { _ in }
  ) throws -> PointCloud {
    var parameters = PointsFromDepth.Parameters()
    change(&parameters)
    let scene = Scene(capture: capture, coordinateSystem: system)
    let result = try PointsFromDepth(parameters).run(scene, in: context)
    let clouds = result.pointClouds
    try #require(clouds.count == 1)
    try clouds[0].validateAttributeLengths()
    return clouds[0]
  }

  private static func seen(
    _ shape: DepthCapture.Shape, from eyes: [SIMD3<Double>]
  ) throws -> DepthCapture {
    var capture = try DepthCapture()
    for eye in eyes { try capture.add(shape, from: eye, lookingAt: .zero) }
    return capture
  }

  private static var floor: DepthCapture.Shape {
    DepthCapture.box(SIMD3(-9, -1, -9), SIMD3(9, 0, 9))
  }
  private static let eyes = [SIMD3(0, 1, 0.4), SIMD3(0.3, 1.2, -0.5), SIMD3(-0.4, 0.9, 0.2)]

  private func doubles(_ name: String, of cloud: PointCloud) throws -> [Double] {
    try #require(cloud.attributes[name]).values.doubles
  }

  // MARK: Geometry

  @Test func `points of a plane lie on it, look to the camera and know its distance`() throws {
    let capture = try Self.seen(Self.floor, from: Self.eyes)
    let cloud = try points(of: Capture(depthFrames: capture.frames))
    let pixels = DepthCapture.size.x * DepthCapture.size.y
    #expect(cloud.positions.count > 3 * pixels * 9 / 10)
    #expect(cloud.colors == nil && cloud.confidences == nil)
    let (ranges, frames) = (try doubles("range", of: cloud), try doubles("frame", of: cloud))
    for point in cloud.positions.indices {
      let position = cloud.positions[point].double
      #expect(abs(position.y) < 1e-4)
      #expect((cloud.normals?[point].simd.y ?? 0) > 0.9999)
      #expect(abs((position - Self.eyes[Int(frames[point])]).length - ranges[point]) < 1e-5)
    }
    #expect(Set(frames) == [0, 1, 2])
  }

  @Test func `points of a sphere lie on it, and none between it and the wall behind`() throws {
    let center = SIMD3(0.1, 0, -0.1)
    let shape = DepthCapture.nearest(of: [
      DepthCapture.sphere(center, radius: 0.4), DepthCapture.room(SIMD3(2, 2, 2)),
    ])
    let capture = try Self.seen(shape, from: DepthCapture.eyes(5, around: .zero, radius: 1.2))
    let cloud = try points(of: Capture(depthFrames: capture.frames))
    for (position, normal) in zip(cloud.positions, cloud.normals ?? []) {
      let offset = position.double - center
      if offset.length < 0.6 {
        #expect(abs(offset.length - 0.4) < 0.003)
        #expect(normal.double.dot(offset.normalized) > 0.97)
      } else {
        let sides = pointwiseMax(position.double, -position.double)
        #expect(sides.max() < 2.1 && sides.max() > 1.9)
        // Near the edges of the room, planes are fitted to two walls.
        let isNearEdge = [sides.x, sides.y, sides.z].sorted()[1] > 1.7
        #expect(isNearEdge || abs(sides.max() - 2) < 1e-3)
        #expect(normal.double.dot(-position.double) > 0)
      }
    }
  }

  @Test func `intrinsics may be those of a larger picture, and lengths in another unit`() throws {
    var capture = try Self.seen(Self.floor, from: Self.eyes)
    let expected = try points(of: Capture(depthFrames: capture.frames))
    for index in capture.frames.indices {
      let size = capture.frames[index].imageSize
      capture.frames[index].intrinsics =
        capture.frames[index].intrinsics.scaled(from: size, to: size &* 8)
      capture.frames[index].imageSize = size &* 8
    }
    #expect(try points(of: Capture(depthFrames: capture.frames)).positions == expected.positions)
    var millimeters = CoordinateSystem.arkit
    millimeters.metersPerUnit = 0.001
    for index in capture.frames.indices { capture.frames[index].pose.translation *= 1000 }
    let large = try points(of: Capture(depthFrames: capture.frames), millimeters)
    for (one, other) in zip(large.positions, expected.positions) {
      #expect((one.double / 1000 - other.double).length < 1e-6)
    }
    #expect(large.attributes == expected.attributes)
  }

  @Test func `what is no depth, too far, or of little confidence gives no point`() throws {
    var capture = try DepthCapture()
    let count = DepthCapture.rays.count
    let half = count / 2
    var depths = [Float](repeating: 1, count: half) + [Float](repeating: 3, count: count - half)
    depths.replaceSubrange(100..<104, with: [.nan, .infinity, -1, 0])
    try capture.add(depths, pose: .identity)
    let frames = Capture(depthFrames: capture.frames)
    let near = try points(of: frames) { $0.maximumDepth = Length(meters: 2) }
    #expect(near.positions.count <= half - 4 && near.positions.count > half * 9 / 10)
    #expect(near.positions.allSatisfy { abs($0.z + 1) < 1e-5 })
    let all = try points(of: frames)
    #expect(all.positions.count > count * 9 / 10)
    // Near the corners of the picture the distance is greater than the depth.
    let within = try points(of: frames) { $0.maximumDepth = Length(meters: 1.1) }
    #expect(try doubles("range", of: within).allSatisfy { $0 <= 1.1 })
    #expect(within.positions.count < near.positions.count)
  }

  @Test func `confidences come along, and low ones are left out`() throws {
    let capture = try SyntheticCapture { options in
      options.frameCount = 2
      options.size = SIMD2(16, 12)
      options.samples = 1
    }
    let frames = try #require(capture.scene.capture)
    let all = try points(of: frames)
    #expect(Set(all.confidences ?? []) == [1, 2])
    let high = try points(of: frames) { $0.minimumConfidence = 2 }
    #expect(Set(high.confidences ?? []) == [2])
  }

  // MARK: Fewer points

  @Test func `each cell of a grid keeps one of the points, on any number of threads`() throws {
    let capture = try Self.seen(Self.floor, from: Self.eyes)
    let frames = Capture(depthFrames: capture.frames)
    func cells(_ cloud: PointCloud) -> [SIMD3<Double>] {
      cloud.positions.map { ($0.double / 0.05).rounded(.down) }
    }
    let all = try points(of: frames)
    let thinned = try points(of: frames) { $0.spacing = Length(meters: 0.05) }
    #expect(Set(cells(thinned)).count == thinned.positions.count)
    #expect(Set(cells(thinned)) == Set(cells(all)))
    #expect(Set(thinned.positions).isSubset(of: Set(all.positions)))
    let alone = try Parallel.withThreads(1) {
      try points(of: frames) { $0.spacing = Length(meters: 0.05) }
    }
    #expect(alone == thinned)
  }

  @Test func `every second pixel and every third frame are used`() throws {
    let capture = try Self.seen(Self.floor, from: Self.eyes + [SIMD3(0.1, 1.1, 0.3)])
    let frames = Capture(depthFrames: capture.frames)
    let all = try points(of: frames)
    let some = try points(of: frames) { ($0.frameStep, $0.pixelStep) = (3, 2) }
    #expect(Set(try doubles("frame", of: some)) == [0, 3])
    #expect(Set(some.positions).isSubset(of: Set(all.positions)))
    let share = Double(some.positions.count) / Double(all.positions.count)
    #expect(share > 0.115 && share < 0.135)
  }

  @Test(arguments: [PointsFromDepth.Mode.replace, .add])
  func `the scene's own meshes and points go or stay`(mode: PointsFromDepth.Mode) throws {
    let capture = try Self.seen(Self.floor, from: [Self.eyes[0]])
    var scene = Scene(meshes: [MeshFixtures.cube], capture: Capture(depthFrames: capture.frames))
    scene.pointClouds = [PointCloud(name: "known", positions: [.zero])]
    var parameters = PointsFromDepth.Parameters()
    parameters.mode = mode
    let result = try PointsFromDepth(parameters).run(scene, in: StageContext())
    #expect(result.meshes.count == (mode == .add ? 1 : 0))
    #expect(result.pointClouds.count == (mode == .add ? 2 : 1))
  }

  // MARK: Colours

  /// Frames with a person in some pictures; those not in `photographed` keep only their depth map.
  private static func room(
    photographed: Set<Int>, withPerson: Set<Int> = []
  ) throws -> (capture: SyntheticCapture, frames: Capture) {
    let capture = try SyntheticCapture { options in
      options.frameCount = 8
      options.size = SIMD2(80, 60)
      options.samples = 1
      options.framesWithPerson = withPerson
    }
    let all = capture.frames
    return (
      capture,
      Capture(
        frames: all.indices.filter(photographed.contains).map { all[$0] },
        depthFrames: all.indices.filter { !photographed.contains($0) }.compactMap {
          all[$0].depthFrame
        })
    )
  }

  private func errors(_ cloud: PointCloud, _ capture: SyntheticCapture) -> [Float] {
    zip(cloud.positions, cloud.colors ?? []).map { position, color in
      abs(Float(color.green) - capture.code(at: position.simd).y)
    }.sorted()
  }

  @Test func `points have the colours of their own photographs`() throws {
    let (capture, frames) = try Self.room(photographed: Set(0..<8))
    let context = StageContext()
    let cloud = try points(of: frames, context: context)
    let errors = errors(cloud, capture)
    #expect(errors.count > 5000)
    #expect(errors[errors.count / 2] < 3 && errors[errors.count * 9 / 10] < 12)
    #expect(cloud.colors?.allSatisfy { $0.alpha == 255 } == true)
    #expect(context.notes.allSatisfy { $0.key != "pointsWithoutColor" })
    #expect(try points(of: frames) { $0.colors = false }.colors == nil)
  }

  @Test func `points without a photograph take colours from others that see them`() throws {
    let (capture, frames) = try Self.room(photographed: [0, 2, 4, 6])
    let context = StageContext()
    let cloud = try points(of: frames, context: context)
    let errors = errors(cloud, capture)
    #expect(errors[errors.count / 2] < 4)
    let unseen = context.notes.first { $0.key == "pointsWithoutColor" }?.value.number ?? 0
    #expect(unseen < 0.3 * Double(errors.count))
    #expect(try cloud == Parallel.withThreads(1) { try points(of: frames) })
  }

  @Test func `what hides a point in a photograph gives it no colour`() throws {
    let (capture, frames) = try Self.room(photographed: [4], withPerson: [4])
    let cloud = try points(of: frames)
    let person = SyntheticRoom.person
    var (own, strange) = (0, 0)
    for (position, color) in zip(cloud.positions, cloud.colors ?? [])
    where color.red > 200 && color.green < 80 {
      let inside = pointwiseMin(pointwiseMax(position.simd, person.minimum), person.maximum)
      if (inside - position.simd).length > 0.1 { strange += 1 } else { own += 1 }
    }
    // Where the outline of the person falls within a pixel of a depth map.
    #expect(own > 40 && strange <= 3)
    withExtendedLifetime(capture) {}
  }

  @Test func `a photograph that can't be read is named, and others give the colours`() throws {
    let (capture, room) = try Self.room(photographed: Set(0..<8))
    var frames = room
    frames.frames[1].image = .file("\(capture.folder.path)/missing.png")
    let context = StageContext()
    let cloud = try points(of: frames, context: context)
    #expect(cloud.colors != nil)
    #expect(context.warnings.count == 1)
    #expect(
      context.warnings.first?.hasPrefix(
        "photographs of frames (1) give no colours; the first one, '\(frames.frames[1].name)'")
        == true, "\(context.warnings)")
  }

  // MARK: Failures

  @Test func `frames without depth do no harm, and the message says the way out`() throws {
    let (capture, frames) = try Self.room(photographed: Set(0..<8))
    var some = frames
    for index in 1..<8 { some.frames[index].depth = nil }
    let cloud = try points(of: some)
    #expect(Set(try doubles("frame", of: cloud)) == [0])
    some.frames[0].depth = nil
    let error = try #require(throws: PointsFromDepth.Failure.self) { try points(of: some) }
    #expect(error == .noDepthMaps(frames: 8))
    #expect(error.message.contains(#""when": "depth""#))
    withExtendedLifetime(capture) {}
  }

  @Test func `a pose at the end of all numbers gives no point, and the others do`() throws {
    var capture = try Self.seen(Self.floor, from: Self.eyes)
    capture.frames[1].pose.translation = SIMD3(1e38, -1e38, 3e38) * 3
    capture.frames[2].pose.translation.x = 1e30
    let cloud = try points(of: Capture(depthFrames: capture.frames)) {
      $0.spacing = Length(meters: 0.05)
    }
    let near = cloud.positions.count { abs($0.x) < 2 }
    #expect(near > 100 && cloud.positions.count { !$0.isFinite } == 0)
  }

  @Test func `without a depth in range the message says which`() throws {
    let capture = try Self.seen(Self.floor, from: [SIMD3(0, 3, 0.1)])
    let error = try #require(throws: MeasuredPoints.Failure.self) {
      try points(of: Capture(depthFrames: capture.frames)) {
        $0.maximumDepth = Length(meters: 1)
      }
    }
    #expect(error.message.contains("no depth is between 0.1 and 1.0 m"))
  }
}
