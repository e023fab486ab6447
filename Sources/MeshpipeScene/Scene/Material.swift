/// The appearance of a surface, in terms common to all formats (glTF's metallic-roughness model).
public struct Material: Sendable, Equatable {
  /// The name in files that name their materials.
  public var name: String
  /// Linear red, green, blue and opacity, each 0 to 1; multiplies the texture.
  public var baseColor: SIMD4<Float>
  /// 0 (dielectric) to 1 (metal).
  public var metallic: Float
  /// 0 (mirror) to 1 (matt).
  public var roughness: Float
  /// Linear emitted colour.
  public var emissive: SIMD3<Float>
  /// Whether back faces are visible.
  public var isDoubleSided: Bool
  /// Index into the scene's textures.
  public var baseColorTexture: Int?
  /// Index into the scene's textures; tangent space, +Y up as in glTF and OpenGL.
  public var normalTexture: Int?
  /// Index into the scene's textures; its red says how much light from all around comes in, which
  /// multiplies only that light and not that of lamps.
  public var occlusionTexture: Int?
  /// Whether the colour is shown regardless of lights, since photographs already contain their
  /// light.
  ///
  /// glTF has the extension KHR_materials_unlit for this, and MTL `illum 0`; most formats can't
  /// express it.
  public var isUnlit: Bool

  /// Creates a material; by default white, matt and opaque.
  public init(
    name: String = "", baseColor: SIMD4<Float> = SIMD4(1, 1, 1, 1), metallic: Float = 0,
    roughness: Float = 1, emissive: SIMD3<Float> = .zero, isDoubleSided: Bool = false,
    baseColorTexture: Int? = nil, normalTexture: Int? = nil, occlusionTexture: Int? = nil,
    isUnlit: Bool = false
  ) {
    self.name = name
    self.baseColor = baseColor
    self.metallic = metallic
    self.roughness = roughness
    self.emissive = emissive
    self.isDoubleSided = isDoubleSided
    self.baseColorTexture = baseColorTexture
    self.normalTexture = normalTexture
    self.occlusionTexture = occlusionTexture
    self.isUnlit = isUnlit
  }

  /// Everything that refers to a texture of the scene.
  package static var textureKeys: [WritableKeyPath<Material, Int?>] {
    [\.baseColorTexture, \.normalTexture, \.occlusionTexture]
  }
}

/// An encoded image, as in a file.
public struct Texture: Sendable, Equatable {
  /// The encoding of the bytes.
  public enum Encoding: String, Sendable, CaseIterable {
    /// The format of the image file.
    case png, jpeg, webp, avif, ktx2, tga, bmp, tiff, other
  }

  /// File name without folder but with extension, for formats that store images in separate files.
  public var fileName: String
  /// The encoding of ``bytes``.
  public var encoding: Encoding
  /// The encoded image, as in a file.
  public var bytes: [UInt8]

  /// Creates a texture from an encoded image, which is not checked.
  public init(fileName: String, encoding: Encoding, bytes: [UInt8]) {
    self.fileName = fileName
    self.encoding = encoding
    self.bytes = bytes
  }
}
