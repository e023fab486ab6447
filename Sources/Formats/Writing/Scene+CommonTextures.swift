import MeshPipeline
import NativeLibraries

extension Scene {
  /// The encodings that only programs for the web know.
  private static let rare: Set<Texture.Encoding> = [.avif, .ktx2]
  /// As `bake-texture` has it.
  private static let quality = 92

  /// The scene with textures that every program reads, for formats without a list of encodings: those in AVIF and KTX2
  /// become JPEG, and PNG where they have opacity or numbers instead of colours.
  ///
  /// One that can't be decoded on this machine stays, with a warning.
  /// - Parameter others: Further encodings that the format can't hold.
  func withCommonTextures(
    besides others: Set<Texture.Encoding> = [], in context: WritingContext
  ) -> Scene {
    let materials = usedMaterials.map { self.materials[$0] }
    let foreign = materials.textures(Material.textureKeys).sorted().filter {
      Self.rare.contains(textures[$0].encoding) || others.contains(textures[$0].encoding)
    }
    guard !foreign.isEmpty else { return self }
    let numbers = materials.textures(Material.dataTextureKeys)
    let results = Parallel.map(count: foreign.count) { place in
      Result { () throws(ImageError) in
        try Self.common(textures[foreign[place]], hasColors: !numbers.contains(foreign[place]))
      }
    }
    var result = self
    for (texture, common) in zip(foreign, results) {
      switch common {
      case .success(let common): result.textures[texture] = common
      case .failure(let error):
        context.stage.warn("texture \(error.message); it stays as it is")
      }
    }
    return result
  }

  private static func common(_ texture: Texture, hasColors: Bool) throws(ImageError) -> Texture {
    let raster = try TextureRaster(texture)
    let encoding: Texture.Encoding = hasColors && !raster.hasTransparency ? .jpeg : .png
    return Texture(
      fileName: FileSystem.stem(of: texture.fileName) + "." + encoding.usualExtension,
      encoding: encoding, bytes: try raster.encoded(as: encoding, quality: quality))
  }
}
