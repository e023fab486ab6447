import MeshPipeline

/// The pictures that lie beside a model, under names that every program finds.
struct TextureFiles {
  /// File name by index of the texture in the scene; nil where the texture is not used.
  let names: [String?]

  /// Names the textures that the scene's materials use.
  ///
  /// A name begins with the model's, so that two models in a folder don't take each other's, and
  /// has no spaces, at which many readers of MTL and PLY end a name.
  /// - Parameter isWanted: Whether the format knows such a picture; others are left out.
  init(
    of scene: Scene, beside output: OutputSet, where isWanted: (Texture) -> Bool = { _ in true }
  ) {
    var used = Set<Int>()
    for material in scene.usedMaterials.map({ scene.materials[$0] }) {
      if let texture = material.baseColorTexture { used.insert(texture) }
      if let texture = material.normalTexture { used.insert(texture) }
    }
    let stem = safeFileName(output.stem)
    var taken: Set<String> = []
    names = scene.textures.indices.map { index -> String? in
      guard used.contains(index), isWanted(scene.textures[index]) else { return nil }
      var name = safeFileName(scene.textures[index].fileName)
      if name.isEmpty { name = "texture\(index).\(scene.textures[index].encoding.rawValue)" }
      if !name.hasPrefix(stem) { name = "\(stem)_\(name)" }
      let point = name.lastIndex(of: ".") ?? name.endIndex
      let (start, end) = (name[..<point], name[point...])
      var count = 2
      while !taken.insert(name.lowercased()).inserted {
        name = "\(start)_\(count)\(end)"
        count += 1
      }
      return name
    }
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

/// A name for a file beside the model: without spaces, separators and what else stops a reader.
func safeFileName(_ name: String) -> String {
  let base = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
  let safe = base.map { character -> Character in
    let isPlain = character.isLetter || character.isNumber || "-_.()+,=@~".contains(character)
    return isPlain ? character : "_"
  }
  return String(safe.drop { $0 == "." || $0 == "-" })
}
