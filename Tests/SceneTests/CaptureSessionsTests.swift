import MeshTestSupport
import MeshpipeScene
import Testing

/// Captures that become sessions of one.
struct CaptureSessionsTests {
  private static func capture(at x: Double) -> Capture {
    let intrinsics = Capture.Intrinsics(
      focalLength: SIMD2(50, 50), principalPoint: SIMD2(32, 24))
    func pose(_ index: Int) -> Transform { Transform(translation: SIMD3(x, 0, Double(index))) }
    var capture = Capture()
    for index in 0..<2 {
      var frame = Capture.Frame(
        name: "frame_\(index)", image: .file("\(index).jpg"), imageSize: SIMD2(64, 48),
        intrinsics: intrinsics, pose: pose(index), timestamp: Double(index))
      frame.depth = Capture.DepthSource(
        path: "\(index).png", encoding: .png16(metersPerUnit: 0.001))
      capture.frames.append(frame)
    }
    capture.depthFrames = [
      Capture.DepthFrame(
        name: "depth", depth: Capture.DepthSource(path: "d.png", encoding: .exr),
        imageSize: SIMD2(64, 48), intrinsics: intrinsics, pose: pose(2), timestamp: 0.5)
    ]
    return capture
  }

  @Test func `frames keep their session, and depth maps its order`() throws {
    var (east, west) = (Self.capture(at: 0), Self.capture(at: 3))
    east.become(session: 0, of: ["east", "west"])
    west.become(session: 1, of: ["east", "west"])
    var scene = Scene(capture: east)
    scene.append(Scene(capture: west))
    let joined = try #require(scene.capture)
    #expect(joined.sessions == ["east", "west"])
    #expect(
      joined.frames.map(\.name)
        == ["east/frame_0", "east/frame_1", "west/frame_0", "west/frame_1"])
    #expect(joined.frames.map(\.session) == [0, 0, 1, 1])
    #expect(
      joined.allDepthFrames.map(\.name) == [
        "east/frame_0", "east/depth", "east/frame_1", "west/frame_0", "west/depth", "west/frame_1",
      ])
    #expect(joined.allDepthFrames.map(\.session) == [0, 0, 0, 1, 1, 1])
  }

  @Test func `a copy is the same recording, and another walk is not`() {
    let capture = Self.capture(at: 0)
    var copy = capture
    copy.frames[0].image = .file("copy/0.jpg")
    #expect(capture.isSameRecording(as: copy))
    #expect(!capture.isSameRecording(as: Self.capture(at: 3)))
    copy.frames.removeLast()
    #expect(!capture.isSameRecording(as: copy))
  }

  @Test func `frames of another coordinate system and origin are where the first has them`() {
    let first = Scene(capture: Self.capture(at: 0))
    var second = Scene(capture: Self.capture(at: 3))
    second.convert(to: CoordinateSystem.arkit.with(up: .z))
    second.origin = SIMD3(0, 0, 10)
    var joined = first
    joined.append(second)
    let place = joined.capture?.frames[3].pose.translation ?? .zero
    #expect((place - SIMD3(3, 10, 1)).length < 1e-9, "\(place)")
  }
}
