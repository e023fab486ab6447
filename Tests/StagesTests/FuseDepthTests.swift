import MeshPipeline
import MeshTestSupport
import Photogrammetry
import Stages
import Testing

struct FuseDepthTests {
  @Test func `depth maps count with and without an image`() throws {
    let capture = try SyntheticCapture { options in
      options.frameCount = 6
      options.size = SIMD2(16, 12)
      options.samples = 1
    }
    var scene = capture.scene
    scene.meshes = []
    let frames = capture.frames
    scene.capture = Capture(
      frames: Array(frames[..<2]), depthFrames: frames[2...].compactMap(\.depthFrame))
    #expect(scene.features == [.frames, .depthMaps])
    var parameters = FuseDepth.Parameters()
    parameters.voxelSize = Length(meters: 0.1)
    let context = StageContext()
    let result = try FuseDepth(parameters).run(scene, in: context)
    #expect(context.notes.first { $0.key == "depthMaps" }?.value.number == 6)
    // Which of them have an image makes no difference.
    var other = capture.scene
    other.capture?.frames = frames
    let same = try FuseDepth(parameters).run(other, in: StageContext())
    #expect(result.faceCount > 100)
    #expect(result.meshes[0].positions == same.meshes[0].positions)
  }

  @Test func `without depth maps the message says how to guard the stage`() throws {
    let scene = Scene(meshes: [MeshFixtures.cube])
    let error = try #require(throws: FuseDepth.Failure.self) {
      try FuseDepth(FuseDepth.Parameters()).run(scene, in: StageContext())
    }
    #expect(error == .noDepthMaps(frames: 0))
    #expect(error.message.contains(#""when": "depth""#))
  }

  @Test func `confidences that can't be read are named, and the depths are used`() throws {
    var capture = try DepthCapture()
    for _ in 0..<2 { try capture.add(DepthCapture.rays.map { _ in 1 }, pose: .identity) }
    let path = try capture.folder.write("confidence.png", [1, 2, 3])
    capture.frames[1].depth.confidence = .init(path: path)
    var parameters = FuseDepth.Parameters()
    parameters.voxelSize = Length(meters: 0.03)
    let context = StageContext()
    let scene = Scene(capture: Capture(depthFrames: capture.frames))
    let result = try FuseDepth(parameters).run(scene, in: context)
    #expect(result.faceCount > 500)
    #expect(context.warnings.count == 1)
    #expect(
      context.warnings.first?.hasPrefix(
        "depth is not used, or without its confidences, of frames (1); the first one, 'frame_1': "
          + path) == true, "\(context.warnings)")
  }

  @Test func `without a surface the message says which options to change`() throws {
    var capture = try DepthCapture()
    try capture.add(DepthCapture.rays.map { _ in 1 }, pose: .identity)
    var parameters = FuseDepth.Parameters()
    parameters.voxelSize = Length(meters: 0.03)
    parameters.minimumWeight = 1000
    let scene = Scene(capture: Capture(depthFrames: capture.frames))
    let error = try #require(throws: DepthFusion.Failure.self) {
      try FuseDepth(parameters).run(scene, in: StageContext())
    }
    #expect(error.message.contains("no surface with voxels of 30.0 mm"))
    #expect(error.message.contains("a smaller 'voxelSize', 'minimumWeight' or 'minimumViews'"))
  }

  @Test(arguments: [FuseDepth.Mode.replace, .complete, .add])
  func `the scan's mesh goes, is completed, or stays beside`(mode: FuseDepth.Mode) throws {
    let capture = try SyntheticCapture { options in
      options.frameCount = 6
      options.size = SIMD2(16, 12)
      options.samples = 1
    }
    let scene = capture.scene
    var parameters = FuseDepth.Parameters()
    parameters.voxelSize = Length(meters: 0.1)
    parameters.mode = mode
    let result = try FuseDepth(parameters).run(scene, in: StageContext())
    #expect(result.meshes.count == (mode == .add ? 2 : 1))
    let scan = scene.meshes[0]
    if mode != .replace {
      #expect(Array(result.meshes[0].positions.prefix(scan.vertexCount)) == scan.positions)
    }
    #expect(result.meshes.last?.confidences != nil || mode == .complete)
  }

  /// A room whose mesh is exact, seen by cameras with coarse depth maps.
  private func room() throws -> SyntheticCapture {
    try SyntheticCapture { options in
      options.frameCount = 12
      options.size = SIMD2(16, 12)
      options.samples = 1
    }
  }

  /// Fuses the depth maps, and keeps the better mesh.
  private func better(_ scene: Scene) throws -> (scene: Scene, notes: [String: JSONValue]) {
    var parameters = FuseDepth.Parameters()
    parameters.voxelSize = Length(meters: 0.1)
    parameters.mode = .better
    let context = StageContext()
    let result = try FuseDepth(parameters).run(scene, in: context)
    return (result, Dictionary(context.notes.map { ($0.key, $0.value) }) { first, _ in first })
  }

  @Test func `an exact mesh is better than one of its depth maps`() throws {
    let room = try room()
    let (result, notes) = try better(room.scene)
    #expect(result.faceCount == room.scene.faceCount)
    #expect(notes["kept"]?.text == "scan")
    let share = try #require(notes["depthsOnScan"]?.number)
    // All but those at edges.
    #expect(share > 0.95)
  }

  /// A wall that two cameras see, 1 m away.
  private func wall() throws -> DepthCapture {
    var capture = try DepthCapture()
    for side in [-0.1, 0.1] {
      try capture.add(
        DepthCapture.rays.map { _ in 1 }, pose: Transform(translation: SIMD3(side, 0, 1)))
    }
    return capture
  }

  /// A scan of its left half, and something that the depth maps don't show.
  private func scan(of wall: DepthCapture, annex: Double = 0) -> Scene {
    func sheet(_ left: Double, _ right: Double) -> Mesh {
      let x = (left: Float(left), right: Float(right))
      return Mesh(
        positions: [
          Vector3(x.left, -0.4, 0), Vector3(x.right, -0.4, 0), Vector3(x.right, 0.4, 0),
          Vector3(x.left, 0.4, 0),
        ], indices: [0, 1, 2, 0, 2, 3])
    }
    let parts = [sheet(-0.5, 0), sheet(10, 10 + annex)]
    return Scene(meshes: parts, capture: Capture(depthFrames: wall.frames))
  }

  @Test func `depth maps replace a mesh that lacks what they show`() throws {
    let wall = try wall()
    let (result, notes) = try better(scan(of: wall))
    #expect(notes["kept"]?.text == "depth", "\(notes)")
    #expect(result.faceCount > 20)
    let (old, new) = (notes["depthsOnScan"]?.number ?? 1, notes["depthsOnSurface"]?.number ?? 0)
    #expect(old > 0.25 && old < 0.35 && new > 2 * old, "\(notes)")
  }

  @Test func `a mesh with more than the depth maps cover stays`() throws {
    let wall = try wall()
    // Four fifths of the area.
    let (result, notes) = try better(scan(of: wall, annex: 2))
    #expect(notes["kept"]?.text == "scan", "\(notes)")
    #expect(result.faceCount == 4)
    #expect(abs((notes["scanMeasured"]?.number ?? 0) - 0.2) < 0.01, "\(notes)")
  }
}
