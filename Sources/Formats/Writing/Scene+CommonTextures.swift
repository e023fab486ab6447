import MeshPipeline
import NativeLibraries

extension Set<Texture.Encoding> {
  /// Those that programs read in any model: formats that name files without saying of which kinds they may be.
  static let inAnyModel: Self = [.png, .jpeg, .webp, .tga, .bmp, .tiff]
  /// The same, and what else modellers' programs name in their files (OpenEXR, DDS, Photoshop's): they read each other's.
  static let inModellersFiles = Self.inAnyModel.union([.other])
  /// Those of formats that say what there may be.
  static let pngAndJPEG: Self = [.png, .jpeg]
}

extension Texture.Encoding {
  fileprivate var shownName: String {
    switch self {
    case .webp: "WebP"
    case .other: "others"
    default: rawValue.uppercased()
    }
  }
}

extension Scene {
  /// As `bake-texture` has it.
  private static let quality = 92

  /// The scene with textures that a format can hold: the others become JPEG, and PNG where they have opacity or numbers
  /// instead of colours.
  ///
  /// One that can't be decoded on this machine stays, with a warning.
  /// - Parameters:
  ///   - held: The encodings that the format can hold, or its readers know.
  ///   - maps: The maps of materials that are written.
  ///   - format: Its name, if it can't name files of other encodings at all.
  func withCommonTextures(
    _ held: Set<Texture.Encoding>, maps: [WritableKeyPath<Material, Int?>] = Material.textureKeys,
    onlyIn format: String? = nil, in context: WritingContext
  ) throws(Cancelled) -> Scene {
    let materials = usedMaterials.map { self.materials[$0] }
    let foreign = materials.textures(maps).sorted().filter { !held.contains(textures[$0].encoding) }
    guard !foreign.isEmpty else { return self }
    let numbers = materials.textures(Material.dataTextureKeys)
      .subtracting(materials.textures([\.baseColorTexture]))
    let names = held.map(\.shownName).sorted().joined(separator: ", ")
    let lost = format.map { "\($0) supports only \(names): it will be lost" }
    return try encodingTextures(
      foreign, otherwise: { _ in lost ?? "it is written as it is" }, in: context
    ) { (texture) throws(ImageError) in
      try Self.common(textures[texture], hasColors: !numbers.contains(texture))
    }
  }

  /// The scene with some textures encoded otherwise; one that can't be read stays as it is, with a warning.
  ///
  /// - Parameters:
  ///   - outcome: What becomes of such a texture; nil for one that is not told.
  ///   - encode: The new texture in the place of the one with an index; it is called from several threads.
  func encodingTextures(
    _ indices: [Int], otherwise outcome: (Texture) -> String?, in context: WritingContext,
    _ encode: @Sendable (Int) throws(ImageError) -> Texture
  ) throws(Cancelled) -> Scene {
    let results = Parallel.map(count: indices.count) { index in
      context.stage.isCancelled
        ? nil : Result { () throws(ImageError) in try encode(indices[index]) }
    }
    try context.stage.checkCancellation()
    var scene = self
    for (texture, result) in zip(indices, results) {
      switch result {
      case nil: break
      case .success(let encoded): scene.textures[texture] = encoded
      case .failure(let error):
        if let outcome = outcome(textures[texture]) {
          context.stage.warn("texture \(error.message); \(outcome)")
        }
      }
    }
    return scene
  }

  private static func common(_ texture: Texture, hasColors: Bool) throws(ImageError) -> Texture {
    let raster = try TextureRaster(texture, isData: !hasColors)
    let encoding: Texture.Encoding = hasColors && !raster.hasTransparency ? .jpeg : .png
    return texture.encoded(try raster.encoded(as: encoding, quality: quality), as: encoding)
  }
}
