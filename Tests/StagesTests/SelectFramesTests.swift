import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Stages

struct SelectFramesTests {
  /// What the report says of each frame.
  static func report(
    _ scene: Scene, _ change: (inout SelectFrames.Parameters) -> Void = { _ in }
  ) throws -> (scene: Scene, reasons: [String], kept: [Bool], context: StageContext) {
    var parameters = SelectFrames.Parameters()
    change(&parameters)
    let context = StageContext()
    let result = try SelectFrames(parameters).run(scene, in: context)
    let entries = try #require(context.notes.first { $0.key == "frames" }).value.elements
    #expect(entries.count == scene.capture?.frames.count)
    let kept = entries.map { $0["kept"]?.isTrue == true }
    #expect(result.capture?.frames.count == kept.count { $0 })
    #expect(result.meshes == scene.meshes)
    return (result, entries.compactMap { $0["reason"]?.text }, kept, context)
  }

  @Test func `blurred frames are found, and a plain wall is not blurred`() throws {
    let capture = try SyntheticCapture {
      $0.frameCount = 16
      $0.blurred = [3: 3, 10: 5]
      $0.hasPlainWall = true
      $0.exposureJitter = 0.2
    }
    // Nothing of the surface is seen by one of them alone.
    let report = try Self.report(capture.scene) { $0.minimumGain = 0.2 }
    for index in 0..<16 {
      #expect(
        report.reasons[index].contains("blurred") == [3, 10].contains(index),
        "\(index): \(report.reasons[index])")
    }
    let summary = try #require(report.context.notes.first { $0.key == "summary" }).value.text
    #expect(summary?.hasPrefix("14 of 16 frames; dropped: 2 blurred") == true)
    #expect(try Self.report(capture.scene) { $0.minimumSharpness = 0 }.kept.allSatisfy(\.self))
  }

  @Test func `a blurred frame stays when nobody else sees what it sees`() throws {
    // Seven cameras look at one wall, the eighth at the other.
    let poses = (0..<8).map { index in
      SyntheticCapture.pose(
        at: SIMD3(0.2 * Double(index) - 0.7, 0.3, 0.2),
        lookingAt: SIMD3(0.2 * Double(index) - 0.7, 0, index < 7 ? -1.5 : 1.5))
    }
    let capture = try Self.withWhitePicture(poses)
    var scene = capture.scene
    let context = StageContext()
    scene = try SelectFrames(SelectFrames.Parameters()).run(scene, in: context)
    let entries = try #require(context.notes.first { $0.key == "frames" }).value.elements
    let reason = try #require(entries.last?["reason"]?.text)
    #expect(reason.contains("blown out or black, but alone sees"), "\(reason)")
    #expect(scene.capture?.frames.last?.name == "frame_00007")
  }

  /// A capture whose last picture is white.
  static func withWhitePicture(_ poses: [Transform]) throws -> SyntheticCapture {
    let capture = try SyntheticCapture { $0.poses = poses }
    let white = Image(width: 160, height: 120, filledWith: (255, 255, 255))
    try capture.folder.write("frame_00007.png", PNG.encode(white))
    return capture
  }

  @Test func `of frames from one place the sharpest stays`() throws {
    let turned = SyntheticCapture.poses(count: 8)
    var poses = turned
    for index in [2, 5] {
      var pose = turned[index]
      pose.translation += SIMD3(0.004, 0, -0.003)
      poses.append(pose)
    }
    let capture = try SyntheticCapture {
      $0.poses = poses
      $0.blurred = [2: 1, 9: 1]
    }
    let report = try Self.report(capture.scene) { $0.minimumSharpness = 0 }
    #expect(report.kept == (0..<10).map { ![2, 9].contains($0) })
    #expect(report.reasons[2] == "taken from the same place as 'frame_00008'")
    #expect(report.reasons[9] == "taken from the same place as 'frame_00005'")
  }

  @Test func `tracking, pictures that are missing and dark ones have reasons`() throws {
    let capture = try SyntheticCapture { $0.frameCount = 8 }
    var scene = capture.scene
    scene.capture?.frames[1].tracking = .limited
    scene.capture?.frames[2].image = .file(capture.folder.path + "/missing.png")
    let black = Image(width: 160, height: 120, filledWith: (2, 2, 2))
    try capture.folder.write("frame_00004.png", PNG.encode(black))
    let report = try Self.report(scene)
    #expect(report.reasons[1] == "tracking was limited")
    #expect(report.reasons[2].contains("missing.png"))
    #expect(report.reasons[4].hasPrefix("100% is blown out or black"))
    #expect(report.context.warnings.count == 1)
    #expect(report.context.warnings[0].contains("frame_00002"))
    #expect(try Self.report(scene) { $0.tracking = .limited }.kept[1])
  }

  @Test func `no usable frame is an error that says why`() throws {
    let capture = try SyntheticCapture { $0.frameCount = 2 }
    var scene = capture.scene
    for index in 0..<2 { scene.capture?.frames[index].tracking = .unavailable }
    #expect(
      throws: SelectFrames.Failure.noFrameLeft(count: 2, reason: "tracking was unavailable")
    ) { try SelectFrames(SelectFrames.Parameters()).run(scene, in: StageContext()) }
  }

  @Test func `few frames are chosen so that they see much`() throws {
    let capture = try SyntheticCapture {
      $0.frameCount = 30
      $0.size = SIMD2(80, 60)
      $0.samples = 1
    }
    let report = try Self.report(capture.scene) {
      $0.minimum = 0
      $0.maximum = 6
      $0.coverage = 1
    }
    #expect(report.kept.count { $0 } == 6)
    let surface = try ObservedSurface(capture.scene)
    let samples = SurfaceSamples(of: surface, count: 1000)
    func seen(_ frames: [Capture.Frame]) -> Int {
      Set(
        frames.flatMap {
          FrameObserver(Camera($0), looksAt: surface).views(of: samples).map(\.sample)
        }
      ).count
    }
    let chosen = seen(report.scene.capture?.frames ?? [])
    #expect(chosen > seen(Array(capture.frames.prefix(6))))
    #expect(Double(chosen) > 0.85 * Double(seen(capture.frames)))
  }

  @Test func `without faces frames are compared with their neighbours`() throws {
    let capture = try SyntheticCapture {
      $0.frameCount = 12
      $0.blurred = [5: 6]
    }
    var scene = capture.scene
    scene.meshes = []
    let report = try Self.report(scene)
    #expect(report.kept == (0..<12).map { $0 != 5 })
    let few = try Self.report(scene) { $0.maximum = 4 }
    #expect(few.kept.count { $0 } == 4)
  }
}

struct RelativeSharpnessTests {
  @Test func `median polish gives back the sharpness of frames`() {
    var generator = SeededGenerator(seed: 3)
    let subjects = (0..<400).map { _ in Float.random(in: -3...0, using: &generator) }
    let sharpness: [Float] = [0, 0, -1.2, 0, 0, -0.6, 0, 0, 0]
    let frames = sharpness.map { sharpness in
      (0..<400).filter { _ in Bool.random(using: &generator) }.map { sample in
        RelativeSharpness.Observation(
          sample: UInt32(sample),
          value: subjects[sample] + sharpness + .random(in: -0.3...0.3, using: &generator))
      }
    }
    let found = RelativeSharpness.polished(frames + [[]], sampleCount: 400)
    for (found, sharpness) in zip(found, sharpness) {
      #expect(abs((found ?? 9) - sharpness) < 0.12, "\(found ?? 9) \(sharpness)")
    }
    #expect(found.last == .some(nil))
  }

  @Test func `detail tells a blur from a lack of contrast`() {
    var generator = SeededGenerator(seed: 4)
    let noise = (0..<64 * 48).map { _ in Float.random(in: -1...1, using: &generator) }
    func picture(contrast: Float, blurred: Bool) -> PictureDetail {
      var values = noise
      if blurred {
        for index in 2..<values.count - 2 {
          values[index] = noise[index - 2...index + 2].reduce(0, +) / 5
        }
      }
      let pixels = values.flatMap { value in
        [UInt8](repeating: UInt8(128 + contrast * value), count: 3)
      }
      return PictureDetail(Image(width: 64, height: 48, pixels: pixels))
    }
    let sharp = picture(contrast: 100, blurred: false).median ?? 0
    let faint = picture(contrast: 40, blurred: false).median ?? 0
    let blurred = picture(contrast: 100, blurred: true).median ?? 0
    #expect(abs(sharp - faint) < 0.2)
    #expect(blurred < sharp - 0.8)
    #expect(PictureDetail(Image(width: 64, height: 48, filledWith: (90, 90, 90))).median == nil)
    #expect(PictureDetail(Image(width: 3, height: 2, filledWith: (0, 0, 0))).clippedShare == 1)
  }
}
