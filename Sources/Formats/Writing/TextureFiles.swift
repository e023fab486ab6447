import MeshPipeline

/// The pictures that lie beside a model, under names that every program finds.
struct TextureFiles {
  /// File name by index of the texture in the scene; nil where the texture is not used.
  let names: [String?]

  /// Names the textures that the scene's materials use.
  ///
  /// No two models in a folder get the same name for a picture, and no name has spaces, at which many
  /// readers of MTL and PLY end one.
  /// - Parameter isWanted: Whether the format knows such a picture; others are left out.
  init(
    of scene: Scene, beside output: OutputSet, where isWanted: (Texture) -> Bool = { _ in true }
  ) {
    var used = Set<Int>()
    for material in scene.usedMaterials.map({ scene.materials[$0] }) {
      if let texture = material.baseColorTexture { used.insert(texture) }
      if let texture = material.normalTexture { used.insert(texture) }
    }
    var taken: Set<String> = []
    names = scene.textures.indices.map { index -> String? in
      guard used.contains(index), isWanted(scene.textures[index]) else { return nil }
      let picture = safeFileName(scene.textures[index].fileName)
      let point = picture.lastIndex(of: ".") ?? picture.endIndex
      var own = Self.ownName(String(picture[..<point]), beside: output)
      var end = picture[point...]
      if picture.isEmpty {
        (own, end) = ("texture\(index)", ".\(scene.textures[index].encoding.rawValue)")
      }
      var name = Self.name(own, beside: output) + end
      var count = 2
      while !taken.insert(name.lowercased()).inserted {
        name = Self.name(own.isEmpty ? "\(count)" : "\(own)-\(count)", beside: output) + end
        count += 1
      }
      return name
    }
  }

  /// What a picture is called besides the model's name, with which its own may begin already.
  private static func ownName(_ picture: String, beside output: OutputSet) -> String {
    var own = picture[...]
    for stem in [output.sideStem, safeFileName(output.stem)] where own.hasPrefix(stem) {
      let rest = own.dropFirst(stem.count)
      guard let separator = rest.first else { return "" }
      guard separator == "-" || separator == "_" else { continue }
      own = rest.dropFirst()
      break
    }
    return String(own.map { $0 == "_" ? "-" : $0 })
  }

  /// The model's name and that of the picture, without low lines; or the model's alone.
  ///
  /// The last low line tells where the model's name ends, and the model's alone has none: so the names
  /// of two models' pictures are never the same.
  private static func name(_ own: String, beside output: OutputSet) -> String {
    let stem = output.sideStem
    if own.isEmpty, !stem.contains("_") { return stem }
    return "\(stem)_\(own.isEmpty ? "texture" : own)"
  }

  /// Writes the pictures as they are.
  func write(_ scene: Scene, to output: OutputSet, in context: WritingContext) throws {
    for (texture, name) in zip(scene.textures, names) {
      guard let name else { continue }
      let writer = try FileWriter(creating: output.sidePath(name), in: context.stage)
      try writer.write(texture.bytes)
      try writer.finish()
    }
  }
}

extension Scene {
  /// The materials that at least one face has, by index.
  var usedMaterials: [Int] {
    var used = [Bool](repeating: false, count: materials.count)
    for mesh in meshes {
      for material in mesh.faceMaterials ?? [] { used[Int(material)] = true }
    }
    return materials.indices.filter { used[$0] }
  }
}

extension OutputSet {
  /// What the names of the files beside the model begin with: its own name, as a reader can take it.
  ///
  /// One that had to be changed for that ends in a hash of what it was, so that `a b` and `a_b` don't
  /// take each other's files.
  var sideStem: String {
    let safe = safeFileName(stem)
    // By bytes, as files have their names.
    if safe.utf8.elementsEqual(stem.utf8) { return safe }
    return "\(safe)-\(SHA256.hexadecimal(of: Array(stem.utf8)).prefix(8))"
  }
}

/// A name for a file beside the model: without spaces, separators and what else stops a reader.
func safeFileName(_ name: String) -> String {
  let base = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
  let safe = base.map { character -> Character in
    let isPlain = character.isLetter || character.isNumber || "-_.()+,=@~".contains(character)
    return isPlain ? character : "_"
  }
  return String(safe.drop { $0 == "." || $0 == "-" })
}
