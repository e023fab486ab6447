import MeshPipeline

extension ReadingContext {
  /// Warns of faces that reach beyond textures which a file clamps or mirrors there: materials have no place for that, and
  /// all programs repeat what is written.
  ///
  /// - Parameter materials: Indices of the materials that have such a texture.
  func warnOfBorders(of scene: Scene, materials: Set<UInt32>) {
    guard !materials.isEmpty else { return }
    // What bleeds over the border by filtering is not meant.
    let inside: ClosedRange<Float> = -0.01...1.01
    var crossing: Set<UInt32> = []
    for mesh in scene.meshes {
      guard let coordinates = mesh.textureCoordinates, let used = mesh.faceMaterials else {
        continue
      }
      for (face, material) in used.enumerated()
      where materials.contains(material) && !crossing.contains(material) {
        let corners = coordinates[3 * face..<3 * face + 3]
        if corners.contains(where: { !inside.contains($0.x) || !inside.contains($0.y) }) {
          crossing.insert(material)
        }
      }
    }
    guard !crossing.isEmpty else { return }
    let names = crossing.sorted().prefix(3).map { index in
      let name = scene.materials[Int(index)].name.prefix(60)
      return name.isEmpty ? "a material" : "'\(name)'"
    }
    let rest = crossing.count > 3 ? " and others" : ""
    stage.warn(
      """
      \(scene.name): the textures of \(names.joined(separator: ", "))\(rest) are clamped or mirrored beyond their \
      border, which is not read: they are repeated
      """)
  }
}
