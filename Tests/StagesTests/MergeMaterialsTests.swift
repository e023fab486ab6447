import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Stages
import Testing

@Suite struct MergeMaterialsTests {
  /// A cube with a material for each of its twelve faces.
  private func scene(_ materials: [Material]) -> Scene {
    var cube = MeshFixtures.cube
    cube.faceMaterials = (0..<12).map { UInt32($0 % materials.count) }
    return Scene(meshes: [cube], materials: materials)
  }

  private func run(
    _ scene: Scene, _ change: (inout MergeMaterials.Parameters) -> Void = { _ in }
  ) throws -> Scene {
    var parameters = MergeMaterials.Parameters()
    change(&parameters)
    return try MergeMaterials(parameters).run(scene, in: StageContext())
  }

  private let red = SIMD4<Float>(1, 0, 0, 1)
  private let gray = SIMD4<Float>(0.2, 0.2, 0.2, 1)

  @Test func `what looks the same becomes one`() throws {
    let result = try run(
      scene([
        Material(name: "a", baseColor: red), Material(name: "b", baseColor: red),
        Material(name: "unused", baseColor: red, roughness: 0.5),
      ])
    ) { $0.palette = false }
    #expect(result.materials.map(\.name) == ["a", "unused"])
    #expect(result.meshes[0].faceMaterials == [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1])
    #expect(result.drawCalls == 2)
  }

  @Test func `plain colours become a palette that shows them`() throws {
    let colors = [red, gray, SIMD4<Float>(0, 0, 1, 1)]
    let result = try run(scene(colors.map { Material(baseColor: $0) }))
    #expect(result.materials.count == 1)
    #expect(result.materials[0].baseColor == SIMD4(1, 1, 1, 1))
    #expect(result.drawCalls == 1)
    let image = try PNG.decode(result.textures[0].bytes, path: "")
    let coordinates = try #require(result.meshes[0].textureCoordinates)
    for face in 0..<12 {
      let color = colors[face % 3]
      for place in coordinates[3 * face..<3 * face + 3] {
        let x = Int(place.x * Float(image.width))
        let y = Int((1 - place.y) * Float(image.height))
        let pixel = (0..<3).map { image.pixels[3 * (y * image.width + x) + $0] }
        let expected = [color.x, color.y, color.z].map { SRGBTable.shared.code($0) }
        #expect(pixel == expected, "face \(face)")
      }
    }
  }

  @Test func `textured and transparent materials stay apart`() throws {
    var scene = scene([
      Material(baseColor: red), Material(baseColor: gray),
      Material(name: "picture", baseColorTexture: 0), Material(baseColor: SIMD4(1, 0, 0, 0.5)),
    ])
    let bytes = try PNG.encode(Image(width: 2, height: 2))
    scene.textures = [
      Texture(fileName: "a.png", encoding: .png, bytes: bytes),
      Texture(fileName: "unused.png", encoding: .png, bytes: [1]),
    ]
    scene.meshes[0].textureCoordinates = [Vector2](repeating: Vector2(0.25, 0.75), count: 36)
    let result = try run(scene)
    #expect(result.materials.count == 3)
    #expect(result.textures.map(\.fileName) == ["a.png", "palette.png"])
    let mesh = result.meshes[0]
    let picture = try #require(mesh.faceMaterials?[2])
    #expect(result.materials[Int(picture)].name == "picture")
    #expect(mesh.textureCoordinates?[6] == Vector2(0.25, 0.75))
  }

  @Test func `classes go when they are not wanted`() throws {
    var scene = scene([Material(baseColor: red)])
    scene.meshes[0].classes = FaceClasses(labels: (0..<12).map { UInt16($0 % 4) })
    #expect(try run(scene).drawCalls == 4)
    #expect(try run(scene) { $0.classes = false }.drawCalls == 1)
    // Where there is no other look, the colours of the classes stay.
    scene.meshes[0].faceMaterials = nil
    scene.materials = []
    let result = try run(scene) { $0.classes = false }
    #expect(result.drawCalls == 1 && result.meshes[0].classes == nil)
    let image = try PNG.decode(result.textures[0].bytes, path: "")
    let coordinates = try #require(result.meshes[0].textureCoordinates)
    for (face, name) in ["none", "wall", "floor", "ceiling"].enumerated() {
      let color = Material(ofClass: name, isColored: false).baseColor
      let place = coordinates[3 * face]
      let pixel =
        Int((1 - place.y) * Float(image.height)) * image.width
        + Int(place.x * Float(image.width))
      #expect(image.pixels[3 * pixel] == SRGBTable.shared.code(color.x), "\(name)")
      #expect(image.pixels[3 * pixel + 2] == SRGBTable.shared.code(color.z), "\(name)")
    }
  }
}
