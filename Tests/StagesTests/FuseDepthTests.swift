import MeshPipeline
import MeshTestSupport
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
    parameters.voxel = Length(meters: 0.1)
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

  @Test(arguments: [FuseDepth.Mode.replace, .complete, .add])
  func `the scan's mesh goes, is completed, or stays beside`(mode: FuseDepth.Mode) throws {
    let capture = try SyntheticCapture { options in
      options.frameCount = 6
      options.size = SIMD2(16, 12)
      options.samples = 1
    }
    let scene = capture.scene
    var parameters = FuseDepth.Parameters()
    parameters.voxel = Length(meters: 0.1)
    parameters.mode = mode
    let result = try FuseDepth(parameters).run(scene, in: StageContext())
    #expect(result.meshes.count == (mode == .add ? 2 : 1))
    let scan = scene.meshes[0]
    if mode != .replace {
      #expect(Array(result.meshes[0].positions.prefix(scan.vertexCount)) == scan.positions)
    }
    #expect(result.meshes.last?.confidences != nil || mode == .complete)
  }
}
