public import MeshPipeline
internal import NativeLibraries

/// Limits the size of textures and re-encodes them.
public struct ResizeTextures: Stage {
  public static let otherNames = ["resize", "compress-textures"]
  public static let summary = "Limits the size of textures and re-encodes them."
  public static let discussion = """
    Textures larger than `maximumSize` are downscaled in linear light, normal maps by mean \
    direction. Images without transparency that are not normal maps become JPEG, others PNG, \
    unless `format` says otherwise.

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
      "Encoding of textures; auto is JPEG, and PNG for transparency, normal and occlusion maps.")
    public var format: Format = .auto

    @Parameter("JPEG quality.", in: 1...100)
    public var quality = 85

    public init() {}
  }

  /// The encoding of textures.
  public enum Format: String, CaseIterable, ParameterValue {
    /// JPEG, and PNG for transparency and normal maps.
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
    // The means of directions and shares are those of their values, and not of light.
    let normalMaps = Set(
      scene.materials.compactMap(\.normalTexture) + scene.materials.compactMap(\.occlusionTexture))
    for index in scene.textures.indices {
      try resize(&scene.textures[index], isNormalMap: normalMaps.contains(index), context)
      try context.progress(Double(index + 1) / Double(scene.textures.count))
    }
    scene.giveTexturesNames()
    let after = scene.textures.reduce(0) { $0 + $1.bytes.count }
    context.note("bytesBefore", before.json)
    context.note("bytesAfter", after.json)
    try context.progress(1)
    return scene
  }

  private func resize(
    _ texture: inout Texture, isNormalMap: Bool, _ context: StageContext
  ) throws {
    let raster: TextureRaster
    do throws(ImageError) {
      raster = try TextureRaster(texture)
    } catch {
      return context.warn("\(texture.fileName) is unchanged: \(error.message)")
    }
    let resized = raster.bounded(to: parameters.maximumSize, isNormalMap: isNormalMap)
    let encoding = encoding(of: texture, resized, isNormalMap: isNormalMap)
    let bytes = try resized.encoded(as: encoding, quality: parameters.quality)
    let isSame = resized.size == raster.size
    if isSame, bytes.count >= texture.bytes.count, parameters.format != .png,
      parameters.format != .jpeg || texture.encoding == .jpeg
    {
      return
    }
    if texture.encoding != encoding {
      texture.fileName = FileSystem.stem(of: texture.fileName) + "." + encoding.usualExtension
    }
    texture.encoding = encoding
    texture.bytes = bytes
  }

  private func encoding(
    of texture: Texture, _ raster: TextureRaster, isNormalMap: Bool
  ) -> Texture.Encoding {
    switch parameters.format {
    case .jpeg: .jpeg
    case .png: .png
    case .keep where texture.encoding == .jpeg || texture.encoding == .png: texture.encoding
    case .auto, .keep: raster.hasTransparency || isNormalMap ? .png : .jpeg
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
