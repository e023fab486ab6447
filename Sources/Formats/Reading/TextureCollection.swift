import MeshPipeline
import NativeLibraries

/// The textures of a scan while its materials are read, each once.
struct TextureCollection {
  private(set) var textures: [Texture] = []
  private var indexByPath: [String: Int?] = [:]
  /// The tiles of the textures that have some, and what opens them.
  private var tiles: [Int: (set: TextureTiles, opener: SideFileOpener)] = [:]
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
    let tiles = opener.tiles(of: name, subfolder: subfolder)
    let first = tiles?.standIn.map { String($0.dropFirst(opener.folder.count + 1)) }
    guard
      let (file, path) = opener.openOrWarn(
        first ?? name, subfolder: first == nil ? subfolder : "", purpose: "the image",
        source: source, isPicture: true)
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
    if let tiles { self.tiles[index] = (tiles, opener) }
    return index
  }

  /// Gives faces on tiles their pictures: ``Scene/spreadTiles(_:load:)``.
  ///
  /// - Parameters:
  ///   - scene: With the materials that refer to these textures, which it gets.
  ///   - warn: Receives sentences for the user.
  func give(to scene: inout Scene, warn: (String) -> Void) {
    scene.textures = textures
    guard let opener = tiles.values.first?.opener else { return }
    let remarks = scene.spreadTiles(tiles.mapValues(\.set)) { opener.tile(at: $0) }
    for remark in remarks { warn(remark) }
  }

  /// - Throws: ``ImageError`` for textures in tiles, of which no other picture is made.
  private func requireNoMarks(_ indices: [Int?]) throws(ImageError) {
    for index in indices {
      if let index, let set = tiles[index]?.set, set.named == nil {
        throw ImageError(set.name, "is in tiles, which are not joined with other pictures")
      }
    }
  }

  /// The texture of roughness and metalness: ``MetallicRoughnessTextures/index(roughness:metallic:isUsed:in:)``.
  mutating func metallicRoughness(
    roughness: TexturePlace?, metallic: TexturePlace?, isUsed: (roughness: Bool, metallic: Bool)
  ) throws(ImageError) -> Int? {
    let places = [roughness, metallic]
    let isShared = roughness == nil || metallic == nil || roughness?.texture == metallic?.texture
    if !isShared { try requireNoMarks(places.map { $0?.texture }) }
    return try joined.index(roughness: roughness, metallic: metallic, isUsed: isUsed, in: &textures)
  }

  /// Gives a material pictures of these: ``MetallicRoughnessTextures/give(roughness:metallic:to:in:)``.
  mutating func give(
    roughness: Int?, metallic: Int?, to material: inout Material
  ) throws(ImageError) {
    try requireNoMarks([roughness, metallic])
    try joined.give(roughness: roughness, metallic: metallic, to: &material, in: &textures)
  }

  /// A texture at another strength: ``TextureStrengths/index(of:as:strength:in:)``.
  mutating func index(
    of texture: Int, as map: TextureStrengths.Map, strength: Float
  ) throws(ImageError) -> Int {
    if strength != 1 { try requireNoMarks([texture]) }
    return try strengths.index(of: texture, as: map, strength: strength, in: &textures)
  }

  /// Adds an image that is already in memory.
  mutating func add(_ bytes: [UInt8], fileName: String) -> Int {
    textures.append(Texture(bytes, fileName: fileName))
    return textures.count - 1
  }
}
