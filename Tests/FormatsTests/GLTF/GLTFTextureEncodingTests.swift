import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// The option `textures` of glTF.
struct GLTFTextureEncodingTests {
  /// A picture without sharp edges, with enough grain that its PNG is larger than what loses some.
  private static func picture(isTransparent: Bool = false) throws -> (
    raster: TextureRaster, png: [UInt8]
  ) {
    let pixels = (0..<64 * 48).map { place -> SIMD4<UInt8> in
      let (x, y) = (place % 64, place / 64)
      let grain = place * 7919 % 251 % 12
      return SIMD4(
        UInt8(3 * x + grain), UInt8(4 * y + grain),
        UInt8(128 + Int(60 * sin(Double(x + y) / 9)) + grain),
        isTransparent && x < 20 ? UInt8(12 * x) : 255)
    }
    let raster = TextureRaster(size: SIMD2(64, 48), pixels: pixels)
    return (raster, try raster.encoded(as: .png, quality: 0))
  }

  private func scene(
    isTransparent: Bool = false,
    as key: WritableKeyPath<Material, Int?> & Sendable = \.baseColorTexture
  ) throws -> Scene {
    var mesh = MeshFixtures.grid(columns: 2, rows: 2)
    mesh.textureCoordinates = mesh.indices.map {
      Vector2(mesh.positions[Int($0)].x, mesh.positions[Int($0)].y)
    }
    mesh.faceMaterials = [UInt32](repeating: 0, count: mesh.faceCount)
    var material = Material(name: "painted")
    material[keyPath: key] = 0
    return Scene(
      meshes: [mesh], materials: [material],
      textures: [
        Texture(
          fileName: "paint.png", encoding: .png,
          bytes: try Self.picture(isTransparent: isTransparent).png)
      ])
  }

  private func written(
    _ scene: Scene, _ options: [String: JSONValue], as format: any WritableFormat.Type = GLB.self,
    in folder: TemporaryFolder
  ) throws -> (path: String, texture: Texture) {
    let context = WritingContext(options: options)
    let output = OutputSet(folder: folder.path, mainFileName: "a.\(format.extensions[0])")
    try format.write(scene, to: output, in: context)
    #expect(context.stage.warnings == [])
    return (output.mainPath, try #require(try Reading(output.mainPath).scene.textures.first))
  }

  /// The mean square difference of all samples.
  private func error(_ one: TextureRaster, _ other: TextureRaster) -> Double {
    let sum = zip(one.pixels, other.pixels).reduce(0.0) { sum, pair in
      let difference = SIMD4<Double>(pair.0) - SIMD4<Double>(pair.1)
      return sum + (difference * difference).sum()
    }
    return sum / Double(4 * one.pixels.count)
  }

  @Test(arguments: ["jpeg", "webp", "avif"], [GLB.self, GLTF.self] as [any WritableFormat.Type])
  func `pictures get the encoding and stay alike`(
    encoding: String, format: any WritableFormat.Type
  ) throws {
    let folder = try TemporaryFolder()
    let options: [String: JSONValue] = ["textures": .init(.string(encoding)), "quality": 95]
    let file = try written(scene(), options, as: format, in: folder)
    #expect(file.texture.encoding.rawValue == encoding)
    let original = try Self.picture()
    #expect(file.texture.bytes.count < original.png.count)
    let found = try TextureRaster(file.texture)
    #expect(found.size == original.raster.size)
    #expect(error(found, original.raster) < 6)
    if format == GLTF.self {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names.contains { $0.hasSuffix(encoding == "jpeg" ? ".jpg" : ".\(encoding)") })
    }
  }

  @Test(arguments: ["webp", "avif"])
  func `a lower quality makes smaller files`(encoding: String) throws {
    let sizes = try [30, 60, 90].map { quality -> Int in
      let folder = try TemporaryFolder()
      return try written(
        scene(),
        ["textures": .init(.string(encoding)), "quality": .init(.number(Double(quality)))],
        in: folder
      ).texture.bytes.count
    }
    #expect(sizes == sizes.sorted() && sizes[0] < sizes[2])
  }

  @Test(arguments: [\Material.normalTexture, \.occlusionTexture, \.metallicRoughnessTexture])
  func `maps of numbers lose nothing`(key: WritableKeyPath<Material, Int?> & Sendable) throws {
    let folder = try TemporaryFolder()
    let original = try Self.picture().raster
    let webP = try written(scene(as: key), ["textures": "webp"], in: folder).texture
    #expect(webP.encoding == .webp)
    #expect(try TextureRaster(webP).pixels == original.pixels)
    // AVIF only where it is smaller: PNG is good at such grain.
    let avif = try written(scene(as: key), ["textures": "avif"], in: folder).texture
    #expect(try TextureRaster(avif).pixels == original.pixels)
    let jpeg = try written(scene(as: key), ["textures": "jpeg"], in: folder).texture
    #expect(jpeg.encoding == .png)
    #expect(try TextureRaster(jpeg).pixels == original.pixels)
  }

  @Test func `numbers under transparent pixels are kept`() throws {
    let folder = try TemporaryFolder()
    let pixels = (0..<64).map { SIMD4<UInt8>(UInt8($0), UInt8(4 * $0), UInt8(255 - $0), 0) }
    let raster = TextureRaster(size: SIMD2(8, 8), pixels: pixels)
    var scene = try scene(as: \.normalTexture)
    scene.textures[0].bytes = try raster.encoded(as: .png, quality: nil)
    let webP = try written(scene, ["textures": "webp"], in: folder).texture
    let found = try TextureRaster(webP)
    #expect(found.pixels.map { $0.lowHalf } == pixels.map { $0.lowHalf })
    #expect(found.pixels.map(\.z) == pixels.map(\.z))
  }

  @Test func `transparency is kept`() throws {
    let folder = try TemporaryFolder()
    let scene = try scene(isTransparent: true)
    let original = try Self.picture(isTransparent: true).raster
    let webP = try written(scene, ["textures": "webp"], in: folder).texture
    #expect(try TextureRaster(webP).pixels.map(\.w) == original.pixels.map(\.w))
    #expect(try written(scene, ["textures": "jpeg"], in: folder).texture.encoding == .png)
    // And back, from the file.
    var again = scene
    again.textures = [webP]
    let png = try written(again, ["textures": "png"], in: folder).texture
    #expect(png.encoding == .png)
    #expect(try TextureRaster(png).pixels == TextureRaster(webP).pixels)
    let avif = try written(scene, ["textures": "avif"], in: folder).texture
    #expect(avif.encoding == .avif)
    #expect(try TextureRaster(avif).pixels.map(\.w) == original.pixels.map(\.w))
  }

  /// Sizes that are not multiples of the blocks, or have one pixel.
  @Test(arguments: [SIMD2(1, 1), SIMD2(63, 47), SIMD2(130, 1)])
  func `AVIF without loss keeps every pixel`(size: SIMD2<Int>) throws {
    var generator = SeededGenerator(seed: 3)
    let pixels = (0..<size.x * size.y).map { _ in
      SIMD4(
        UInt8.random(in: 0...255, using: &generator), UInt8.random(in: 0...255, using: &generator),
        UInt8.random(in: 0...255, using: &generator), UInt8.random(in: 0...255, using: &generator))
    }
    let bytes = try AVIF.encode(pixels, size: size, quality: nil)
    let texture = Texture(fileName: "a.avif", encoding: .avif, bytes: bytes)
    #expect(Texture.Encoding(bytes: bytes) == .avif)
    #expect(texture.pixelSize == size)
    let found = try TextureRaster(texture)
    #expect(found.size == size && found.pixels == pixels)
    #expect(try AVIF.encode(pixels, size: size, quality: nil) == bytes)
  }

  @Test func `AVIF is named as an extension that is required, and is read again`() throws {
    let folder = try TemporaryFolder()
    let file = try written(scene(), ["textures": "avif"], as: GLTF.self, in: folder)
    let json = try #require(JSONReader.read(try FileSystem.contents(of: file.path)).value)
    for key in ["extensionsUsed", "extensionsRequired"] {
      #expect(json[key]?.elements.compactMap(\.text) == ["EXT_texture_avif"])
    }
    #expect(json["images"]?.elements.first?["mimeType"]?.text == "image/avif")
    // glTF's own image beside it is for programs that don't know the extension.
    #expect(json["textures"]?.elements.first?["source"] == nil)
    #expect(file.texture.pixelSize == SIMD2(64, 48))
  }

  @Test(arguments: ["jpeg", "webp", "avif"])
  func `a picture that would not become smaller is kept`(encoding: String) throws {
    let folder = try TemporaryFolder()
    var scene = try scene()
    // One colour, which PNG has in a few bytes.
    let raster = TextureRaster(
      size: SIMD2(64, 48), pixels: [SIMD4<UInt8>](repeating: SIMD4(9, 99, 199, 255), count: 3072))
    scene.textures[0].bytes = try raster.encoded(as: .png, quality: 0)
    let options: [String: JSONValue] = ["textures": .init(.string(encoding)), "quality": 100]
    let found = try written(scene, options, in: folder).texture
    // WebP may be shorter still, for a picture without anything in it.
    #expect(found.bytes.count <= scene.textures[0].bytes.count)
    #expect(encoding != "jpeg" || found == scene.textures[0])
  }

  @Test(arguments: ["webp", "avif"])
  func `an unreadable picture is kept, with a warning`(encoding: String) throws {
    let folder = try TemporaryFolder()
    var scene = try scene()
    scene.textures[0].bytes = Array(scene.textures[0].bytes.prefix(100))
    let context = WritingContext(options: ["textures": .init(.string(encoding))])
    try GLB.write(scene, to: OutputSet(folder: folder.path, mainFileName: "a.glb"), in: context)
    #expect(context.stage.warnings.count == 1)
    #expect(context.stage.warnings.first?.hasPrefix("texture paint.png: incomplete PNG") == true)
  }

  @Test(.needs("PIL"))
  func `another program finds the same picture`() throws {
    let folder = try TemporaryFolder()
    let file = try written(scene(as: \.normalTexture), ["textures": "webp"], in: folder)
    let path = try folder.write("picture.webp", file.texture.bytes)
    let question = """
      import sys; from PIL import Image; picture = Image.open(sys.argv[1])
      print(picture.format, picture.size, picture.convert("RGB").tobytes().hex())
      """
    let run = try Program.run(Checkers.python, ["-c", question, path])
    let expected = try Self.picture().raster.pixels.flatMap { [$0.x, $0.y, $0.z] }
      .map { String(format: "%02x", $0) }.joined()
    #expect(run.output == "WEBP (64, 48) \(expected)\n")
  }

  @Test(.needs("PIL"))
  func `another program decodes AVIF as near, and its opacity exactly`() throws {
    let folder = try TemporaryFolder()
    let scene = try scene(isTransparent: true)
    let file = try written(scene, ["textures": "avif", "quality": 95], in: folder)
    let path = try folder.write("picture.avif", file.texture.bytes)
    let question = """
      import sys; from PIL import Image; picture = Image.open(sys.argv[1])
      print(picture.format, picture.size, picture.mode, *picture.tobytes())
      """
    let run = try Program.run(Checkers.python, ["-c", question, path])
    let words = run.output.split(whereSeparator: \.isWhitespace)
    #expect(words.prefix(4).joined(separator: " ") == "AVIF (64, 48) RGBA")
    let values = words.dropFirst(4).compactMap { UInt8($0) }
    try #require(values.count == 4 * 64 * 48)
    let pixels = (0..<64 * 48).map { pixel in
      SIMD4(values[4 * pixel], values[4 * pixel + 1], values[4 * pixel + 2], values[4 * pixel + 3])
    }
    let original = try Self.picture(isTransparent: true).raster
    #expect(pixels.map(\.w) == original.pixels.map(\.w))
    #expect(error(TextureRaster(size: original.size, pixels: pixels), original) < 6)
  }
}
