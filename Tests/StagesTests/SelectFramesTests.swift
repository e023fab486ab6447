import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Photogrammetry
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
    #expect(reason.contains("blown out or black, but the only one to see"), "\(reason)")
    #expect(scene.capture?.frames.last?.name == "frame_00007")
  }

  @Test func `depth maps of dropped frames stay unless tracking was poor`() throws {
    let capture = try SyntheticCapture {
      $0.frameCount = 6
      $0.depthSize = SIMD2(32, 24)
    }
    var scene = capture.scene
    scene.capture?.frames[1].tracking = .limited
    let report = try Self.report(scene) {
      ($0.minimumFrames, $0.maximumFrames, $0.minimumGain) = (2, 2, 1)
    }
    let dropped = zip(scene.capture?.frames ?? [], report.kept).filter { !$1 }.map { $0.0.name }
    #expect(dropped.count > 2 && dropped.contains("frame_00001"))
    #expect(
      report.scene.capture?.depthFrames.map(\.name) == dropped.filter { $0 != "frame_00001" })
    withExtendedLifetime(capture) {}
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
    #expect(report.reasons[2] == "from the same place as 'frame_00008'")
    #expect(report.reasons[9] == "from the same place as 'frame_00005'")
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
      $0.minimumFrames = 0
      $0.maximumFrames = 6
      $0.views = 1
    }
    #expect(report.kept.count { $0 } == 6)
    let surface = try ObservedSurface(capture.scene)
    let samples = SurfaceSamples(of: surface, count: 1000)
    func seen(_ frames: [Capture.Frame]) -> Int {
      Set(
        frames.flatMap {
          FrameObserver(Camera($0), observing: surface).views(of: samples).map(\.sample)
        }
      ).count
    }
    let chosen = seen(report.scene.capture?.frames ?? [])
    #expect(chosen > seen(Array(capture.frames.prefix(6))))
    #expect(Double(chosen) > 0.84 * Double(seen(capture.frames)))
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
    let few = try Self.report(scene) { $0.maximumFrames = 4 }
    #expect(few.kept.count { $0 } == 4)
  }
}

struct RelativeSharpnessTests {
  /// The brightness of a plane: soft edges, at right angles to each other, two pixels wide at a scale of 1.
  static func brightness(_ x: Double, _ y: Double) -> Double {
    128 + 50 * tanh(3 * sin(x / 2.5)) + 50 * tanh(3 * sin(y / 2.3))
  }

  /// The plane from above, at a scale across and a scale down.
  ///
  /// - Parameter motion: How many pixels the camera moves across during the exposure.
  static func picture(
    scale: SIMD2<Double> = SIMD2(1, 1), motion: Int = 0, contrast: Double = 1
  ) -> Image {
    let shifts = (0...motion).map { Double($0) - Double(motion) / 2 }
    let pixels = (0..<120).flatMap { y in
      (0..<160).flatMap { x in
        let mean =
          shifts.reduce(0) { sum, shift in
            sum + brightness((Double(x) + 0.5 + shift) / scale.x, (Double(y) + 0.5) / scale.y)
          } / Double(shifts.count)
        return [UInt8](repeating: UInt8(128 + contrast * (mean - 128)), count: 3)
      }
    }
    return Image(width: 160, height: 120, pixels: pixels)
  }

  /// What such a picture shows at points of the plane that all pictures of these tests show.
  static func observations(
    scale: SIMD2<Double> = SIMD2(1, 1), motion: Int = 0
  ) -> [RelativeSharpness.Observation] {
    let picture = SmoothedImage(picture(scale: scale, motion: motion))
    let axes = (first: SIMD2(Float(scale.x), 0), second: SIMD2(0, Float(scale.y)))
    var observations: [RelativeSharpness.Observation] = []
    for y in stride(from: 18, to: 48, by: 3) {
      for x in stride(from: 18, to: 66, by: 3) {
        let place = SIMD2(Double(x), Double(y)) * scale / SIMD2(160, 120)
        guard let detail = picture.detail(at: SIMD2<Float>(place)) else { continue }
        observations.append(.init(sample: UInt32(100 * y + x), axes: axes, detail: detail))
      }
    }
    return observations
  }

  @Test func `a near and a slanting frame are as sharp as others, a moved one is not`() throws {
    let frames = [
      Self.observations(), Self.observations(motion: 6), Self.observations(),
      Self.observations(scale: SIMD2(2, 2)), Self.observations(scale: SIMD2(2.1, 2.1)),
      Self.observations(scale: SIMD2(1.9, 1.9)), Self.observations(scale: SIMD2(0.8, 1)), [],
    ]
    let found = RelativeSharpness.relativeToPeers(frames, sampleCount: 10_000)
    for index in [0, 2, 3, 4, 5, 6] {
      #expect(try abs(#require(found[index])) < 0.25, "\(index): \(found)")
    }
    #expect(try #require(found[1]) < -0.5, "\(found)")
    #expect(found[7] == nil)
  }

  @Test func `motion widens the edges across it, whatever the contrast`() throws {
    func widths(_ image: Image) throws -> (across: Float, down: Float) {
      let detail = try #require(SmoothedImage(image).detail(at: SIMD2(0.5, 0.5)))
      return try (
        #require(detail.squaredWidth(along: SIMD2(1, 0))).squareRoot(),
        #require(detail.squaredWidth(along: SIMD2(0, 1))).squareRoot()
      )
    }
    let sharp = try widths(Self.picture())
    let faint = try widths(Self.picture(contrast: 0.4))
    let moved = try widths(Self.picture(motion: 6))
    #expect(abs(faint.across / sharp.across - 1) < 0.05)
    #expect(moved.across > 1.4 * sharp.across)
    #expect(abs(moved.down / sharp.down - 1) < 0.05)
    let plain = SmoothedImage(Image(width: 64, height: 48, filledWith: (90, 90, 90)))
    #expect(try #require(plain.detail(at: SIMD2(0.5, 0.5))).squaredWidth(along: SIMD2(1, 0)) == nil)
    #expect(SmoothedImage(Image(width: 3, height: 2, filledWith: (0, 0, 0))).clippedShare == 1)
  }

  @Test func `a soft edge has the width that its profile has`() throws {
    // For a Gaussian profile the ratio of the derivatives' energies is twice its variance, to which
    // smoothing adds half a pixel's and differences of neighbours add a little more.
    let deviation = 3.0
    var code = 20.0
    let profile = (0..<64).map { x in
      let offset = (Double(x) - 31.5) / deviation
      code += 70 * exp(-offset * offset / 2) / deviation
      return UInt8(min(code.rounded(), 255))
    }
    let pixels = (0..<48).flatMap { _ in profile.flatMap { [$0, $0, $0] } }
    let picture = SmoothedImage(Image(width: 64, height: 48, pixels: pixels))
    let detail = try #require(picture.detail(atColumn: 31, row: 24, reach: 16))
    let width = try #require(detail.squaredWidth(along: SIMD2(1, 0)))
    #expect(abs(Double(width) / (2 * (deviation * deviation + 0.75)) - 1) < 0.15, "\(width)")
  }
}
