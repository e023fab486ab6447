import MeshPipeline
import NativeLibraries

/// How textures are stored.
package enum GLTFTextureEncoding: String, CaseIterable, ParameterValue {
  case keep, jpeg, png, webp, avif, ktx2

  /// Why it can't be written on this machine; nil if it can.
  var fault: NativeLibraryError? {
    let missing: NativeLibraryError? =
      switch self {
      case .webp: WebP.fault
      case .avif: AVIF.fault
      case .ktx2: KTX2.fault
      case .keep, .jpeg, .png: nil
      }
    guard var fault = missing else { return nil }
    fault.reason += "; needed for \"textures\": \"\(rawValue)\", while \"jpeg\" works without"
    return fault
  }
}

extension GLTFOptions {
  /// A scene whose materials have textures in the encoding that was asked for.
  ///
  /// Those that can't be read stay as they are, which the user is told.
  func encodingTextures(of scene: Scene, in context: WritingContext) throws -> Scene {
    guard textures != .keep else { return scene }
    if let fault = textures.fault { throw fault }
    let materials = scene.usedMaterials.map { scene.materials[$0] }
    let used = materials.textures(Material.textureKeys).sorted()
    let exact = materials.textures(Material.dataTextureKeys)
    let colors = materials.textures([\.baseColorTexture])
    // Those that glTF can't hold are tried again, and told, by `withCommonTextures`.
    let outcome: (Texture) -> String? = {
      GLTFDocument.encodings.contains($0.encoding) ? "it is written as it is" : nil
    }
    return try scene.encodingTextures(used, otherwise: outcome, in: context) {
      (texture) throws(ImageError) in
      try encoded(
        scene.textures[texture], isExact: exact.contains(texture),
        hasOpacity: colors.contains(texture), cancellation: context.stage)
    }
  }

  /// - Parameters:
  ///   - isExact: Whether the picture has numbers instead of colours, and must not lose any.
  ///   - hasOpacity: Whether its opacity means something.
  private func encoded(
    _ texture: Texture, isExact: Bool, hasOpacity: Bool, cancellation: any Cancellable
  ) throws(ImageError) -> Texture {
    // What was encoded this way would only become worse.
    guard texture.encoding.rawValue != textures.rawValue else { return texture }
    let picture = try TextureRaster(texture, isData: isExact && !hasOpacity)
    // libwebp without loss still changes what is transparent.
    let raster = isExact && !hasOpacity ? picture.opaque : picture
    let encoding: Texture.Encoding =
      switch textures {
      case .keep: texture.encoding
      case .webp: .webp
      case .avif: .avif
      case .ktx2: .ktx2
      case .png: .png
      case .jpeg: isExact || raster.hasTransparency ? .png : .jpeg
      }
    guard encoding != texture.encoding else { return texture }
    let bytes =
      encoding == .ktx2
      ? try KTX2.encode(
        raster, quality: quality, hasColors: !isExact, path: texture.fileName,
        cancellation: cancellation)
      : try raster.encoded(as: encoding, quality: isExact ? nil : quality)
    let isUsable = GLTFDocument.mimeType(of: texture.encoding) != nil
    // KTX2 saves a viewer memory, however large its file is.
    if textures != .png, textures != .ktx2, isUsable, bytes.count >= texture.bytes.count {
      return texture
    }
    return texture.encoded(bytes, as: encoding)
  }
}
