import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Rendering

struct FrameComparisonTests {
  /// A frame of a square that fills its picture, and the scene with the same picture as texture.
  private func fixture(
    in folder: TemporaryFolder, right: SIMD3<Double>, up: SIMD3<Double>
  ) throws -> (Capture.Frame, Scene) {
    let card = testCard(32, 32)
    let path = try folder.write("frame.png", PNG.encode(card))
    let frame = Capture.Frame(
      name: "a", image: .file(path), imageSize: SIMD2(32, 32),
      intrinsics: .init(focalLength: SIMD2(64, 64), principalPoint: SIMD2(16, 16)),
      pose: Transform(
        x: right, y: up, z: right.cross(up), translation: SIMD3(0.5, 0.5, 2)))
    return (frame, try texturedSquare(card))
  }

  @Test func `photograph, model and their difference stand side by side`() throws {
    let folder = try TemporaryFolder()
    let (frame, scene) = try fixture(in: folder, right: SIMD3(1, 0, 0), up: SIMD3(0, 1, 0))
    let renderer = try SceneRenderer(scene, style: .photographic)
    let comparison = FrameComparison(frame, largestSize: SIMD2(64, 64), showsDifference: true)
    let image = try comparison.picture(of: renderer).image
    #expect(image.size == SIMD2(3 * 32 + 4, 32))
    let card = testCard(32, 32)
    for y in 1..<31 {
      for x in 1..<31 {
        #expect(image.color(x, y) == card.color(x, y))
        #expect(difference(image.color(34 + x, y), card.color(x, y)) <= 3)
        #expect(image.color(68 + x, y).max() <= 6)
      }
    }
  }

  @Test(
    arguments: [
      (SIMD3(1.0, 0, 0), SIMD3(0.0, 1, 0), 0), (SIMD3(0, 1, 0), SIMD3(-1, 0, 0), 1),
      (SIMD3(-1, 0, 0), SIMD3(0, -1, 0), 2), (SIMD3(0, -1, 0), SIMD3(1, 0, 0), 3),
    ])
  func `a camera held on its side gives an upright picture`(
    right: SIMD3<Double>, up: SIMD3<Double>, turns: Int
  ) throws {
    let folder = try TemporaryFolder()
    let (frame, scene) = try fixture(in: folder, right: right, up: up)
    let comparison = FrameComparison(frame, largestSize: SIMD2(64, 64))
    #expect(comparison.turns(in: .arkit) == turns)
    let image = try comparison.picture(of: SceneRenderer(scene, style: .photographic)).image
    // The model is upright whichever way the camera was held.
    let card = testCard(32, 32)
    for (x, y) in [(4, 4), (27, 5), (6, 26)] {
      #expect(difference(image.color(34 + x, y), card.color(x, y)) <= 3)
    }
  }

  @Test func `where up is unknown the photograph stays as it is stored`() throws {
    let folder = try TemporaryFolder()
    let (frame, scene) = try fixture(in: folder, right: SIMD3(0, 1, 0), up: SIMD3(-1, 0, 0))
    let comparison = FrameComparison(frame, largestSize: SIMD2(64, 64), turnsUpright: false)
    let image = try comparison.picture(of: SceneRenderer(scene, style: .photographic)).image
    let card = testCard(32, 32)
    for (x, y) in [(4, 4), (27, 5), (6, 26)] {
      #expect(image.color(x, y) == card.color(x, y))
      // The camera is turned by a quarter, and so is its model.
      #expect(difference(image.color(34 + 31 - y, x), card.color(x, y)) <= 3)
    }
  }

  @Test func `pictures are shrunk in linear light to fit`() throws {
    let folder = try TemporaryFolder()
    var (frame, scene) = try fixture(in: folder, right: SIMD3(1, 0, 0), up: SIMD3(0, 1, 0))
    let pixels = (0..<32 * 32).flatMap { [UInt8](repeating: $0 % 2 == 0 ? 255 : 0, count: 3) }
    let stripes = Image(width: 32, height: 32, pixels: pixels)
    frame.image = .file(try folder.write("stripes.png", PNG.encode(stripes)))
    scene.textures = []
    scene.materials[0].baseColorTexture = nil
    #expect(stripes.shrunk(to: SIMD2(16, 16)).color(3, 3) == SIMD3(188, 188, 188))
    let third = stripes.shrunk(to: SIMD2(10, 32)).pixels.map(Int.init)
    #expect((third.min() ?? 0) > 130 && (third.max() ?? 0) < 225)
    let comparison = FrameComparison(frame, largestSize: SIMD2(20, 10))
    let image = try comparison.picture(of: SceneRenderer(scene)).image
    #expect(image.size == SIMD2(22, 10))
  }

  @Test func `frames are found by name, by file and by number`() {
    let frames = ["7", "b"].map {
      Capture.Frame(
        name: $0, image: .file("room/images/\($0).jpg"), imageSize: SIMD2(1, 1),
        intrinsics: .init(focalLength: SIMD2(1, 1), principalPoint: SIMD2(0, 0)), pose: .identity)
    }
    let capture = Capture(frames: frames)
    #expect(capture.frame("7")?.name == "7" && capture.frame("1")?.name == "b")
    #expect(capture.frame("b")?.name == "b")
    #expect(capture.frame("b.jpg")?.name == "b" && capture.frame("images/7.jpg")?.name == "7")
    #expect(capture.frame(".jpg") == nil && capture.frame("") == nil)
    #expect(capture.frame("2") == nil && capture.frame("-1") == nil && capture.frame("c") == nil)
  }
}
