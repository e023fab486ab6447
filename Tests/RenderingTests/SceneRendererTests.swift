import MeshPipeline
import MeshTestSupport
import Testing

@testable import Rendering

struct SceneRendererTests {
  static let plain = RenderStyle(shading: .unlit)

  @Test(arguments: [1, 4])
  func `a textured square seen straight on gives its texels at their pixels`(samples: Int) throws {
    let card = testCard(16, 12)
    let renderer = try SceneRenderer(texturedSquare(card), style: Self.plain)
    // The square, 1 wide and high, from 2 away: 16 pixels across are a focal length of 32.
    let pose = camera(at: SIMD3(0.5, 0.5, 2), size: SIMD2(16, 16), focalLength: 32)
    let picture = try renderer.picture(from: pose, samples: samples).image
    for y in stride(from: 1, to: 15, by: 1) {
      for x in 1..<15 {
        // Rows of the picture are 3/4 of a texel high.
        let row = (Double(y) + 0.5) * 12 / 16 - 0.5
        let (above, below) = (Int(row.rounded(.down)), Int(row.rounded(.up)))
        let (first, second) = (card.color(x, max(above, 0)), card.color(x, min(below, 11)))
        let low = first.replacing(with: second, where: second .< first)
        let high = first.replacing(with: second, where: second .> first)
        let seen = picture.color(x, y)
        #expect(
          all(seen .>= low &- 8) && all(seen .<= high &+ 8),
          "\(x), \(y): \(seen), \(low) to \(high)")
      }
    }
  }

  @Test func `edges are lines of a pixel`() throws {
    let card = testCard(16, 16)
    var style = Self.plain
    let pose = camera(at: SIMD3(0.5, 0.5, 2), size: SIMD2(64, 64), focalLength: 128)
    func picture() throws -> Image {
      try SceneRenderer(texturedSquare(card), style: style).picture(from: pose, samples: 4).image
    }
    let plain = try picture()
    style.showsEdges = true
    let drawn = try picture()
    let changed = (0..<64 * 64).filter {
      plain.color($0 % 64, $0 / 64) != drawn.color($0 % 64, $0 / 64)
    }
    // The square's sides are at the border of the picture, half a line inside; the diagonal crosses it.
    let inside = changed.filter { (2..<62).contains($0 % 64) && (2..<62).contains($0 / 64) }
    #expect((60...3 * 60).contains(inside.count))
    #expect(inside.allSatisfy { abs($0 % 64 - $0 / 64) <= 1 || abs($0 % 64 + $0 / 64 - 63) <= 1 })
  }

  @Test func `one texel a pixel is the image itself`() throws {
    let card = testCard(16, 16)
    let renderer = try SceneRenderer(texturedSquare(card), style: Self.plain)
    let pose = camera(at: SIMD3(0.5, 0.5, 2), size: SIMD2(16, 16), focalLength: 32)
    let picture = try renderer.picture(from: pose, samples: 1)
    for y in 0..<16 {
      for x in 0..<16 {
        #expect(difference(picture.image.color(x, y), card.color(x, y)) <= 1, "\(x), \(y)")
      }
    }
    #expect(picture.coverage.allSatisfy { $0 == 255 })
  }

  @Test func `far away a texture is the mean of its light`() throws {
    let pixels = (0..<64 * 64).flatMap { index -> [UInt8] in
      let isWhite = (index % 64 + index / 64) % 2 == 0
      return [UInt8](repeating: isWhite ? 255 : 0, count: 3)
    }
    let board = Image(width: 64, height: 64, pixels: pixels)
    let renderer = try SceneRenderer(texturedSquare(board), style: Self.plain)
    let pose = camera(at: SIMD3(0.5, 0.5, 2), size: SIMD2(4, 4), focalLength: 8)
    let picture = try renderer.picture(from: pose).image
    // Half of the light is code 188, not 128.
    for pixel in 0..<16 {
      #expect(difference(picture.color(pixel % 4, pixel / 4), SIMD3(188, 188, 188)) <= 2)
    }
  }

  @Test func `a plane in perspective ends at the pixels that arithmetic says`() throws {
    // A floor from 1 to 3 metres in front of a camera 1 metre above it.
    var mesh = Mesh(positions: [
      Vector3(-1, 0, -1), Vector3(1, 0, -1), Vector3(1, 0, -3), Vector3(-1, 0, -3),
    ])
    mesh.indices = [0, 1, 2, 0, 2, 3]
    let renderer = try SceneRenderer(Scene(meshes: [mesh]), style: Self.plain)
    let pose = camera(at: SIMD3(0, 1, 0), size: SIMD2(200, 200), focalLength: 60)
    let picture = try renderer.picture(from: pose)
    let depths = renderer.depths(from: pose)
    // Row 100 + 60 / z: the near edge is row 160, the far one row 120, where half of it is 20 wide.
    func isCovered(_ x: Int, _ y: Int) -> Bool { picture.coverage[y * 200 + x] == 255 }
    #expect(isCovered(100, 159) && !isCovered(100, 160))
    #expect(isCovered(100, 120) && !isCovered(100, 119))
    #expect(isCovered(80, 120) && !isCovered(78, 120))
    #expect(isCovered(41, 159) && !isCovered(39, 159))
    #expect(isCovered(158, 159) && !isCovered(160, 159))
    for row in 121..<159 {
      let expected = 60 / (Float(row) + 0.5 - 100)
      #expect(abs(depths.meters[row * 200 + 100] - expected) < 1e-4)
    }
    #expect(depths.meters[100 * 200 + 100] == 0)
  }

  @Test func `a lens that bends shows a point where it projects to`() throws {
    let bent = Capture.Distortion.radialTangential(
      numerator: SIMD3(-0.2, 0.05, 0), denominator: .zero, tangential: SIMD2(0.002, -0.001))
    let pose = camera(
      at: SIMD3(0.5, 0.5, 1), size: SIMD2(160, 120), focalLength: 90, distortion: bent)
    // Each quarter of the square has a colour; their common corner is at (0.8, 0.7).
    var mesh = Mesh(positions: [
      Vector3(0, 0, 0), Vector3(0.8, 0, 0), Vector3(0.8, 0.7, 0), Vector3(0, 0.7, 0),
    ])
    mesh.indices = [0, 1, 2, 0, 2, 3]
    let renderer = try SceneRenderer(Scene(meshes: [mesh]), style: Self.plain)
    let corner = try #require(pose.project(SIMD3(0.8, 0.7, 0)))
    let picture = try renderer.picture(from: pose, samples: 1)
    let (x, y) = (Int(corner.x), Int(corner.y))
    func isCovered(_ x: Int, _ y: Int) -> Bool { picture.coverage[y * 160 + x] == 255 }
    #expect(isCovered(x - 1, y + 1) && !isCovered(x + 1, y + 1) && !isCovered(x - 1, y - 1))
  }

  @Test func `fronts, backs or both are seen`() throws {
    let scene = Scene(meshes: [squareMesh()])
    let before = camera(at: SIMD3(0.5, 0.5, 2), size: SIMD2(8, 8), focalLength: 8)
    let behind = camera(
      at: SIMD3(0.5, 0.5, -2), size: SIMD2(8, 8), focalLength: 8, right: SIMD3(-1, 0, 0))
    for (sides, seen) in [
      (RenderStyle.Sides.both, [true, true]), (.front, [true, false]), (.back, [false, true]),
    ] {
      let renderer = try SceneRenderer(scene, style: RenderStyle(sides: sides))
      for (pose, isSeen) in zip([before, behind], seen) {
        let depth = renderer.depths(from: pose).meters[4 * 8 + 4]
        #expect((abs(depth - 2) < 1e-5) == isSeen)
        #expect((try renderer.picture(from: pose).coverage[4 * 8 + 4] == 255) == isSeen)
      }
    }
  }

  @Test func `a room is opened, a box is not`() throws {
    var room = MeshFixtures.cube
    #expect(try !SceneRenderer(Scene(meshes: [room])).isOpened)
    room.flipWinding()
    #expect(try SceneRenderer(Scene(meshes: [room])).isOpened)
  }

  @Test func `any number of threads gives the same picture`() throws {
    let scene = Scene(meshes: [squareMesh()])
    let pose = camera(at: SIMD3(0.4, 0.3, 2), size: SIMD2(30, 20), focalLength: 20)
    let one = try Parallel.withThreads(1) { try SceneRenderer(scene).picture(from: pose) }
    let three = try Parallel.withThreads(3) { try SceneRenderer(scene).picture(from: pose) }
    #expect(one == three)
  }

  @Test func `an empty scene is told`() {
    #expect(throws: EmptyScene()) { try SceneRenderer(Scene(meshes: [Mesh()])) }
  }

  @Test func `a texture that can't be decoded is told, and its faces are shown`() throws {
    var scene = try texturedSquare(testCard(4, 4))
    scene.textures[0].bytes.removeLast(40)
    scene.materials[0].baseColor = SIMD4(1, 0, 0, 1)
    var warnings: [String] = []
    let renderer = try SceneRenderer(scene, style: Self.plain) { warnings.append($0) }
    #expect(warnings.count == 1 && warnings[0].contains("a.png"))
    let pose = camera(at: SIMD3(0.5, 0.5, 2), size: SIMD2(4, 4), focalLength: 8)
    #expect(try renderer.picture(from: pose).image.color(2, 2) == SIMD3(255, 0, 0))
  }
}
