/// The appearance of a surface, in terms common to all formats (glTF's metallic-roughness model).
public struct Material: Sendable, Equatable {
  /// The name in files that name their materials.
  public var name: String
  /// Linear red, green, blue and opacity, each 0 to 1; multiplies the texture.
  public var baseColor: SIMD4<Float>
  /// How the opacity of the base colour and its texture is shown.
  ///
  /// A base colour with an opacity below 1 shows what is behind even in an opaque material, as in
  /// formats that have no such mode.
  public var alphaMode: AlphaMode
  /// 0 (dielectric) to 1 (metal); multiplies the blue of the texture.
  public var metallic: Float
  /// 0 (mirror) to 1 (matt); multiplies the green of the texture.
  public var roughness: Float
  /// Linear emitted colour, 0 or more, where 1 is white; multiplies the texture.
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
  /// Index into the scene's textures; its green is the roughness, its blue the metalness, as in
  /// glTF, so that one picture may have an occlusion map in its red.
  public var metallicRoughnessTexture: Int?
  /// Index into the scene's textures; the colour of the emitted light, in sRGB.
  public var emissiveTexture: Int?
  /// Whether the colour is shown regardless of lights, since photographs already contain their
  /// light.
  ///
  /// glTF has the extension KHR_materials_unlit for this, and MTL `illum 0`; most formats can't
  /// express it.
  public var isUnlit: Bool

  /// What opacity means.
  public enum AlphaMode: Sendable, Equatable {
    /// Nothing: the texture's opacity is ignored.
    case opaque
    /// Where it is below the cutoff, 0 to 1, nothing is shown; the rest is opaque.
    case mask(cutoff: Float)
    /// It says how much of what is behind is hidden.
    case blend
  }

  /// Creates a material; by default white, matt and opaque.
  ///
  /// - Parameter alphaMode: If it is nil, a base colour with an opacity below 1 is blended.
  public init(
    name: String = "", baseColor: SIMD4<Float> = SIMD4(1, 1, 1, 1), metallic: Float = 0,
    roughness: Float = 1, emissive: SIMD3<Float> = .zero, isDoubleSided: Bool = false,
    baseColorTexture: Int? = nil, normalTexture: Int? = nil, occlusionTexture: Int? = nil,
    metallicRoughnessTexture: Int? = nil, emissiveTexture: Int? = nil, isUnlit: Bool = false,
    alphaMode: AlphaMode? = nil
  ) {
    self.name = name
    self.baseColor = baseColor
    self.alphaMode = alphaMode ?? (baseColor.w < 1 ? .blend : .opaque)
    self.metallic = metallic
    self.roughness = roughness
    self.emissive = emissive
    self.isDoubleSided = isDoubleSided
    self.baseColorTexture = baseColorTexture
    self.normalTexture = normalTexture
    self.occlusionTexture = occlusionTexture
    self.metallicRoughnessTexture = metallicRoughnessTexture
    self.emissiveTexture = emissiveTexture
    self.isUnlit = isUnlit
  }

  /// The mode in which it is shown: opaque only with an opaque base colour.
  package var shownAlphaMode: AlphaMode {
    alphaMode == .opaque && baseColor.w < 1 ? .blend : alphaMode
  }

  /// Whether its opacity can hide something: it is blended, or cut out by a cutoff above 0.
  package var isSeeThrough: Bool {
    switch shownAlphaMode {
    case .opaque: false
    case .mask(let cutoff): cutoff > 0
    case .blend: true
    }
  }

  /// The most emitted light that readers take over: more is damage, and infinite would be no number in other formats.
  package static let mostEmissive: Float = 1e9

  /// Everything that refers to a texture of the scene.
  package static var textureKeys: [WritableKeyPath<Material, Int?>] {
    [\.baseColorTexture, \.emissiveTexture] + dataTextureKeys
  }

  /// The textures whose values are numbers instead of colours, and not in sRGB.
  package static var dataTextureKeys: [WritableKeyPath<Material, Int?>] {
    [\.normalTexture, \.occlusionTexture, \.metallicRoughnessTexture]
  }

  /// The texture of a role.
  package static func textureKey(of role: TextureRole) -> WritableKeyPath<Material, Int?> {
    switch role {
    case .color: \.baseColorTexture
    case .normal: \.normalTexture
    case .occlusion: \.occlusionTexture
    case .metallicRoughness: \.metallicRoughnessTexture
    case .emissive: \.emissiveTexture
    }
  }

  /// Removes a texture, and the factor that would mean something else without it: the surface must
  /// not become metal, or emit light, all over.
  package mutating func removeTexture(_ key: WritableKeyPath<Material, Int?>) {
    guard self[keyPath: key] != nil else { return }
    self[keyPath: key] = nil
    removeFactor(ofTexture: key)
  }

  /// Removes the factor of a texture that can't be had.
  package mutating func removeFactor(ofTexture key: WritableKeyPath<Material, Int?>) {
    if key == \.metallicRoughnessTexture { metallic = 0 }
    if key == \.emissiveTexture { emissive = .zero }
  }

  /// Makes black emitted light white if it has a texture: programs write black that don't multiply the two.
  package mutating func lightEmissiveTexture() {
    if emissiveTexture != nil, emissive == .zero { emissive = SIMD3(repeating: 1) }
  }

  /// Removes a texture of emitted light that is multiplied by black: programs show it that don't multiply the two.
  package mutating func removeDarkEmissiveTexture() {
    if emissive == .zero { emissiveTexture = nil }
  }
}

extension Sequence<Material> {
  /// The indices of the textures that some keys of the materials refer to.
  package func textures(_ keys: [WritableKeyPath<Material, Int?>]) -> Set<Int> {
    Set(flatMap { material in keys.compactMap { material[keyPath: $0] } })
  }
}

/// What a texture is in a material.
public enum TextureRole: String, Sendable, CaseIterable {
  /// The colour, and the opacity.
  case color
  /// The directions of the normals.
  case normal
  /// How much light from all around comes in.
  case occlusion
  /// Where the surface is metal or smooth.
  case metallicRoughness = "metallic-roughness"
  /// The colour of the emitted light.
  case emissive
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

extension Material {
  /// The default material of a class, in its colour of ``ClassPalette``.
  ///
  /// - Parameter isColored: Whether vertices have colours, which the material must not tint.
  package init(ofClass name: String, isColored: Bool) {
    let color =
      isColored ? SIMD4<Float>(repeating: 1) : SIMD4(ClassPalette.linearColor(of: name), 1)
    self.init(name: name, baseColor: color, isDoubleSided: true)
  }

  /// The material of faces without one and without a class: light grey.
  ///
  /// - Parameter isColored: Whether vertices have colours, which the material must not tint.
  package init(plain name: String, isColored: Bool) {
    let grey: SIMD4<Float> = isColored ? SIMD4(repeating: 1) : SIMD4(0.8, 0.8, 0.8, 1)
    self.init(name: name, baseColor: grey, isDoubleSided: true)
  }
}
