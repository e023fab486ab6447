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
  ) throws(Cancelled) -> Scene {
    let materials = usedMaterials.map { self.materials[$0] }
    let foreign = materials.textures(Material.textureKeys).sorted().filter {
      Self.rare.contains(textures[$0].encoding) || others.contains(textures[$0].encoding)
    }
    guard !foreign.isEmpty else { return self }
    let numbers = materials.textures(Material.dataTextureKeys)
    return try encodingTextures(foreign, in: context) { (texture) throws(ImageError) in
      try Self.common(textures[texture], hasColors: !numbers.contains(texture))
    }
  }

  /// The scene with some textures encoded otherwise; one that can't be read stays as it is, with a warning.
  ///
  /// - Parameter encode: The new texture in the place of the one with an index; it is called from several threads.
  func encodingTextures(
    _ indices: [Int], in context: WritingContext,
    _ encode: @Sendable (Int) throws(ImageError) -> Texture
  ) throws(Cancelled) -> Scene {
    let results = Parallel.map(count: indices.count) { place in
      context.stage.isCancelled
        ? nil : Result { () throws(ImageError) in try encode(indices[place]) }
    }
    try context.stage.checkCancellation()
    var scene = self
    for (texture, result) in zip(indices, results) {
      switch result {
      case nil: break
      case .success(let encoded): scene.textures[texture] = encoded
      case .failure(let error):
        context.stage.warn("texture \(error.message); it is written as it is")
      }
    }
    return scene
  }

  private static func common(_ texture: Texture, hasColors: Bool) throws(ImageError) -> Texture {
    let raster = try TextureRaster(texture)
    let encoding: Texture.Encoding = hasColors && !raster.hasTransparency ? .jpeg : .png
    return texture.encoded(try raster.encoded(as: encoding, quality: quality), as: encoding)
  }
}
