import MeshpipeScene

/// The regions that the faces of several meshes belong to: faces with one material and class.
///
/// Computed on demand, since a number for each face would take more memory than materials and
/// classes.
package struct FaceRegions: Sendable {
  private struct Part: Sendable {
    var firstFace: Int
    var materials: [UInt32]?
    var labels: [UInt16]?
    /// The number of each label in all meshes: they may number the same classes differently.
    var numbers: [UInt32]
  }

  private var parts: [Part] = []

  /// Nil if all faces are of one region.
  ///
  /// - Parameter separatesClasses: Whether classes divide the surface into regions, as materials do.
  init?(_ meshes: [Mesh], separatesClasses: Bool) {
    guard
      meshes.contains(where: { $0.faceMaterials != nil || separatesClasses && $0.classes != nil })
    else { return nil }
    var names: [String] = []
    var firstFace = 0
    for mesh in meshes {
      let classes = separatesClasses ? mesh.classes : nil
      let numbers = (classes?.names ?? []).map { name in
        if let known = names.firstIndex(of: name) { return UInt32(known) }
        names.append(name)
        return UInt32(names.count - 1)
      }
      parts.append(
        Part(
          firstFace: firstFace, materials: mesh.faceMaterials, labels: classes?.labels,
          numbers: numbers))
      firstFace += mesh.faceCount
    }
  }

  subscript(face: Int) -> UInt32 {
    var (low, high) = (0, parts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if parts[middle].firstFace <= face { low = middle } else { high = middle }
    }
    let place = face - parts[low].firstFace
    let material = (parts[low].materials?[place] ?? 0) & 0xFFFF
    let number = parts[low].labels.map { parts[low].numbers[Int($0[place])] } ?? 0xFFFF
    return material << 16 | number
  }
}
