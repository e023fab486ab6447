import MeshPipeline

/// The faces of a mesh grouped by class and material.
struct FaceGroups {
  struct Group {
    /// Index into the mesh's class names; nil if it has none.
    var label: UInt16?
    /// Index into the scene's materials; nil if the mesh has none.
    var material: UInt32?
    /// The group's range of ``FaceGroups/order``.
    var range: Range<Int>
  }

  /// All faces by class, then by material, then in the mesh's order; nil if that is the mesh's
  /// order.
  let order: [UInt32]?
  let groups: [Group]

  init(_ mesh: Mesh) {
    let labels = mesh.classes?.labels
    let materials = mesh.faceMaterials
    guard mesh.faceCount > 0 else {
      (order, groups) = (nil, [])
      return
    }
    var order: [UInt32]?
    if let materials {
      order = Self.sorted(order, count: mesh.faceCount) { Int(materials[$0]) }
    }
    if let labels { order = Self.sorted(order, count: mesh.faceCount) { Int(labels[$0]) } }

    var groups: [Group] = []
    for place in 0..<mesh.faceCount {
      let face = order.map { Int($0[place]) } ?? place
      let (label, material) = (labels?[face], materials?[face])
      if let last = groups.indices.last, groups[last].label == label,
        groups[last].material == material
      {
        groups[last].range = groups[last].range.lowerBound..<place + 1
      } else {
        groups.append(Group(label: label, material: material, range: place..<place + 1))
      }
    }
    self.order = groups.count > 1 ? order : nil
    self.groups = groups
  }

  /// A stable counting sort of faces.
  private static func sorted(
    _ order: [UInt32]?, count: Int, by key: (Int) -> Int
  ) -> [UInt32] {
    var starts: [Int] = []
    for face in 0..<count {
      let key = key(face)
      if key >= starts.count { starts += [Int](repeating: 0, count: key + 1 - starts.count) }
      starts[key] += 1
    }
    var total = 0
    for key in starts.indices { (starts[key], total) = (total, total + starts[key]) }
    var result = [UInt32](repeating: 0, count: count)
    for index in 0..<count {
      let face = order?[index] ?? UInt32(index)
      let key = key(Int(face))
      result[starts[key]] = face
      starts[key] += 1
    }
    return result
  }

  /// The face at a position of the order.
  func face(at index: Int) -> Int { order.map { Int($0[index]) } ?? index }
}
