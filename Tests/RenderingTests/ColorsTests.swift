import MeshPipeline
import NativeLibraries
import Testing

@testable import Rendering

struct ColorsTests {
  private func color(_ scene: Scene, _ colors: RenderStyle.Colors = .auto) throws -> SIMD3<Int> {
    let style = RenderStyle(shading: .unlit, colors: colors, sides: .both)
    let pose = camera(at: SIMD3(0.5, 0.5, 2), size: SIMD2(8, 8), focalLength: 8)
    return try SceneRenderer(scene, style: style).picture(from: pose).image.color(4, 4)
  }

  /// A square with everything: texture, vertex colours, material and class.
  private func scene() throws -> Scene {
    var scene = try texturedSquare(Image(width: 2, height: 2, filledWith: (10, 200, 30)))
    scene.meshes[0].colors = [Color](repeating: Color(red: 90, green: 80, blue: 70), count: 4)
    scene.meshes[0].classes = FaceClasses(labels: [2, 2])
    return scene
  }

  @Test func `a face shows the best colour that it has`() throws {
    var scene = try scene()
    #expect(try color(scene) == SIMD3(10, 200, 30))
    scene.materials[0].baseColorTexture = nil
    #expect(try color(scene) == SIMD3(90, 80, 70))
    scene.meshes[0].colors = nil
    let floor = ClassPalette.color(of: "floor")
    #expect(
      try color(scene) == SIMD3(Int(floor.red), Int(floor.green), Int(floor.blue)))
    scene.materials[0].baseColor = SIMD4(0, 0, 1, 1)
    #expect(try color(scene) == SIMD3(0, 0, 255))
  }

  @Test func `another source of colours can be asked for`() throws {
    var scene = try scene()
    scene.materials[0].baseColor = SIMD4(1, 1, 1, 1)
    #expect(try color(scene, .texture) == SIMD3(10, 200, 30))
    #expect(try color(scene, .vertex) == SIMD3(90, 80, 70))
    #expect(try color(scene, .material) == SIMD3(255, 255, 255))
    #expect(try color(scene, .none) == SIMD3(188, 186, 182))
  }

  @Test func `a material's colour multiplies its texture in linear light`() throws {
    var scene = try scene()
    scene.materials[0].baseColor = SIMD4(0.5, 1, 0, 1)
    let light = SRGBTable.shared
    #expect(
      try color(scene) == SIMD3(Int(light.code(0.5 * light.linear(10, 0, 0).x)), 200, 0))
  }

  @Test func `every code survives the way to light and back`() {
    let table = SRGBTable.shared
    for code in UInt8.min...UInt8.max { #expect(table.code(table.linear(code, 0, 0).x) == code) }
  }

  @Test func `lit surfaces are brighter from above than from below`() throws {
    var scene = Scene(meshes: [squareMesh()])
    // Up is towards the camera, then away from it.
    func brightness(_ up: SignedAxis) throws -> Int {
      scene.coordinateSystem = CoordinateSystem(up: up, forward: .y)
      let pose = camera(at: SIMD3(0.5, 0.5, 2), size: SIMD2(8, 8), focalLength: 8)
      return try SceneRenderer(scene, style: RenderStyle(sides: .both)).picture(from: pose).image
        .color(4, 4).x
    }
    #expect(try brightness(.z) > brightness(.negativeZ) + 20)
  }

  @Test func `beside a photograph only what was not photographed is lit`() throws {
    let pose = camera(at: SIMD3(0.5, 0.5, 2), size: SIMD2(8, 8), focalLength: 8)
    var scene = try scene()
    let textured = try SceneRenderer(scene, style: .comparison).picture(from: pose).image
    #expect(textured.color(4, 4) == SIMD3(10, 200, 30))
    scene.meshes[0].colors = nil
    scene.materials = [Material()]
    let style = RenderStyle(shading: .unlit, sides: .both)
    let plain = try SceneRenderer(scene, style: .comparison).picture(from: pose).image
    #expect(
      try plain.color(4, 4)
        != SceneRenderer(scene, style: style).picture(from: pose).image.color(4, 4))
  }

  @Test func `a transparent picture keeps the colour of what is half in a pixel`() throws {
    var scene = Scene(meshes: [squareMesh()])
    scene.meshes[0].colors = [Color](repeating: .white, count: 4)
    let pose = camera(at: SIMD3(0.5, 0.5, 2), size: SIMD2(9, 9), focalLength: 9)
    let renderer = try SceneRenderer(scene, style: RenderStyle(shading: .unlit, sides: .both))
    let picture = try renderer.picture(from: pose, background: .transparent)
    let partial = picture.coverage.indices.filter { (1..<255).contains(picture.coverage[$0]) }
    #expect(!partial.isEmpty)
    for pixel in partial { #expect(picture.image.pixels[3 * pixel] == 255) }
    let bytes = try PictureEncoding.png.bytes(of: picture, isTransparent: true)
    let samples = try PNG.samples(of: bytes, path: "a.png")
    #expect(samples.channels == 4)
    #expect((0..<81).map { samples.bytes[4 * $0 + 3] } == picture.coverage)
  }

  @Test func `textures repeat outside of their image`() throws {
    var scene = try texturedSquare(testCard(8, 8))
    let style = RenderStyle(shading: .unlit, sides: .both)
    let pose = camera(at: SIMD3(0.5, 0.5, 2), size: SIMD2(16, 16), focalLength: 32)
    let one = try SceneRenderer(scene, style: style).picture(from: pose).image
    scene.meshes[0].textureCoordinates = scene.meshes[0].textureCoordinates?.map {
      Vector2($0.x * 2 - 3, $0.y * 2)
    }
    let many = try SceneRenderer(scene, style: style).picture(from: pose).image
    #expect(difference(many.color(2, 2), many.color(10, 10)) <= 1)
    #expect(difference(many.color(2, 2), one.color(4, 4)) <= 30)
  }
}
