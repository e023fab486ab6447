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

  private static func surveyed(_ code: String) -> Scene {
    var scene = Scene(coordinateSystem: .blender)
    scene.origin = SIMD3(392_000, 5_820_000, 0)
    scene.survey = Survey()
    scene.survey?.referenceSystem = ReferenceSystem()
    scene.survey?.referenceSystem?.code = code
    return scene
  }

  @Test func `the place on a map stays with programs that don't know of it, and is theirs to say`()
    throws
  {
    var original = Self.surveyed("EPSG:25833")
    original.survey?.sourceID = 7
    func joined(_ change: (inout Scene) -> Void, knowing: Bool) throws -> Scene {
      var result = knowing ? original : Scene(coordinateSystem: original.coordinateSystem)
      change(&result)
      return try PluginResult.joined(result, with: .init(original))
    }
    // Without a word of it, or as it was.
    for knowing in [false, true] {
      let same = try joined({ _ in }, knowing: knowing)
      #expect(same.origin == original.origin && same.survey == original.survey)
    }
    // Moved on the same map, and to another one.
    let place = SIMD3(393_000.0, 5_820_000, 0)
    let moved = try joined({ $0.origin = place }, knowing: true)
    #expect(moved.origin == place && moved.survey == original.survey)
    #expect(try joined({ $0.origin = place }, knowing: false).survey == nil)
    let other = Self.surveyed("EPSG:25832").survey
    let renamed = try joined({ $0.survey = other }, knowing: true).survey
    #expect(renamed?.referenceSystem?.code == "EPSG:25832" && renamed?.sourceID == 7)
    #expect(
      try PluginResult.joined(
        Scene(coordinateSystem: .blender), givingOrigin: true, with: .init(original)
      ).origin == .zero)
    // On no map any more.
    let off = try joined({ $0.survey?.referenceSystem = nil }, knowing: true)
    #expect(off.survey?.referenceSystem == nil && off.survey?.sourceID == 7)
    // In other axes, with and without the origin.
    let turned = try joined({ $0.coordinateSystem = .arkit }, knowing: true)
    #expect(turned.survey?.referenceSystem?.isLeft == true)
    let all = try joined({ $0.convert(to: .arkit) }, knowing: true)
    #expect(all.survey?.referenceSystem?.isLeft == false)
    #expect(all.origin == SIMD3(392_000, 0, -5_820_000))
  }
}
