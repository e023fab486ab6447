import MeshPipeline
import Testing

@testable import Photogrammetry

struct PoseDriftTests {
  private static let up = SIMD3<Double>(0, 1, 0)

  private static func frame(at time: Double?, _ pose: Transform = .identity) -> Capture.Frame {
    Capture.Frame(
      name: "frame", image: .file("frame.jpg"), imageSize: SIMD2(640, 480),
      intrinsics: intrinsics, pose: pose, timestamp: time)
  }

  private static let intrinsics = Capture.Intrinsics(
    focalLength: SIMD2(500, 500), principalPoint: SIMD2(320, 240))

  private static func depthFrame(
    at time: Double?, _ pose: Transform = .identity
  ) -> Capture.DepthFrame {
    Capture.DepthFrame(
      name: "depth", depth: Capture.DepthSource(path: "d.png", encoding: .png16(metersPerUnit: 1)),
      imageSize: SIMD2(640, 480), intrinsics: intrinsics, pose: pose, timestamp: time)
  }

  /// A camera that was found 4 cm to the right and turned by 0.04 rad at 2 s, and right at 0 s.
  private static func drift(mirrored: Bool = false) -> PoseDrift {
    let mirror = Transform(scale: SIMD3(mirrored ? -1 : 1, 1, 1))
    let turned = Transform(rotationAbout: up, by: 0.04)
    var refined = turned * mirror
    refined.translation = SIMD3(1.04, 2, 3)
    var recorded = mirror
    recorded.translation = SIMD3(1, 2, 3)
    return PoseDrift(of: [
      (frame(at: 2, recorded), refined), (frame(at: nil), Transform(translation: SIMD3(9, 9, 9))),
      (frame(at: .nan), Transform(translation: SIMD3(9, 9, 9))), (frame(at: 0), .identity),
    ])
  }

  @Test(
    arguments: [(-5, 0), (0, 0), (0.5, 0.25), (1, 0.5), (2, 1), (30, 1)] as [(Double, Double)],
    [false, true])
  func `corrections grow with time between frames`(
    entry: (time: Double, part: Double), mirrored: Bool
  ) {
    var pose = Transform(rotationAbout: SIMD3(1, 2, 3), by: 0.7)
    pose.translation = SIMD3(-4, 0, 1)
    var frames = [Self.depthFrame(at: entry.time, pose)]
    let count = Self.drift(mirrored: mirrored).correct(&frames)
    #expect(count == (entry.part > 0 ? 1 : 0))
    let expected = Transform(rotationAbout: Self.up, by: 0.04 * entry.part) * pose
    let moved = frames[0].pose
    #expect((moved.x - expected.x).length < 1e-12)
    #expect((moved.y - expected.y).length < 1e-12)
    #expect((moved.z - expected.z).length < 1e-12)
    let shift = moved.translation - pose.translation
    #expect((shift - SIMD3(0.04 * entry.part, 0, 0)).length < 1e-12)
  }

  @Test func `without a time there is no correction`() {
    let frames = [Self.depthFrame(at: nil), Self.depthFrame(at: .infinity)]
    var corrected = frames
    #expect(Self.drift().correct(&corrected) == 0)
    #expect(corrected == frames)
    var timed = [Self.depthFrame(at: 1)]
    #expect(PoseDrift(of: []).correct(&timed) == 0)
    #expect(timed == [Self.depthFrame(at: 1)])
  }
}
