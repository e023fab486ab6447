import MeshPipeline

/// The property groups of faces with one material and one class, to which their corners refer.
///
/// Faces with only a material refer to that. Colours and texture coordinates of corners get
/// separate groups; a multi-property group combines several of these.
struct ThreeMFLookTable {
  /// The common property of all faces, which is the object's default; nil if they have none.
  private(set) var standard: (group: UInt32, index: Int)?
  /// The group member of each corner; nil if all refer to ``standard``.
  private var members: [UInt32]?
  private let coordinates: (id: UInt32, texture: UInt32, values: [Vector2])?
  private let colors: (id: UInt32, values: [Color])?
  private let layers: (id: UInt32, material: (group: UInt32, index: Int)?)?

  /// - Parameters:
  ///   - material: The group of materials, the index in it, and the material.
  ///   - nextID: Allocates the next resource id.
  init(
    _ group: FaceGroups.Group, of mesh: Mesh, in groups: FaceGroups,
    material: (group: UInt32, index: Int, entry: MaterialTable.Entry)?, textureIDs: [Int: UInt32],
    nextID: () -> UInt32
  ) {
    let texture = material?.entry.material.baseColorTexture.flatMap { textureIDs[$0] }
    let coordinates = texture == nil ? nil : mesh.textureCoordinates
    standard = material.map { ($0.group, $0.index) }
    guard coordinates != nil || mesh.colors != nil else {
      (self.coordinates, colors, layers) = (nil, nil, nil)
      return
    }
    var split = SplitCorners(vertexCount: mesh.vertexCount)
    var members: [UInt32] = []
    members.reserveCapacity(3 * group.range.count)
    for place in group.range {
      let face = groups.face(at: place)
      for corner in 3 * face..<3 * face + 3 {
        members.append(
          split.number(corner: UInt32(corner), vertex: mesh.indices[corner]) { one, other in
            coordinates.map { $0[Int(one)] == $0[Int(other)] } ?? true
          })
      }
    }
    self.members = members
    var ownCoordinates: (id: UInt32, texture: UInt32, values: [Vector2])?
    if let coordinates, let texture {
      ownCoordinates = (nextID(), texture, split.corners.map { coordinates[Int($0)] })
    }
    let ownColors = mesh.colors.map { all in (nextID(), split.vertices.map { all[Int($0)] }) }
    (self.coordinates, colors) = (ownCoordinates, ownColors)
    // Fewer programs support layers than textures: a white material that is not a class adds
    // nothing to a texture.
    let isWhite = material?.entry.material.baseColor == SIMD4(repeating: 1)
    let addsNothing = isWhite && material?.entry.className == nil && ownCoordinates != nil
    let groups = [ownCoordinates?.id, ownColors?.0].compactMap { $0 }
    if material == nil || addsNothing, groups.count == 1 {
      layers = nil
      standard = (groups[0], 0)
    } else {
      let id = nextID()
      layers = (id, material.map { ($0.group, $0.index) })
      standard = (id, 0)
    }
  }

  // MARK: Writing

  /// Writes the groups specific to these faces.
  func write(to package: ThreeMFPackageWriter) throws {
    let powers = DecimalPowers.shared
    if let (id, texture, values) = coordinates {
      try package.append("<m:texture2dgroup id=\"\(id)\" texid=\"\(texture)\">\n")
      try package.append(count: values.count) { range, buffer in
        for value in values[range] {
          buffer.append("<m:tex2coord u=\"")
          buffer.append(decimal: value.x, powers: powers)
          buffer.append("\" v=\"")
          buffer.append(decimal: value.y, powers: powers)
          buffer.append("\"/>\n")
        }
      }
      try package.append("</m:texture2dgroup>\n")
    }
    if let (id, values) = colors {
      try package.append("<m:colorgroup id=\"\(id)\">\n")
      try package.append(count: values.count) { range, buffer in
        for value in values[range] {
          buffer.append("<m:color color=\"")
          buffer.append(hexadecimal: value)
          buffer.append("\"/>\n")
        }
      }
      try package.append("</m:colorgroup>\n")
    }
    if let layers { try writeLayers(layers.id, layers.material, to: package) }
  }

  /// A member for each split corner: the material, and the same index in the other groups.
  private func writeLayers(
    _ id: UInt32, _ material: (group: UInt32, index: Int)?, to package: ThreeMFPackageWriter
  ) throws {
    let others = [coordinates?.id, colors?.id].compactMap { $0 }
    let groups = (material.map { [$0.group] } ?? []) + others
    let methods = Array(repeating: "multiply", count: groups.count - 1).joined(separator: " ")
    let pids = groups.map(String.init).joined(separator: " ")
    try package.append(
      "<m:multiproperties id=\"\(id)\" pids=\"\(pids)\" blendmethods=\"\(methods)\">\n")
    let count = coordinates?.values.count ?? colors?.values.count ?? 0
    let start = material.map { Array("\($0.index) ".utf8) } ?? []
    try package.append(count: count) { range, buffer in
      for member in range {
        buffer.append("<m:multi pindices=\"")
        buffer.append(start)
        buffer.append(decimal: UInt32(member))
        if others.count > 1 {
          buffer.append(" ")
          buffer.append(decimal: UInt32(member))
        }
        buffer.append("\"/>\n")
      }
    }
    try package.append("</m:multiproperties>\n")
  }

  /// Ends a triangle with the properties of its corners.
  ///
  /// - Parameters:
  ///   - place: The face's index in its group.
  ///   - isMirrored: Whether the triangle's second and third corner are exchanged.
  func append(to buffer: inout ByteBuffer, _ index: Int, isMirrored: Bool) {
    guard let standard else { return }
    buffer.append("\" pid=\"")
    buffer.append(decimal: standard.group)
    buffer.append("\" p1=\"")
    guard let members else { return buffer.append(decimal: standard.index) }
    buffer.append(decimal: members[3 * index])
    buffer.append("\" p2=\"")
    buffer.append(decimal: members[3 * index + (isMirrored ? 2 : 1)])
    buffer.append("\" p3=\"")
    buffer.append(decimal: members[3 * index + (isMirrored ? 1 : 2)])
  }
}
