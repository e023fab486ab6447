import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Rendering

/// Whether a model looks like the photographs it was made from.
struct PhotographAgreementTests {
  /// A square with a picture as its texture, in a frame that shows another picture of the same size.
  private func agreement(
    of model: Image, with photograph: Image, distance: Double = 2, in folder: TemporaryFolder
  ) throws -> PhotographAgreement {
    let path = try folder.write("frame.png", PNG.encode(photograph))
    let size = Double(photograph.width)
    var scene = try texturedSquare(model)
    scene.capture = Capture(frames: [
      Capture.Frame(
        name: "a", image: .file(path), imageSize: photograph.size,
        intrinsics: .init(
          focalLength: SIMD2(2 * size, 2 * size), principalPoint: SIMD2(size / 2, size / 2)),
        pose: Transform(translation: SIMD3(0.5, 0.5, distance)))
    ])
    return try PhotographAgreement(scene)
  }

  /// Squares of 4 pixels, dark and light, in a colour that a factor makes darker.
  private func squares(shifted: Int = 0, times factor: Double = 1) -> Image {
    let size = 64
    let pixels = (0..<size * size).flatMap { pixel -> [UInt8] in
      let (x, y) = (pixel % size + shifted, pixel / size)
      let light = ((x / 4 + y / 4) % 2 == 0 ? 0.1 : 0.7) * factor
      return [UInt8](
        repeating: UInt8((255 * SRGBTable.encoded(ofLinear: light)).rounded()), count: 3)
    }
    return Image(width: size, height: size, pixels: pixels)
  }

  @Test func `a model with the photograph as its texture agrees, however bright`() throws {
    let folder = try TemporaryFolder()
    let same = try agreement(of: squares(), with: squares(), in: folder)
    #expect(same.similarity > 0.97)
    #expect(abs(same.views[0].brightness - 1) < 0.02)
    #expect(same.coveredShare > 0.97)
    let darker = try agreement(of: squares(times: 0.5), with: squares(), in: folder)
    #expect(darker.similarity > 0.95)
    #expect(abs(darker.views[0].brightness - 0.5) < 0.03)
  }

  @Test func `grey, and what is elsewhere, does not agree`() throws {
    let folder = try TemporaryFolder()
    let grey = Image(width: 64, height: 64, filledWith: (128, 128, 128))
    #expect(try agreement(of: grey, with: squares(), in: folder).similarity < 0.1)
    #expect(try agreement(of: squares(shifted: 4), with: squares(), in: folder).similarity < 0)
  }

  @Test(arguments: [
    ([0.5, 0.4, 0.9, 0.9, 0.8, 0.95, 0.9, 0.92], [0, 1]),
    // A single one may be an accident, blurred photographs agree less, and textures differ.
    ([0.5, 0.9, 0.9, 0.9, 0.8, 0.95, 0.9, 0.92], []),
    ([0.7, 0.72, 0.9, 0.9, 0.8, 0.95, 0.9, 0.92], []),
    ([0.4, 0.42, 0.5, 0.45, 0.48, 0.4, 0.44, 0.5], []),
    ([], []),
  ])
  func `photographs that look far less like the model than others are found`(
    similarities: [Double], stray: [Int]
  ) {
    func agreement(_ covered: Double) -> PhotographAgreement {
      PhotographAgreement(
        views: similarities.enumerated().map { index, similarity in
          .init(
            name: "\(index)", similarity: similarity,
            coveredShare: stray.contains(index) ? covered : 1, brightness: 1)
        })
    }
    #expect(agreement(0.8).stray.map(\.name) == stray.map(String.init))
    // A model of which only the edge is in them does not tell.
    #expect(agreement(0.1).stray.isEmpty)
  }

  @Test func `a model of some pixels is not compared`() throws {
    let folder = try TemporaryFolder()
    let near = try agreement(of: squares(), with: squares(), distance: 4, in: folder)
    #expect(near.views.count == 1)
    // Its 10 pixels fill half of no window.
    let far = try agreement(of: squares(), with: squares(), distance: 40, in: folder)
    #expect(far.views.isEmpty)
  }

  @Test func `masked parts are not compared`() throws {
    let folder = try TemporaryFolder()
    let hidden = (0..<64).flatMap { _ in (0..<64).map { $0 < 32 } }
    var photograph = squares()
    for pixel in hidden.indices where hidden[pixel] {
      photograph.pixels.replaceSubrange(3 * pixel..<3 * pixel + 3, with: [200, 0, 0])
    }
    let black = hidden.flatMap { [UInt8](repeating: $0 ? 0 : 255, count: 3) }
    let mask = try folder.write(
      "mask.png", PNG.encode(Image(width: 64, height: 64, pixels: black)))
    let path = try folder.write("frame.png", PNG.encode(photograph))
    var scene = try texturedSquare(squares())
    var frame = Capture.Frame(
      name: "a", image: .file(path), imageSize: photograph.size,
      intrinsics: .init(focalLength: SIMD2(128, 128), principalPoint: SIMD2(32, 32)),
      pose: Transform(translation: SIMD3(0.5, 0.5, 2)))
    scene.capture = Capture(frames: [frame])
    #expect(try PhotographAgreement(scene).similarity < 0.8)
    frame.masks = [Capture.MaskSource(path: mask)]
    scene.capture = Capture(frames: [frame])
    #expect(try PhotographAgreement(scene).similarity > 0.95)
  }

  @Test func `without a frame that can be read nothing is compared`() throws {
    var scene = try texturedSquare(squares())
    scene.capture = Capture(frames: [
      Capture.Frame(
        name: "a", image: .file("/nowhere.png"), imageSize: SIMD2(64, 64),
        intrinsics: .init(focalLength: SIMD2(128, 128), principalPoint: SIMD2(32, 32)),
        pose: .identity)
    ])
    let agreement = try PhotographAgreement(scene)
    #expect(agreement.views.isEmpty && agreement.similarity == 0)
  }
}
