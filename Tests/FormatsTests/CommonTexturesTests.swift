import Formats
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// Textures in encodings of the web, in formats whose readers know only the old ones.
struct CommonTexturesTests {
  private static func raster(isTransparent: Bool = false) -> TextureRaster {
    let pixels = (0..<32 * 24).map { place -> SIMD4<UInt8> in
      let (x, y) = (place % 32, place / 32)
      return SIMD4(
        UInt8(7 * x), UInt8(9 * y), UInt8(4 * (x + y)), isTransparent && x < 9 ? UInt8(20 * x) : 255
      )
    }
    return TextureRaster(size: SIMD2(32, 24), pixels: pixels)
  }

  private static func scene(
    _ raster: TextureRaster, as encoding: Texture.Encoding
  ) throws -> Scene {
    var mesh = MeshFixtures.grid(columns: 2, rows: 2)
    mesh.textureCoordinates = mesh.indices.map {
      Vector2(mesh.positions[Int($0)].x, mesh.positions[Int($0)].y)
    }
    mesh.faceMaterials = [UInt32](repeating: 0, count: mesh.faceCount)
    return Scene(
      meshes: [mesh], materials: [Material(name: "painted", baseColorTexture: 0)],
      textures: [
        Texture(
          fileName: "paint.\(encoding.usualExtension)", encoding: encoding,
          bytes: try raster.encoded(as: encoding, quality: 98))
      ])
  }

  private func written(
    _ scene: Scene, as format: any WritableFormat.Type, in folder: TemporaryFolder
  ) throws -> Texture {
    let context = WritingContext()
    let output = OutputSet(folder: folder.path, mainFileName: "a.\(format.extensions[0])")
    try format.write(scene, to: output, in: context)
    #expect(!context.stage.warnings.contains { $0.contains("paint") })
    return try #require(try Reading(output.mainPath).scene.textures.first)
  }

  @Test(arguments: [OBJ.self, PLY.self, USDA.self, USDZ.self] as [any WritableFormat.Type])
  func `AVIF becomes JPEG that looks the same`(format: any WritableFormat.Type) throws {
    let folder = try TemporaryFolder()
    let raster = Self.raster()
    let texture = try written(Self.scene(raster, as: .avif), as: format, in: folder)
    #expect(texture.encoding == .jpeg)
    #expect(fileExtension(of: texture.fileName) == "jpg")
    let found = try TextureRaster(texture)
    #expect(found.size == raster.size)
    let differences = zip(found.pixels, raster.pixels).map { found, pixel in
      let difference = SIMD4<Double>(found) - SIMD4<Double>(pixel)
      return (difference * difference).sum() / 4
    }
    #expect(differences.reduce(0, +) / Double(differences.count) < 30)
  }

  @Test func `transparency stays, as PNG`() throws {
    let folder = try TemporaryFolder()
    let raster = Self.raster(isTransparent: true)
    let texture = try written(Self.scene(raster, as: .avif), as: USDZ.self, in: folder)
    #expect(texture.encoding == .png)
    #expect(try TextureRaster(texture).pixels.map(\.w) == raster.pixels.map(\.w))
  }

  @Test func `USD gets WebP converted too, and OBJ as it is`() throws {
    let folder = try TemporaryFolder()
    let scene = try Self.scene(Self.raster(), as: .webp)
    #expect(try written(scene, as: USDA.self, in: folder).encoding == .jpeg)
    #expect(try written(scene, as: OBJ.self, in: folder).bytes == scene.textures[0].bytes)
  }
}
