extension Scene {
  /// The materials that at least one face has, by index.
  package var usedMaterials: [Int] {
    var used = [Bool](repeating: false, count: materials.count)
    for mesh in meshes {
      for material in mesh.faceMaterials ?? [] { used[Int(material)] = true }
    }
    return materials.indices.filter { used[$0] }
  }
}
