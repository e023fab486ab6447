/// The look of a surface, in the terms that all formats share (glTF's metallic-roughness model).
public struct Material: Sendable, Equatable {
  public var name: String
  /// Linear red, green, blue and opacity, each 0 to 1; multiplies the texture.
  public var baseColor: SIMD4<Float>
  public var metallic: Float
  public var roughness: Float
  /// Linear emitted colour.
  public var emissive: SIMD3<Float>
  public var isDoubleSided: Bool
  /// Index into the scene's textures.
  public var baseColorTexture: Int?
  /// Index into the scene's textures; tangent space, +Y up as in glTF and OpenGL.
  public var normalTexture: Int?
  /// Whether the colour is shown as it is, whatever lamps there are: photographs hold their light already.
  ///
  /// glTF has the extension KHR_materials_unlit for it, and MTL `illum 0`; most formats have no word.
  public var isUnlit: Bool

  public init(
    name: String = "", baseColor: SIMD4<Float> = SIMD4(1, 1, 1, 1), metallic: Float = 0,
    roughness: Float = 1, emissive: SIMD3<Float> = .zero, isDoubleSided: Bool = false,
    baseColorTexture: Int? = nil, normalTexture: Int? = nil, isUnlit: Bool = false
  ) {
    self.name = name
    self.baseColor = baseColor
    self.metallic = metallic
    self.roughness = roughness
    self.emissive = emissive
    self.isDoubleSided = isDoubleSided
    self.baseColorTexture = baseColorTexture
    self.normalTexture = normalTexture
    self.isUnlit = isUnlit
  }
}

/// An encoded image, as it came from a file or goes into one.
public struct Texture: Sendable, Equatable {
  /// The encoding of the bytes.
  public enum Encoding: String, Sendable, CaseIterable {
    case png, jpeg, webp, tga, bmp, tiff, other
  }

  /// File name without folder and with extension, for formats that keep images beside the model.
  public var fileName: String
  public var encoding: Encoding
  public var bytes: [UInt8]

  public init(fileName: String, encoding: Encoding, bytes: [UInt8]) {
    self.fileName = fileName
    self.encoding = encoding
    self.bytes = bytes
  }
}
