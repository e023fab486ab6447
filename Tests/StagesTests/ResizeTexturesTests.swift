import Formats
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Stages
import Testing

@Suite struct ResizeTexturesTests {
  private func run(
    _ textures: [Texture], as material: Material? = nil, warnings: Int = 0,
    _ change: (inout ResizeTextures.Parameters) -> Void
  ) throws -> [Texture] {
    var parameters = ResizeTextures.Parameters()
    change(&parameters)
    var scene = Scene(meshes: [MeshFixtures.cube], textures: textures)
    scene.materials = [material].compactMap { $0 }
    let context = StageContext()
    let result = try ResizeTextures(parameters).run(scene, in: context).textures
    #expect(context.warnings.count == warnings)
    return result
  }

  /// A picture of noise, which no encoding makes small.
  private func noise(_ width: Int, _ height: Int) throws -> Texture {
    var generator = SeededGenerator(seed: 7)
    let pixels = (0..<3 * width * height).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let image = Image(width: width, height: height, pixels: pixels)
    return Texture(fileName: "noise.png", encoding: .png, bytes: try PNG.encode(image))
  }

  @Test func `large textures get smaller and keep their shape`() throws {
    let result = try run([try noise(40, 20)]) { $0.maximumSize = 10 }
    #expect(result[0].pixelSize == SIMD2(10, 5))
    #expect(result[0].encoding == .jpeg && result[0].fileName == "noise.jpg")
    let kept = try run([try noise(40, 20)]) {
      $0.maximumSize = 30
      $0.format = .keep
    }
    #expect(kept[0].pixelSize == SIMD2(30, 15))
    #expect(kept[0].fileName == "noise.png")
  }

  @Test(arguments: [Texture.Encoding.png, .jpeg])
  func `a picture decoded at a fraction of its size is as dark as the whole one`(
    encoding: Texture.Encoding
  ) throws {
    // Fields of eight pixels, black and white by turns, of which light's mean is one half: 188 in sRGB.
    let pixels = (0..<512 * 384).map { place -> SIMD4<UInt8> in
      let isWhite = (place % 512 / 8 + place / 512 / 8) % 2 == 0
      return isWhite ? SIMD4(255, 255, 255, 255) : SIMD4(0, 0, 0, 255)
    }
    let raster = TextureRaster(size: SIMD2(512, 384), pixels: pixels)
    let texture = Texture(
      fileName: "a.\(encoding.rawValue)", encoding: encoding,
      bytes: try raster.encoded(as: encoding, quality: 100))
    let (small, original) = try TextureRaster.bounded(texture, to: 32, isData: false)
    #expect(original == SIMD2(512, 384) && small.size == SIMD2(32, 24))
    #expect(small.pixels.allSatisfy { abs(Int($0.x) - 188) <= 2 && $0.w == 255 })
    let numbers = try TextureRaster.bounded(texture, to: 32, isData: true).raster
    #expect(numbers.pixels.allSatisfy { abs(Int($0.x) - 128) <= 2 })
  }

  @Test func `colours that can't be seen weigh nothing in rows of PNG`() throws {
    let pixels = (0..<64 * 64).map { place in
      place % 2 == 0 ? SIMD4<UInt8>(200, 100, 50, 255) : SIMD4<UInt8>(0, 255, 0, 0)
    }
    let raster = TextureRaster(size: SIMD2(64, 64), pixels: pixels)
    let texture = Texture(
      fileName: "a.png", encoding: .png, bytes: try raster.encoded(as: .png, quality: nil))
    let small = try TextureRaster.bounded(texture, to: 8, isData: false).raster
    #expect(small.pixels.allSatisfy { $0 == SIMD4(200, 100, 50, 128) })
  }

  @Test(arguments: ["glb", "usdz", "obj"])
  func `an output stays within its bytes`(format: String) throws {
    let folder = try TemporaryFolder()
    var scene = Scene(
      meshes: [MeshFixtures.cube], materials: [Material(baseColorTexture: 0)],
      textures: [try noise(256, 256)])
    scene.meshes[0].textureCoordinates = [Vector2](repeating: .zero, count: 36)
    scene.meshes[0].faceMaterials = [UInt32](repeating: 0, count: 12)
    let document = PipelineDocument(
      parsing: """
        { "meshpipe": 1,
          "outputs": [ { "path": "\(folder.path)/cube.\(format)", "maximumBytes": "30kB" } ] }
        """, file: "test.json")
    let environment = PipelineEnvironment(stages: builtInStages, formats: builtInFormats)
    let pipeline = try document.resolve(in: environment, for: PipelineRequest()).get()
    let report = try PipelineRunner(pipeline).run(on: scene)
    let output = try #require(report.outputs.first)
    let bytes = output.files.reduce(0) { $0 + $1.bytes }
    // Noise of 256 pixels has 197 kB as PNG; a size more would not fit.
    #expect(bytes <= 30_000 && bytes > 4000)
    let path = output.files[0].path
    let reader = try #require(environment.formats.reader(forPath: path))
    let read = try reader.read(path, in: ReadingContext())
    #expect(read.faceCount == 12)
    let size = try #require(read.textures.first?.pixelSize)
    #expect(output.notes.contains { $0.key == "textureSize" && $0.value == size.x.json })
  }

  @Test func `a pixel is the mean of the light it stands for`() throws {
    // Half white, half black: half of the light is the code 188.
    let pixels = (0..<16).flatMap { place -> [UInt8] in
      [UInt8](repeating: (place + place / 4) % 2 == 0 ? 255 : 0, count: 3)
    }
    let bytes = try PNG.encode(Image(width: 4, height: 4, pixels: pixels))
    let texture = Texture(fileName: "a.png", encoding: .png, bytes: bytes)
    func code(_ material: Material) throws -> Set<UInt8> {
      let result = try run([texture], as: material) {
        $0.maximumSize = 2
        $0.format = .png
      }
      return Set(try PNG.decode(result[0].bytes, path: "").pixels)
    }
    #expect(try code(Material(baseColorTexture: 0)) == [188])
    #expect(try code(Material(emissiveTexture: 0)) == [188])
    #expect(try code(Material(normalTexture: 0)) == [128])
    #expect(try code(Material(occlusionTexture: 0)) == [128])
    #expect(try code(Material(metallicRoughnessTexture: 0)) == [128])
  }

  @Test func `transparency stays, and a colour behind nothing does not bleed`() throws {
    let image = Image(width: 2, height: 2, pixels: [255, 0, 0, 0, 255, 0, 255, 0, 0, 0, 255, 0])
    let bytes = try PNG.encode(image, alpha: [255, 0, 255, 0])
    let texture = Texture(fileName: "a.png", encoding: .png, bytes: bytes)
    let result = try run([texture]) { $0.maximumSize = 1 }
    #expect(result[0].encoding == .png)
    let samples = try PNG.samples(of: result[0].bytes, path: "")
    #expect(samples.channels == 4)
    #expect(samples.bytes[0] >= 254 && samples.bytes[1] <= 2 && samples.bytes[3] == 128)
  }

  @Test func `what can't be read or made smaller stays as it is`() throws {
    let broken = Texture(fileName: "b.tga", encoding: .tga, bytes: [1, 2, 3])
    #expect(try run([broken], warnings: 1) { $0.maximumSize = 1 } == [broken])
    let small = Texture(
      fileName: "c.png", encoding: .png, bytes: try PNG.encode(Image(width: 4, height: 4)))
    #expect(try run([small]) { $0.maximumSize = 8 } == [small])
  }

  @Test func `names stay apart`() throws {
    var other = try noise(20, 20)
    other.fileName = "noise.jpeg"
    other.encoding = .jpeg
    other.bytes = try JPEG.encode(Image(width: 20, height: 20), quality: 90)
    let one = try noise(20, 20)
    var two = one
    two.fileName = "noise.PNG"
    let names = try run([one, two]) { $0.maximumSize = 5 }.map(\.fileName)
    #expect(names == ["noise.jpg", "noise-2.jpg"])
  }
}
