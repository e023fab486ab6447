import MeshPipeline
import NativeLibraries

/// The materials of an OBJ file: looked up in its libraries by name, created on first use.
struct OBJMaterials {
  private(set) var materials: [Material] = []
  private(set) var textures = TextureCollection()
  /// The effect of a material's texture options on texture coordinates: scale, then offset.
  private(set) var textureTransforms: [UInt32: (scale: SIMD2<Float>, offset: SIMD2<Float>)] = [:]

  private let path: String
  private let context: ReadingContext
  private let opener: SideFileOpener
  private var sources: [String: Source] = [:]
  private var hasLibrary = false
  private var undefinedNames: [String] = []
  private var statementsRead: Set<String> = []
  private var indexOfName: [String: UInt32] = [:]

  /// A material in a library.
  private struct Source {
    var entry: MaterialLibrary.Entry
    var library: String
    var subfolder: String
  }

  init(path: String, context: ReadingContext) {
    self.path = path
    self.context = context
    opener = SideFileOpener(mainPath: path, context: context)
  }

  /// Reads the libraries named by a `mtllib` statement.
  ///
  /// There may be several, and names may contain spaces: the longest sequence of words that is an
  /// existing file is taken as a name.
  mutating func readLibraries(_ statement: String) {
    // Some exporters name the same library before each group; a thousand different ones are damage.
    guard statementsRead.count < 1000, statementsRead.insert(statement).inserted else { return }
    let words = statement.split { $0 == " " || $0 == "\t" }.prefix(64)
    var first = 0
    while first < words.count {
      var next = first + 1
      var file: MappedFile?
      for end in stride(from: min(words.count, first + 16), to: first, by: -1) {
        let name = String(statement[words[first].startIndex..<words[end - 1].endIndex])
        if case .found(let found, _) = opener.open(name) {
          (file, next) = (found, end)
          break
        }
      }
      let name = String(statement[words[first].startIndex..<words[next - 1].endIndex])
      if let file {
        read(file, name: name)
      } else {
        // Reported for the words up to the next extension, which are the likely name.
        let end =
          words[first...].firstIndex { $0.lowercased().hasSuffix(".mtl") } ?? words.count - 1
        let whole = String(statement[words[first].startIndex..<words[end].endIndex])
        _ = opener.openOrWarn(
          whole, purpose: "the material library", source: FileSystem.name(of: path))
        next = end + 1
      }
      first = next
    }
  }

  private mutating func read(_ file: MappedFile, name: String) {
    hasLibrary = true
    let library = file.withBytes { MaterialLibrary($0) }
    opener.didFinish(file)
    if let line = library.faultyLines.first {
      let count = library.faultyLines.count
      context.stage.warn(
        "\(name):\(line): an invalid statement was ignored"
          + (count > 1 ? ", and \(count - 1) after it" : ""))
    }
    let folder = FileSystem.folder(of: name)
    for entry in library.entries where sources[entry.name] == nil {
      sources[entry.name] = Source(
        entry: entry, library: FileSystem.name(of: name), subfolder: folder == "." ? "" : folder)
    }
  }

  /// The index of a material, created on first use.
  mutating func index(of name: String) -> UInt32 {
    if let known = indexOfName[name] { return known }
    let index = UInt32(materials.count)
    indexOfName[name] = index
    guard let source = sources[name] ?? sources[withoutComment(name)] else {
      if hasLibrary, !name.isEmpty { undefinedNames.append(name) }
      materials.append(Material(name: name.isEmpty ? "default" : name, isDoubleSided: true))
      return index
    }
    materials.append(material(source, index))
    return index
  }

  /// Warns about materials that no library has.
  func warnOfUndefinedMaterials() {
    guard let first = undefinedNames.first else { return }
    let more = undefinedNames.count > 1 ? " and \(undefinedNames.count - 1) others" : ""
    context.stage.warn(
      "\(FileSystem.name(of: path)): the material '\(first)'\(more) is in no library; such faces get a plain one"
    )
  }

  private func withoutComment(_ name: String) -> String {
    guard let hash = name.firstIndex(of: "#") else { return name }
    var start = name[..<hash]
    while let last = start.last, last == " " || last == "\t" { start.removeLast() }
    return String(start)
  }

  private mutating func material(_ source: Source, _ index: UInt32) -> Material {
    let entry = source.entry
    var material = Material(entry)
    // MTL has no word for a back that can't be seen, and a scan has none.
    material.isDoubleSided = true
    if let map = entry.colorMap {
      material.baseColorTexture = load(map, source)
      // Programs write any Kd beside a texture, even black, and none multiplies by it.
      if material.baseColorTexture != nil {
        material.baseColor = SIMD4(1, 1, 1, material.baseColor.w)
      }
    }
    if let map = entry.normalMap { material.normalTexture = load(map, source) }
    if let map = entry.emissiveMap {
      material.emissiveTexture = load(map, source)
      material.lightEmissiveTexture()
    }
    readMetallicRoughness(source, &material)
    if let map = entry.opacityMap {
      if map.fileName == entry.colorMap?.fileName {
        material.alphaMode = .blend
      } else {
        context.stage.warn(
          "\(source.library): the opacity texture '\(map.fileName)' of '\(material.name)' is left out"
        )
      }
    }
    placeTextures(of: source, material, index)
    return material
  }

  /// Reads the pictures of roughness and metalness, which nothing multiplies, as one.
  private mutating func readMetallicRoughness(_ source: Source, _ material: inout Material) {
    let roughness = source.entry.roughnessMap.flatMap { load($0, source) }
    let metallic = source.entry.metallicMap.flatMap { load($0, source) }
    do {
      try textures.give(roughness: roughness, metallic: metallic, to: &material)
    } catch {
      context.stage.warn(
        "\(source.library): the roughness and metalness of '\(material.name)' are left out: \(error.message)"
      )
    }
  }

  /// Notes what the first texture's options do to the texture coordinates, which others share.
  private mutating func placeTextures(of source: Source, _ material: Material, _ index: UInt32) {
    let entry = source.entry
    let maps = [
      (material.baseColorTexture, entry.colorMap), (material.normalTexture, entry.normalMap),
      (material.emissiveTexture, entry.emissiveMap),
      (material.metallicRoughnessTexture, entry.roughnessMap),
      (material.metallicRoughnessTexture, entry.metallicMap),
    ].compactMap { $0 == nil ? nil : $1 }
    guard let first = maps.first else { return }
    if first.scale != SIMD2(1, 1) || first.offset != .zero {
      textureTransforms[index] = (first.scale, first.offset)
    }
    if let other = maps.first(where: { !$0.isPlaced(as: first) }) {
      context.stage.warn(
        """
        \(source.library): '\(other.fileName)' of '\(material.name)' has another scale or offset than \
        '\(first.fileName)', which is taken for both
        """)
    }
  }

  private mutating func load(_ map: MaterialLibrary.Map, _ source: Source) -> Int? {
    textures.load(
      map.fileName, subfolder: source.subfolder, opener: opener, source: source.library)
  }
}
