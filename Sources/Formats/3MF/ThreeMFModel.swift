import MeshPipeline

/// A scene as the model part of a 3MF package: one object per mesh, in millimetres, Z up.
struct ThreeMFModel {
  /// A texture of the package.
  struct Picture {
    /// Index into the scene's textures.
    var texture: Int
    var path: String
  }

  let pictures: [Picture]
  private let meshes: [Mesh]
  private let materials: MaterialTable
  private let groups: [FaceGroups]
  private let groupMaterials: [[Int?]]
  private let transform: Transform

  /// - Parameter scene: Its base colour textures are PNG or JPEG; others are left out.
  init(_ scene: Scene) {
    meshes = scene.meshes.filter { $0.faceCount > 0 }
    let target = CoordinateSystem(up: .z, forward: .y, metersPerUnit: 0.001)
    transform = scene.coordinateSystem.transform(to: target)
    groups = meshes.map { FaceGroups($0) }
    var materials = MaterialTable(of: scene, splitsByClass: true)
    groupMaterials = zip(meshes, groups).map { mesh, groups in
      groups.groups.map { group in
        let className = group.label.flatMap { mesh.classes?.names[Int($0)] }
        return materials.index(material: group.material, className: className)
      }
    }
    self.materials = materials
    pictures = Self.pictures(of: scene, materials)
  }

  /// The base colour textures, each once.
  private static func pictures(
    of scene: Scene, _ materials: MaterialTable
  ) -> [Picture] {
    var names = UniqueNames()
    var result: [Picture] = []
    var seen: Set<Int> = []
    for texture in materials.entries.compactMap(\.material.baseColorTexture)
    where seen.insert(texture).inserted {
      let (fileName, encoding) = (
        scene.textures[texture].fileName, scene.textures[texture].encoding
      )
      guard encoding == .png || encoding == .jpeg else { continue }
      let name = names.unique(safeFileName(FileSystem.stem(of: fileName)).lowercased())
      let ending = encoding == .png ? "png" : "jpg"
      result.append(Picture(texture: texture, path: "3D/Textures/\(name).\(ending)"))
    }
    return result
  }

  // MARK: Resources

  /// Resources are numbered in the order in which they are written.
  private struct Resources {
    private var count: UInt32 = 0
    mutating func next() -> UInt32 {
      count += 1
      return count
    }
  }

  func write(_ provenance: Provenance?, to package: ThreeMFPackageWriter) throws {
    var resources = Resources()
    // Names that the specification does not know belong to a namespace.
    let space = provenance == nil ? "" : " xmlns:meshpipe=\"urn:meshpipe:3mf:1\""
    let metadata = provenance.map {
      "<metadata name=\"meshpipe:\(Provenance.key)\">\($0.text)</metadata>\n"
    }
    var start = """
      <?xml version="1.0" encoding="UTF-8"?>
      <model unit="millimeter" xml:lang="en-US" \
      xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" \
      xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02"\(space)>
      \(metadata ?? "")<resources>

      """
    let materialsID = resources.next()
    if !materials.entries.isEmpty {
      start += "<basematerials id=\"\(materialsID)\">\n"
      for entry in materials.entries {
        let color = displayColor(entry.material.baseColor)
        start += "<base name=\"\(escapedForXML(entry.name))\" displaycolor=\"\(color)\"/>\n"
      }
      start += "</basematerials>\n"
    }
    var textureIDs: [Int: UInt32] = [:]
    for picture in pictures {
      let id = resources.next()
      textureIDs[picture.texture] = id
      let type = picture.path.hasSuffix("png") ? "image/png" : "image/jpeg"
      start += "<m:texture2d id=\"\(id)\" path=\"/\(picture.path)\" contenttype=\"\(type)\"/>\n"
    }
    try package.append(start)
    var items = ""
    for index in meshes.indices {
      var looks: [ThreeMFLookTable] = []
      for (group, material) in zip(groups[index].groups, groupMaterials[index]) {
        looks.append(
          ThreeMFLookTable(
            group, of: meshes[index], in: groups[index],
            material: material.map { (materialsID, $0, materials.entries[$0]) },
            textureIDs: textureIDs
          ) { resources.next() })
      }
      for look in looks { try look.write(to: package) }
      let id = resources.next()
      try writeObject(index, id: id, looks, to: package)
      items += "<item objectid=\"\(id)\"/>\n"
    }
    try package.append("</resources>\n<build>\n\(items)</build>\n</model>\n")
  }

  // MARK: Objects

  private func writeObject(
    _ index: Int, id: UInt32, _ looks: [ThreeMFLookTable], to package: ThreeMFPackageWriter
  ) throws {
    let mesh = meshes[index]
    var start = "<object id=\"\(id)\" type=\"model\""
    if !mesh.name.isEmpty { start += " name=\"\(escapedForXML(mesh.name))\"" }
    // Triangles with a property need their object to have one too.
    if let first = looks.lazy.compactMap(\.standard).first {
      start += " pid=\"\(first.group)\" pindex=\"\(first.index)\""
    }
    try package.append(start + ">\n<mesh>\n<vertices>\n")
    let (positions, transform) = (mesh.positions, transform)
    let powers = DecimalPowers.shared
    try package.append(count: positions.count) { range, buffer in
      for vertex in range {
        let position = SIMD3<Float>(transform.apply(toPoint: positions[vertex].double))
        buffer.append("<vertex x=\"")
        buffer.append(decimal: position.x, powers: powers)
        buffer.append("\" y=\"")
        buffer.append(decimal: position.y, powers: powers)
        buffer.append("\" z=\"")
        buffer.append(decimal: position.z, powers: powers)
        buffer.append("\"/>\n")
      }
    }
    try package.append("</vertices>\n<triangles>\n")
    for (group, look) in zip(groups[index].groups, looks) {
      try write(group, of: mesh, order: groups[index].order, look, to: package)
    }
    try package.append("</triangles>\n</mesh>\n</object>\n")
  }

  private func write(
    _ group: FaceGroups.Group, of mesh: Mesh, order: [UInt32]?, _ look: ThreeMFLookTable,
    to package: ThreeMFPackageWriter
  ) throws {
    let (start, indices) = (group.range.lowerBound, mesh.indices)
    let isMirrored = transform.determinant < 0
    try package.append(count: group.range.count) { range, buffer in
      for place in range {
        let face = order.map { Int($0[start + place]) } ?? start + place
        let corners = (3 * face, 3 * face + (isMirrored ? 2 : 1), 3 * face + (isMirrored ? 1 : 2))
        let (a, b, c) = (indices[corners.0], indices[corners.1], indices[corners.2])
        // 3MF forbids triangles that use a vertex twice; they have no area anyway.
        if a == b || b == c || c == a { continue }
        buffer.append("<triangle v1=\"")
        buffer.append(decimal: a)
        buffer.append("\" v2=\"")
        buffer.append(decimal: b)
        buffer.append("\" v3=\"")
        buffer.append(decimal: c)
        look.append(to: &buffer, place, isMirrored: isMirrored)
        buffer.append("\"/>\n")
      }
    }
  }

  private func displayColor(_ color: SIMD4<Float>) -> String {
    var buffer = ByteBuffer()
    buffer.append(hexadecimal: Color(linear: color, hasAlpha: true))
    return String(decoding: buffer.bytes, as: UTF8.self)
  }
}

extension ByteBuffer {
  /// Appends a colour as `#RRGGBBAA`.
  mutating func append(hexadecimal color: Color) {
    append("#")
    for byte in [color.red, color.green, color.blue, color.alpha] {
      for digit in [byte >> 4, byte & 15] {
        append(byte: digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
      }
    }
  }
}
