import MeshPipeline

extension Scene {
  /// Removes materials that no face has, and textures that no material has.
  mutating func removeUnusedMaterials() {
    var isUsed = [Bool](repeating: false, count: materials.count)
    for mesh in meshes {
      for material in mesh.faceMaterials ?? [] { isUsed[Int(material)] = true }
    }
    let numbers = Self.numbers(of: isUsed)
    materials = materials.indices.filter { isUsed[$0] }.map { materials[$0] }
    for index in meshes.indices {
      guard var own = meshes[index].faceMaterials.take() else { continue }
      for face in own.indices { own[face] = UInt32(numbers[Int(own[face])]) }
      meshes[index].faceMaterials = own
    }
    removeUnusedTextures()
  }

  /// Removes the textures that no material has.
  mutating func removeUnusedTextures() {
    var isShown = [Bool](repeating: false, count: textures.count)
    for material in materials {
      for texture in Material.textureKeys.compactMap({ material[keyPath: $0] })
      where isShown.indices.contains(texture) {
        isShown[texture] = true
      }
    }
    let numbers = Self.numbers(of: isShown)
    textures = textures.indices.filter { isShown[$0] }.map { textures[$0] }
    func number(_ texture: Int?) -> Int? {
      texture.flatMap { numbers.indices.contains($0) ? numbers[$0] : nil }
    }
    for index in materials.indices {
      for key in Material.textureKeys {
        materials[index][keyPath: key] = number(materials[index][keyPath: key])
      }
    }
  }

  /// The new index of each kept element.
  private static func numbers(of kept: [Bool]) -> [Int] {
    var next = 0
    return kept.map { isKept in
      defer { if isKept { next += 1 } }
      return next
    }
  }
}
