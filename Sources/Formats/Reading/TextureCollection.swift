import MeshPipeline
import NativeLibraries

/// The textures of a scan while its materials are read, each once.
struct TextureCollection {
  private(set) var textures: [Texture] = []
  private var indexByPath: [String: Int?] = [:]
  private var joined = MetallicRoughnessTextures()
  private var strengths = TextureStrengths()

  /// Loads an encoded image file of the scan, unchanged.
  ///
  /// - Returns: Its index, or nil after a warning.
  mutating func load(
    _ name: String, subfolder: String, opener: SideFileOpener, source: String
  ) -> Int? {
    // Names are relative to the folder, and may be others in another one.
    let key = "\(subfolder)\n\(name)"
    if let known = indexByPath[key] { return known }
    guard
      let (file, path) = opener.openOrWarn(
        name, subfolder: subfolder, purpose: "the image", source: source)
    else {
      indexByPath[key] = .some(nil)
      return nil
    }
    // Two names may refer to the same file; slashes distinguish paths from names.
    if let known = indexByPath["//" + path] {
      indexByPath[key] = known
      return known
    }
    let bytes = file.withBytes { [UInt8](copying: $0) }
    opener.didFinish(file)
    let index = add(bytes, fileName: FileSystem.name(of: path).withoutForeignBytes)
    indexByPath[key] = index
    indexByPath["//" + path] = index
    return index
  }

  /// The texture of roughness and metalness: ``MetallicRoughnessTextures/index(roughness:metallic:isUsed:in:)``.
  mutating func metallicRoughness(
    roughness: TexturePlace?, metallic: TexturePlace?, isUsed: (roughness: Bool, metallic: Bool)
  ) throws(ImageError) -> Int? {
    try joined.index(roughness: roughness, metallic: metallic, isUsed: isUsed, in: &textures)
  }

  /// Gives a material pictures of these: ``MetallicRoughnessTextures/give(roughness:metallic:to:in:)``.
  mutating func give(
    roughness: Int?, metallic: Int?, to material: inout Material
  ) throws(ImageError) {
    try joined.give(roughness: roughness, metallic: metallic, to: &material, in: &textures)
  }

  /// A texture at another strength: ``TextureStrengths/index(of:as:strength:in:)``.
  mutating func index(
    of texture: Int, as map: TextureStrengths.Map, strength: Float
  ) throws(ImageError) -> Int {
    try strengths.index(of: texture, as: map, strength: strength, in: &textures)
  }

  /// Adds an image that is already in memory.
  mutating func add(_ bytes: [UInt8], fileName: String) -> Int {
    textures.append(
      Texture(
        fileName: fileName, encoding: Texture.Encoding(bytes: bytes, fileName: fileName),
        bytes: bytes))
    return textures.count - 1
  }
}
