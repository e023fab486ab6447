import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Synchronization
import Testing

@testable import Photogrammetry
@testable import Stages

/// On rendered pictures whose true cameras are known.
@Suite(.serialized) struct RefinePosesTests {
  private static func refined(
    _ scene: Scene, _ change: (inout RefinePoses.Parameters) -> Void = { _ in }
  ) throws -> (frames: [Capture.Frame], notes: [String: JSONValue], warnings: [String]) {
    var parameters = RefinePoses.Parameters()
    change(&parameters)
    let context = StageContext()
    let scene = try RefinePoses(parameters).run(scene, in: context)
    let notes = Dictionary(uniqueKeysWithValues: context.notes.map { ($0.key, $0.value) })
    return (scene.capture?.frames ?? [], notes, context.warnings)
  }

  /// How many pixels the middle of what a camera sees is off, by the median over frames.
  private static func pixelError(_ frames: [Capture.Frame], _ truth: [Transform]) -> Float {
    let errors = zip(frames, truth).flatMap { frame, truth -> [Float] in
      var trueFrame = frame
      trueFrame.pose = truth
      let (camera, trueCamera) = (Camera(frame), Camera(trueFrame))
      let length = Float(truth.x.length)
      return [SIMD2<Float>(0.25, 0.25), SIMD2(0.75, 0.25), SIMD2(0.5, 0.5), SIMD2(0.5, 0.8)].map {
        let pixel = $0 * camera.size
        let point = trueCamera.position + trueCamera.ray(through: pixel) * (1.5 * length)
        guard let seen = camera.project(point) else { return .infinity }
        let miss = SIMD2(seen.x, seen.y) - pixel
        return (miss * miss).sum().squareRoot()
      }
    }
    return errors.sorted()[errors.count / 2]
  }

  private static func capture(
    _ change: (inout SyntheticCapture.Options) -> Void = { _ in }
  ) throws -> SyntheticCapture {
    try SyntheticCapture { options in
      options.frameCount = 10
      options.poseNoise = (0.01, 0.004)
      change(&options)
    }
  }

  /// Seven frames with nothing but moved cameras, rendered once: time goes into the pictures.
  private static let moved = Result { try capture { $0.frameCount = 7 } }

  /// The scene of the first few of ``moved``.
  private static func scene(ofFirst count: Int) throws -> Scene {
    var scene = try moved.get().scene
    scene.capture?.frames.removeSubrange(count...)
    return scene
  }

  @Test(arguments: [(60, 960), (300, 960), (1000, 632), (100_000, 480), (0, 960)])
  func `pictures of very many frames are compared at a smaller size`(count: Int, width: Int) {
    #expect(FrameSources.width(atMost: 960, count) == width)
    #expect(FrameSources.width(atMost: 300, count) == 300)
  }

  @Test(arguments: [
    (0.01, 0.2, true), (-0.01, 0.2, false), (0.01, 0.9, false), (0.01, .nan, false),
    (1, .nan, true),
  ])
  func `what few spots leave open is settled by tiles`(
    gain: Double, residualRatio: Float, isMoved: Bool
  ) {
    let gains = (0..<100).map { gain + ($0.isMultiple(of: 2) ? 0.5 : -0.5) }
    let change = PoseJudge.change(gains: gains, loss: 100, residualRatio: residualRatio)
    #expect(change == (isMoved ? .improved : .notBetter))
  }

  @Test func `cameras that were moved find back in spite of exposure, blur and a person`() throws {
    let capture = try Self.capture {
      ($0.exposureJitter, $0.whiteBalanceJitter) = (0.2, 0.05)
      ($0.blurred, $0.framesWithPerson) = ([4: 1.2], [2, 5])
    }
    let result = try Self.refined(capture.scene)
    let before = Self.pixelError(capture.frames, capture.truePoses)
    let after = Self.pixelError(result.frames, capture.truePoses)
    #expect(before > 0.6 && after < before / 3, "\(before) → \(after) px")
    // Nothing but poses and warps changes.
    for (old, new) in zip(capture.frames, result.frames) {
      var copy = new
      (copy.pose, copy.warp) = (old.pose, old.warp)
      #expect(copy == old)
    }
    guard case .number(let pixelsBefore) = result.notes["residualBeforePixels"]?.content,
      case .number(let pixelsAfter) = result.notes["residualAfterPixels"]?.content
    else {
      Issue.record("no residuals: \(result.notes)")
      return
    }
    #expect(pixelsAfter < pixelsBefore / 2)
  }

  @Test func `depth maps without an image move as the frames around them do`() throws {
    var scene = try Self.scene(ofFirst: 5)
    let recorded = try #require(scene.capture?.frames)
    func depthFrame(_ frame: Capture.Frame, at time: Double?) -> Capture.DepthFrame {
      Capture.DepthFrame(
        name: "of \(frame.name)",
        depth: Capture.DepthSource(path: "depth.png", encoding: .png16(metersPerUnit: 0.001)),
        imageSize: frame.imageSize,
        intrinsics: frame.intrinsics, pose: frame.pose, timestamp: time)
    }
    scene.capture?.depthFrames = recorded.map { depthFrame($0, at: $0.timestamp) }
    scene.capture?.depthFrames.append(depthFrame(recorded[0], at: nil))
    let context = StageContext()
    let capture = try RefinePoses(RefinePoses.Parameters()).run(scene, in: context).capture
    let frames = try #require(capture?.frames)
    let depthFrames = try #require(capture?.depthFrames)
    #expect(zip(frames, recorded).count { $0.pose != $1.pose } > 3)
    for (frame, depthFrame) in zip(frames, depthFrames) {
      #expect((frame.pose.translation - depthFrame.pose.translation).length < 1e-9)
      #expect((frame.pose.z - depthFrame.pose.z).length < 1e-9)
    }
    #expect(depthFrames.last?.pose == recorded[0].pose)
    let moved = context.notes.first { $0.key == "movedDepthMaps" }?.value.number
    #expect(moved == Double(zip(frames, recorded).count { $0.pose != $1.pose }))
  }

  @Test func `exact poses stay as they are`() throws {
    let truth = try Self.moved.get().truePoses
    var scene = try Self.scene(ofFirst: 5)
    for index in 0..<5 { scene.capture?.frames[index].pose = truth[index] }
    let result = try Self.refined(scene)
    #expect(Self.pixelError(result.frames, truth) < 0.05)
  }

  @Test func `a distorting lens is no hindrance`() throws {
    let capture = try Self.capture {
      $0.frameCount = 6
      $0.distortion = .radialTangential(
        numerator: SIMD3(-0.12, 0.02, 0), denominator: .zero, tangential: SIMD2(0.001, -0.001))
    }
    let result = try Self.refined(capture.scene)
    let before = Self.pixelError(capture.frames, capture.truePoses)
    #expect(Self.pixelError(result.frames, capture.truePoses) < before / 2)
    #expect(result.notes["radialDistortion"] == nil)
  }

  @Test func `a wrong focal length is corrected, and told with its uncertainty`() throws {
    let capture = try Self.capture()
    var scene = capture.scene
    for index in 0..<10 { scene.capture?.frames[index].intrinsics.focalLength *= 1.035 }
    let result = try Self.refined(scene)
    let scale = try #require(result.notes["focalScale"]?.number)
    let deviation = try #require(result.notes["focalScaleDeviation"]?.number)
    #expect(abs(scale * 1.035 - 1) < max(0.005, 2 * deviation), "\(scale) ± \(deviation)")
    #expect(deviation < 0.02)
    #expect(result.warnings.contains { $0.contains(" ± ") }, "\(result.warnings)")
  }

  /// The greatest distance, in pixels, between where a lens shows directions and where it truly does, beyond what a
  /// turn or the depth explains: in the middle third of the image.
  private static func lensError(_ frame: Capture.Frame, _ truth: Capture.Frame) -> Float {
    var (found, real) = (frame, truth)
    (found.pose, real.pose) = (.identity, .identity)
    let (camera, trueCamera) = (Camera(found), Camera(real))
    return [SIMD2<Float>(0.3, 0.5), SIMD2(0.7, 0.5), SIMD2(0.5, 0.25), SIMD2(0.75, 0.7)].map {
      let pixel = $0 * camera.size
      guard let seen = camera.project(trueCamera.ray(through: pixel)) else { return .infinity }
      let miss = SIMD2(seen.x, seen.y) - pixel
      return (miss * miss).sum().squareRoot()
    }.max() ?? .infinity
  }

  @Test func `a distortion that the files don't record is found`() throws {
    // As phones' lenses have it.
    let capture = try Self.capture {
      ($0.size, $0.samples) = (SIMD2(240, 180), 1)
      $0.distortion = .radialTangential(
        numerator: SIMD3(0.12, -0.18, 0), denominator: .zero, tangential: .zero)
    }
    var scene = capture.scene
    for index in 0..<10 { scene.capture?.frames[index].distortion = .none }
    let silent = try #require(scene.capture?.frames[0])
    let result = try Self.refined(scene)
    // It is nothing unusual.
    #expect(result.warnings == [])
    guard let found = result.notes["radialDistortion"]?.elements, found.count == 2,
      let deviations = result.notes["radialDistortionDeviation"]?.elements
    else {
      Issue.record("\(result.notes)")
      return
    }
    for (number, truth) in [0.12, -0.18].enumerated() {
      let (found, deviation) = (found[number].number ?? .nan, deviations[number].number ?? .nan)
      #expect(abs(found - truth) < 2 * deviation, "\(found) ± \(deviation)")
      #expect(deviation < 0.1)
    }
    let before = Self.lensError(silent, capture.frames[0])
    let after = Self.lensError(result.frames[0], capture.frames[0])
    #expect(after < before / 3, "\(before) -> \(after)")
  }

  @Test func `a focal length that only some frames have wrong is not made that of all`() throws {
    let capture = try Self.capture()
    #expect(try Self.refined(capture.scene).notes["radialDistortion"] == nil)
    var scene = capture.scene
    for index in [1, 3, 5] { scene.capture?.frames[index].intrinsics.focalLength *= 1.12 }
    #expect(try Self.refined(scene).notes["focalScale"] == nil)
  }

  @Test func `other units and a mirrored world give the same`() throws {
    var scene = try Self.scene(ofFirst: 5)
    let plain = try Self.refined(scene)
    scene.apply(Transform(scale: SIMD3(-1000, 1000, 1000)))
    scene.coordinateSystem.metersPerUnit = 0.001
    let mirrored = try Self.refined(scene)
    var apart: [Double] = []
    for (frame, other) in zip(plain.frames, mirrored.frames) {
      let place = frame.pose.translation * SIMD3(-1000, 1000, 1000)
      apart.append((other.pose.translation - place).length)
      #expect(abs(other.pose.determinant + 1) < 1e-6)
    }
    // Rounding decides which pieces count, a quarter of a pixel is 2.5 mm, and of few frames in small
    // pictures one may be kept or moved by a hair.
    apart.sort()
    #expect(apart[apart.count / 2] < 2.5 && apart[apart.count - 2] < 5)
  }

  @Test func `a frame without a picture goes by its depth, one that sees nothing stays`() throws {
    var scene = try Self.scene(ofFirst: 7)
    scene.capture?.frames[3].pose.translation += SIMD3(0, 50, 0)
    scene.capture?.frames[6].image = .file(try Self.moved.get().folder.path + "/missing.png")
    let result = try Self.refined(scene)
    #expect(result.frames[3] == scene.capture?.frames[3])
    let truth = try Self.moved.get().truePoses[6].translation
    let recorded = try #require(scene.capture?.frames[6].pose.translation)
    #expect((result.frames[6].pose.translation - truth).length < 0.8 * (recorded - truth).length)
    #expect(result.notes["keptForLackOfDetail"] == [scene.capture?.frames[3].name.json ?? ""])
    #expect(result.warnings.count == 1 && result.warnings[0].contains("frame_00006"))
    #expect(try Self.refined(Self.scene(ofFirst: 2)).frames.count == 2)
  }

  @Test func `plain pictures move no camera`() throws {
    let plain = Image(width: 160, height: 120, filledWith: (120, 130, 140))
    let folder = try TemporaryFolder()
    let file = try folder.write("plain.jpg", JPEG.encode(plain, quality: 90))
    var scene = try Self.scene(ofFirst: 4)
    for index in 0..<4 { scene.capture?.frames[index].image = .file(file) }
    #expect(try Self.refined(scene) { $0.alignDepth = false }.frames == scene.capture?.frames)
  }

  @Test func `a capture of depth maps alone is aligned`() throws {
    let capture = try Self.capture { ($0.depthSize, $0.size) = (SIMD2(64, 48), SIMD2(32, 24)) }
    var scene = capture.scene
    scene.capture?.depthFrames = capture.frames.compactMap(\.depthFrame)
    scene.capture?.frames = []
    let parts = Mutex<[Double]>([])
    let context = StageContext { part in parts.withLock { $0.append(part) } }
    let aligned = try RefinePoses(RefinePoses.Parameters()).run(scene, in: context).capture
    /// How far cameras are off, each seen from the one before.
    func error(_ poses: [Transform]) -> Double {
      func steps(_ poses: [Transform]) -> [SIMD3<Double>] {
        zip(poses, poses.dropFirst()).map { before, after in
          before.inverse?.apply(toPoint: after.translation) ?? .zero
        }
      }
      return zip(steps(poses), steps(capture.truePoses)).map { ($0 - $1).length }.sorted()[4]
    }
    let poses = try #require(aligned?.depthFrames).map(\.pose)
    #expect(error(poses) < 0.85 * error(capture.frames.map(\.pose)))
    #expect(context.notes.contains { $0.key == "alignedDepthMaps" && $0.value.number ?? 0 > 5 })
    let progress = parts.withLock { $0 }
    #expect(progress == progress.sorted() && progress.last == 1 && progress.count > 8)
    var parameters = RefinePoses.Parameters()
    parameters.alignDepth = false
    let off = try RefinePoses(parameters).run(scene, in: StageContext()).capture
    #expect(off == scene.capture)
  }

  @Test func `a camera that would move too far stays`() throws {
    let scene = try Self.scene(ofFirst: 4)
    // Images are not warped either: they may be where poses stay.
    let result = try Self.refined(scene) {
      $0.maximumShift = Length(meters: 0)
      $0.warp = false
    }
    #expect(result.frames == scene.capture?.frames)
    // Found by photographs, and refused; the first search alone finds too few matches here.
    let names = scene.capture?.frames.map(\.name.json) ?? []
    #expect(result.notes["keptAsTooFar"] == JSONValue(.array(names)))
  }

  @Test func `the number of threads does not matter`() throws {
    let scene = try Self.scene(ofFirst: 4)
    let many = try Self.refined(scene).frames
    let alone = try Parallel.withThreads(1) { try Self.refined(scene).frames }
    #expect(alone == many)
  }
}
