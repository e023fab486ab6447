public import MeshPipeline
internal import NativeLibraries

/// Limits the size of textures and re-encodes them.
public struct ResizeTextures: Stage {
  public static let otherNames = ["resize", "compress-textures"]
  public static let summary = "Limits the size of textures and re-encodes them."
  public static let discussion = """
    Textures larger than `maximumSize` are downscaled in linear light, and normal, occlusion and \
    metallic-roughness maps by the means of their values. These maps and images with transparency \
    become PNG, others JPEG, unless `format` says otherwise.

    A texture that would not get smaller in bytes is left unchanged.

    Textures made by `bake-texture` are limited there; this stage is for those that a model \
    brings along.
    """
  public static let example = #"""
    { "use": "resize-textures", "with": { "maximumSize": 2048, "quality": 85 } }
    """#

  public static let relativeCost = 10.0
  public static let role: StageRole? = .limitsTextures

  public struct Parameters: StageParameters {
    @Parameter("Maximum number of pixels along a side.", in: 1...16384)
    public var maximumSize = 2048

    @Parameter(
      "Encoding of textures; auto is PNG for transparency and for maps of numbers, JPEG for others."
    )
    public var format: Format = .auto

    @Parameter("JPEG quality.", in: 1...100)
    public var quality = 85

    public init() {}
  }

  /// The encoding of textures.
  public enum Format: String, CaseIterable, ParameterValue {
    /// JPEG, and PNG for transparency and maps of numbers.
    case auto
    /// The present one of each texture.
    case keep
    /// This encoding for all textures.
    case jpeg, png
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    let before = scene.textures.reduce(0) { $0 + $1.bytes.count }
    // A picture that shows colours too is treated as one.
    let dataMaps = scene.materials.textures(Material.dataTextureKeys)
      .subtracting(scene.materials.textures([\.baseColorTexture]))
    for index in scene.textures.indices {
      try resize(&scene.textures[index], isData: dataMaps.contains(index), context)
      try context.progress(Double(index + 1) / Double(scene.textures.count))
    }
    scene.giveTexturesNames()
    let after = scene.textures.reduce(0) { $0 + $1.bytes.count }
    context.note("bytesBefore", before.json)
    context.note("bytesAfter", after.json)
    try context.progress(1)
    return scene
  }

  /// - Parameter isData: Whether its values are directions or shares instead of colours.
  private func resize(
    _ texture: inout Texture, isData: Bool, _ context: StageContext
  ) throws {
    let (resized, original): (TextureRaster, SIMD2<Int>)
    do throws(ImageError) {
      (resized, original) = try TextureRaster.bounded(
        texture, to: parameters.maximumSize, isData: isData)
    } catch {
      return context.warn("\(texture.fileName) is unchanged: \(error.message)")
    }
    let encoding = encoding(of: texture, resized, isData: isData)
    let bytes = try resized.encoded(as: encoding, quality: parameters.quality)
    let isSame = resized.size == original
    if isSame, bytes.count >= texture.bytes.count, parameters.format != .png,
      parameters.format != .jpeg || texture.encoding == .jpeg
    {
      return
    }
    texture = texture.encoded(bytes, as: encoding)
  }

  private func encoding(
    of texture: Texture, _ raster: TextureRaster, isData: Bool
  ) -> Texture.Encoding {
    switch parameters.format {
    case .jpeg: .jpeg
    case .png: .png
    case .keep where texture.encoding == .jpeg || texture.encoding == .png: texture.encoding
    case .auto, .keep: raster.hasTransparency || isData ? .png : .jpeg
    }
  }
}

extension Scene {
  /// Numbers textures that ended up with the same name.
  fileprivate mutating func giveTexturesNames() {
    var taken: Set<String> = []
    for index in textures.indices {
      let name = textures[index].fileName
      let (stem, ending) = (FileSystem.stem(of: name), fileExtension(of: name))
      var number = 2
      while !taken.insert(textures[index].fileName.lowercased()).inserted {
        textures[index].fileName = "\(stem)-\(number).\(ending)"
        number += 1
      }
    }
  }
}
