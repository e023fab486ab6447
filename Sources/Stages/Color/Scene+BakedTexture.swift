import MeshPipeline
import SurfaceKernels

extension Scene {
  /// Replaces the appearance of the meshes by the pages of an atlas of all their faces.
  ///
  /// - Parameters:
  ///   - pages: The atlas's pages; each gets a material of its name.
  ///   - isSeen: Of each face, whether it takes the texture; the others keep their material, texture
  ///     coordinates and colours. Nil for all.
  mutating func takeTexture(
    _ pages: [Texture], _ atlas: Atlas, isUnlit: Bool, leaving isSeen: [Bool]?
  ) {
    let isSeen = isSeen.flatMap { $0.contains(false) ? $0 : nil }
    // Photographs already contain the light: nothing of the old material may shade them again.
    let isDoubleSided = materials.first?.isDoubleSided ?? true
    if isSeen == nil { (materials, textures) = ([], []) }
    // They are in the old coordinates.
    surfaceMaps = []
    if isSeen != nil, meshes.contains(where: { $0.faceMaterials == nil }) {
      materials.append(Material(name: "unseen", isDoubleSided: true))
    }
    let neutral = UInt32(max(0, materials.count - 1))
    let first = UInt32(materials.count)
    for page in pages {
      materials.append(
        Material(
          name: FileSystem.stem(of: page.fileName), isDoubleSided: isDoubleSided,
          baseColorTexture: textures.count, isUnlit: isUnlit))
      textures.append(page)
    }
    let coordinates = atlas.textureCoordinates
    var firstFace = 0
    for index in meshes.indices {
      meshes[index].takeTexture(
        atlas, coordinates, firstFace: firstFace, firstMaterial: first, otherMaterial: neutral
      ) { isSeen?[$0] ?? true }
      firstFace += meshes[index].faceCount
    }
  }
}

extension Mesh {
  /// - Parameters:
  ///   - firstFace: The number of its first face among those of the atlas.
  ///   - firstMaterial: The material of the first page.
  ///   - otherMaterial: That of faces without the texture that had none.
  ///   - isTextured: Whether a face of the atlas takes the texture.
  fileprivate mutating func takeTexture(
    _ atlas: Atlas, _ coordinates: [Vector2], firstFace: Int, firstMaterial: UInt32,
    otherMaterial: UInt32, where isTextured: (Int) -> Bool
  ) {
    var newMaterials = faceMaterials ?? [UInt32](repeating: otherMaterial, count: faceCount)
    var newCoordinates = textureCoordinates ?? [Vector2](repeating: .zero, count: cornerCount)
    for face in 0..<faceCount where isTextured(firstFace + face) {
      let page = atlas.facePages[firstFace + face]
      newMaterials[face] = firstMaterial + (page == Atlas.noPage ? 0 : UInt32(page))
      for corner in 3 * face..<3 * face + 3 {
        newCoordinates[corner] = coordinates[3 * firstFace + corner]
      }
    }
    (faceMaterials, textureCoordinates) = (newMaterials, newCoordinates)
    // They were those of the old texture coordinates.
    tangents = nil
    removeColors { isTextured(firstFace + $0) }
  }

  /// Removes vertex colours of textured faces, since programs multiply the two.
  ///
  /// - Parameter isTextured: Whether a face has the texture. The others keep the colours of those
  ///   vertices that they don't share with such a face.
  private mutating func removeColors(where isTextured: (Int) -> Bool) {
    guard faceCount > 0 else { return }
    var hasOther = false
    if faceColors != nil {
      for face in 0..<faceCount {
        if isTextured(face) { faceColors?[face] = .white } else { hasOther = true }
      }
      if !hasOther { paint(nil) }
    }
    guard var kept = colors else { return }
    for face in 0..<faceCount {
      guard isTextured(face) else {
        hasOther = true
        continue
      }
      for corner in 3 * face..<3 * face + 3 { kept[Int(indices[corner])] = .white }
    }
    colors = hasOther ? kept : nil
  }
}
