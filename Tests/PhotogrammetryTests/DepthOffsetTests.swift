import MeshPipeline
import MeshTestSupport
import Testing

@testable import Photogrammetry

/// How far a mesh lies from its depth maps.
struct DepthOffsetTests {
  /// A square of 2 m that fills the left half of a depth map from 1 m away.
  private func scene(
    depth: (left: Float, right: Float), in folder: TemporaryFolder
  ) throws -> Scene {
    let (width, height) = (64, 48)
    let meters = (0..<width * height).map { $0 % width < width / 2 ? depth.left : depth.right }
    let path = try folder.write("depth.bin", meters.withUnsafeBytes { [UInt8]($0) })
    let mesh = Mesh(
      positions: [
        Vector3(-2, -1, 0), Vector3(0, -1, 0), Vector3(0, 1, 0), Vector3(-2, 1, 0),
      ], indices: [0, 1, 2, 0, 2, 3])
    var scene = Scene(meshes: [mesh])
    scene.capture = Capture(frames: [
      Capture.Frame(
        name: "a", image: .file("/nowhere.png"), imageSize: SIMD2(width, height),
        intrinsics: .init(focalLength: SIMD2(32, 32), principalPoint: SIMD2(32, 24)),
        pose: Transform(translation: SIMD3(0, 0, 1)),
        depth: .init(path: path, encoding: .float32(width: width, height: height)))
    ])
    return scene
  }

  @Test(arguments: [1, 4] as [Float])
  func `what lies beside the mesh does not count`(background: Float) throws {
    let folder = try TemporaryFolder()
    let offset = try #require(DepthOffset(scene(depth: (1.03, background), in: folder)))
    #expect(abs(offset.median - 0.03) < 1e-5)
    #expect(abs(offset.depth - 1.03) < 1e-5)
    // 30 mm are more than 1 cm and 1 % of 1 m, but less than 1 cm and 1 % of 4 m.
    #expect(offset.isContradiction)
  }

  @Test func `depths that miss the mesh tell nothing`() throws {
    let folder = try TemporaryFolder()
    var scene = try scene(depth: (1, 1), in: folder)
    scene.capture?.frames[0].pose.translation.x = 10
    #expect(DepthOffset(scene) == nil)
  }

  @Test(
    arguments: [
      // Half of the depths are on the mesh, or none is, since they are 3 cm off; 8 m are out of reach.
      (SIMD2(1, 1), 0.5), (SIMD2(1.005, 4), 0.5), (SIMD2(1.03, 1), 0), (SIMD2(1, 8), 1),
    ] as [(SIMD2<Float>, Double)])
  func `depths and surface cover each other in part`(
    depth: SIMD2<Float>, onSurface: Double
  ) throws {
    let folder = try TemporaryFolder()
    let coverage = try #require(
      DepthCoverage(scene(depth: (depth.x, depth.y), in: folder)))
    #expect(coverage.depthsOnSurface == onSurface)
    // The camera sees 1 m by 1.5 m of the square.
    #expect(abs(coverage.surfaceMeasured - 0.375) < 0.01)
  }
}
