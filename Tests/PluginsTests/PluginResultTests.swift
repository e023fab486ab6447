import MeshPipeline
import Testing

@testable import Plugins

struct PluginResultTests {
  private static let intrinsics = Capture.Intrinsics(
    focalLength: SIMD2(50, 50), principalPoint: SIMD2(32, 24))

  private static let frame = Capture.Frame(
    name: "a", image: .file("a.jpg"), imageSize: SIMD2(64, 48), intrinsics: intrinsics,
    pose: .identity)

  private static let depthFrame = Capture.DepthFrame(
    name: "b", depth: .init(path: "b.png", encoding: .exr), imageSize: SIMD2(64, 48),
    intrinsics: intrinsics, pose: .identity)

  @Test func `depth maps alone stay with the frames until a plugin moves them`() throws {
    let capture = Capture(frames: [Self.frame], depthFrames: [Self.depthFrame])
    #expect(
      try PluginResult.joined(Scene(), with: .init(Scene(capture: capture))).capture == capture)
    let sent = Capture(frames: capture.frames)
    #expect(
      try PluginResult.joined(Scene(capture: sent), with: .init(Scene(capture: capture))).capture
        == capture)
    var moved = sent
    moved.frames[0].pose.translation = SIMD3(1, 0, 0)
    #expect(
      try PluginResult.joined(Scene(capture: moved), with: .init(Scene(capture: capture))).capture
        == moved)
  }
}
