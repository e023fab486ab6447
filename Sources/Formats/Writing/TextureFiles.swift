import MeshPipeline

/// The texture files of a model, with names that every program can read.
struct TextureFiles {
  /// File name by index of the texture in the scene; nil for unused textures.
  let names: [String?]

  /// Names the textures used by the scene's materials.
  ///
  /// Textures of different models in a folder get different names, and no name has spaces, where
  /// many readers of MTL and PLY end a name. Levels of one model share the files of equal textures, whose names have the
  /// beginning of a hash of their bytes, so that a level that is made again never changes the file of another one.
  /// - Parameters:
  ///   - keys: The maps of materials that the format has.
  ///   - isWanted: Whether the format supports the texture; others are left out.
  init(
    of scene: Scene, beside output: OutputSet,
    maps keys: [WritableKeyPath<Material, Int?>] = [\.baseColorTexture, \.normalTexture],
    where isWanted: (Texture) -> Bool = { _ in true }
  ) {
    var used = Set<Int>()
    for material in scene.usedMaterials.map({ scene.materials[$0] }) {
      used.formUnion(keys.compactMap { material[keyPath: $0] })
    }
    self.init(
      scene.textures, used: used.filter { isWanted(scene.textures[$0]) }, beside: output)
  }

  /// Names the textures with the given indices.
  init(_ textures: [Texture], used: Set<Int>, beside output: OutputSet) {
    var taken: Set<String> = []
    names = textures.indices.map { index -> String? in
      guard used.contains(index) else { return nil }
      let picture = safeFileName(textures[index].fileName)
      let point = picture.lastIndex(of: ".") ?? picture.endIndex
      var own = Self.ownName(String(picture[..<point]), beside: output)
      var end = picture[point...]
      if picture.isEmpty {
        (own, end) = ("texture\(index)", ".\(textures[index].encoding.rawValue)")
      }
      if let stem = output.sharedStem {
        let hash = SHA256.hexadecimal(of: textures[index].bytes).prefix(8)
        return [safeFileName(stem), own, String(hash)].filter { !$0.isEmpty }
          .joined(separator: "_") + end
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

  /// The name of a texture without the model's name, if it begins with it.
  private static func ownName(_ picture: String, beside output: OutputSet) -> String {
    var own = picture[...]
    let stems = [output.sideStem, safeFileName(output.stem), output.sharedStem.map(safeFileName)]
    for stem in stems.compactMap({ $0 }) where !stem.isEmpty && own.hasPrefix(stem) {
      let rest = own.dropFirst(stem.count)
      guard let separator = rest.first else { return "" }
      guard separator == "-" || separator == "_" else { continue }
      own = rest.dropFirst()
      break
    }
    return String(own.map { $0 == "_" ? "-" : $0 })
  }

  /// The names of the model and the texture, without underscores; or only the model's.
  ///
  /// The last underscore marks the end of the model's name, which itself has none, so texture names
  /// of two models never collide.
  private static func name(_ own: String, beside output: OutputSet) -> String {
    let stem = output.sideStem
    if own.isEmpty, !stem.contains("_") { return stem }
    return "\(stem)_\(own.isEmpty ? "texture" : own)"
  }

  /// Writes the textures: those that were read as they are, and others with what made them.
  func write(_ scene: Scene, to output: OutputSet, in context: WritingContext) throws {
    for (texture, name) in zip(scene.textures, names) {
      guard let name else { continue }
      let writer = try FileWriter(creating: output.sidePath(name), in: context.stage)
      try writer.write(context.marked(texture.bytes))
      try writer.finish()
    }
  }
}

extension OutputSet {
  /// The prefix of side files: the model's name in a form that every reader accepts.
  ///
  /// If it had to be changed for that, a hash of the original is appended, so that `a b` and `a_b`
  /// don't overwrite each other's files.
  var sideStem: String {
    let safe = safeFileName(stem)
    // By bytes, as file systems compare names.
    if safe.utf8.elementsEqual(stem.utf8) { return safe }
    return "\(safe)-\(SHA256.hexadecimal(of: Array(stem.utf8)).prefix(8))"
  }
}

/// A name for a side file: without spaces, separators and other problematic characters.
func safeFileName(_ name: String) -> String {
  let base = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
  let safe = base.map { character -> Character in
    let isPlain = character.isLetter || character.isNumber || "-_.()+,=@~".contains(character)
    return isPlain ? character : "_"
  }
  return String(safe.drop { $0 == "." || $0 == "-" })
}
