import MeshPipeline
import MeshTestSupport
import NativeLibraries
import SurfaceKernels
import Testing

@testable import Photogrammetry
@testable import Stages

/// On rendered pictures of a room whose depths are known.
@Suite(.serialized) struct EstimateDepthTests {
  /// Side by side before a wall.
  private static func rendered(_ depthSize: SIMD2<Int>? = nil) throws -> SyntheticCapture {
    try SyntheticCapture { options in
      options.size = SIMD2(240, 180)
      options.depthSize = depthSize
      options.poses = [-0.3, -0.15, 0, 0.15, 0.3].map { x in
        SyntheticCapture.pose(at: SIMD3(x, 0.1, 0.3), lookingAt: SIMD3(x / 2, -0.2, -1.4))
      }
    }
  }

  private static let withoutSensor = Result { try rendered() }

  private static func estimated(
    _ scene: Scene, _ change: (inout EstimateDepth.Parameters) -> Void = { _ in }
  ) throws -> (scene: Scene, context: StageContext) {
    var parameters = EstimateDepth.Parameters()
    parameters.size = 1
    change(&parameters)
    let context = StageContext()
    return (try EstimateDepth(parameters).run(scene, in: context), context)
  }

  /// The confident depths of a frame relative to those of the mesh.
  private static func ratios(_ frame: Capture.Frame, _ scene: Scene) throws -> [Float] {
    let surface = try ObservedSurface(scene)
    let map = try #require(try frame.loadDepth())
    let camera = Camera(frame, size: map.size)
    return map.meters.indices.compactMap { index in
      let pixel = SIMD2(Float(index % map.width), Float(index / map.width)) + 0.5
      guard map.confidences?[index] == 2,
        let hit = surface.tracer.firstHit(from: camera.position, along: camera.ray(through: pixel))
      else { return nil }
      return map.meters[index] / hit.distance
    }
  }

  @Test func `photographs alone give depths that fuse to the room's wall`() throws {
    let capture = try Self.withoutSensor.get()
    var scene = capture.scene
    scene.meshes = []
    let result = try Self.estimated(scene)
    let frames = try #require(result.scene.capture?.frames)
    #expect(frames.allSatisfy { $0.depth?.origin == .photographs })
    let ratios = try Self.ratios(frames[2], capture.scene)
    #expect(Double(ratios.count) > 0.3 * 240 * 180, "\(ratios.count) depths")
    let errors = ratios.map { abs($0 - 1) }.sorted()
    #expect(errors[errors.count / 2] < 0.005, "\(errors[errors.count / 2])")
    #expect(errors[errors.count * 9 / 10] < 0.02, "\(errors[errors.count * 9 / 10])")
    let fused = try FuseDepth(FuseDepth.Parameters()).run(result.scene, in: StageContext())
    #expect(fused.faceCount > 1000)
  }

  @Test func `a sensor's depths remain where photographs tell none`() throws {
    let capture = try Self.rendered(SIMD2(40, 30))
    let result = try Self.estimated(capture.scene)
    let map = try #require(try result.scene.capture?.frames[2].loadDepth())
    let confidences = try #require(map.confidences)
    #expect(confidences.contains(2) && confidences.contains(1))
    #expect(map.meters.count { $0 > 0 } > map.meters.count * 9 / 10)
    let bare = try Self.estimated(capture.scene) { $0.keepSensor = false }
    let other = try #require(try bare.scene.capture?.frames[2].loadDepth())
    #expect(other.meters.count { $0 > 0 } < map.meters.count { $0 > 0 })
  }

  @Test func `photographs that show the same from one place only are refused`() throws {
    var scene = try Self.withoutSensor.get().scene
    scene.capture?.frames.removeSubrange(1...)
    #expect(throws: EstimateDepth.Failure.noPairs(frames: 1)) { try Self.estimated(scene) }
    var turned = try Self.withoutSensor.get().scene
    for index in 0..<5 { turned.capture?.frames[index].pose.translation = SIMD3(0, 0.1, 0.3) }
    #expect(throws: EstimateDepth.Failure.noPairs(frames: 5)) { try Self.estimated(turned) }
  }

  @Test func `wrong poses are noticed`() throws {
    var scene = try Self.withoutSensor.get().scene
    for index in 0..<5 {
      let angle = [0.1, -0.13, 0.09, -0.11, 0.12][index]
      let pose = try #require(scene.capture?.frames[index].pose)
      scene.capture?.frames[index].pose =
        Transform(rotationAbout: SIMD3(1, 0, 0), by: angle).about(pose.translation) * pose
    }
    do {
      let result = try Self.estimated(scene)
      #expect(
        result.context.warnings.contains { $0.contains("the poses are off") },
        "\(result.context.notes.map { "\($0.key) \($0.value)" })")
    } catch let failure as EstimateDepth.Failure {
      #expect(failure == .noAgreement)
    }
  }

  @Test func `a scene without frames stays as it is`() throws {
    let scene = Scene(name: "a", meshes: [])
    #expect(try Self.estimated(scene).scene == scene)
  }
}
