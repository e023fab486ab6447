import MeshPipeline

/// A scene as the model part of a 3MF package: an object for each mesh, in millimetres, Z up.
struct ThreeMFModel {
  private let meshes: [Mesh]
  private let materials: MaterialTable
  private let groups: [FaceGroups]
  private let groupMaterials: [[Int?]]
  private let transform: Transform

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
  }

  private static let materialsID = 1

  func write(to archive: ZipWriter) throws {
    var start = """
      <?xml version="1.0" encoding="UTF-8"?>
      <model unit="millimeter" xml:lang="en-US" \
      xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">
      <resources>

      """
    if !materials.entries.isEmpty {
      start += "<basematerials id=\"\(Self.materialsID)\">\n"
      for entry in materials.entries {
        let color = displayColor(entry.material.baseColor)
        start += "<base name=\"\(escaped(entry.name))\" displaycolor=\"\(color)\"/>\n"
      }
      start += "</basematerials>\n"
    }
    try archive.append(Array(start.utf8))
    for index in meshes.indices { try writeObject(index, to: archive) }
    let items = meshes.indices.map { "<item objectid=\"\(objectID($0))\"/>\n" }
    let end = "</resources>\n<build>\n\(items.joined())</build>\n</model>\n"
    try archive.append(Array(end.utf8))
  }

  private func objectID(_ index: Int) -> Int { Self.materialsID + 1 + index }

  private func writeObject(_ index: Int, to archive: ZipWriter) throws {
    let mesh = meshes[index]
    var start = "<object id=\"\(objectID(index))\" type=\"model\""
    if !mesh.name.isEmpty { start += " name=\"\(escaped(mesh.name))\"" }
    // Triangles with a material need their object to have one as well.
    if let first = groupMaterials[index].lazy.compactMap({ $0 }).first {
      start += " pid=\"\(Self.materialsID)\" pindex=\"\(first)\""
    }
    try archive.append(Array((start + ">\n<mesh>\n<vertices>\n").utf8))
    let (positions, transform) = (mesh.positions, transform)
    let powers = DecimalPowers.shared
    try archive.append(count: positions.count) { range, buffer in
      for vertex in range {
        let place = SIMD3<Float>(transform.apply(toPoint: positions[vertex].double))
        buffer.append("<vertex x=\"")
        buffer.append(decimal: place.x, powers: powers)
        buffer.append("\" y=\"")
        buffer.append(decimal: place.y, powers: powers)
        buffer.append("\" z=\"")
        buffer.append(decimal: place.z, powers: powers)
        buffer.append("\"/>\n")
      }
    }
    try archive.append(Array("</vertices>\n<triangles>\n".utf8))
    for (group, material) in zip(groups[index].groups, groupMaterials[index]) {
      try write(group, of: mesh, order: groups[index].order, material: material, to: archive)
    }
    try archive.append(Array("</triangles>\n</mesh>\n</object>\n".utf8))
  }

  private func write(
    _ group: FaceGroups.Group, of mesh: Mesh, order: [UInt32]?, material: Int?,
    to archive: ZipWriter
  ) throws {
    let (start, indices) = (group.range.lowerBound, mesh.indices)
    let isMirrored = transform.determinant < 0
    let end = material.map { "\" pid=\"\(Self.materialsID)\" p1=\"\($0)\"/>\n" } ?? "\"/>\n"
    let endBytes = Array(end.utf8)
    try archive.append(count: group.range.count) { range, buffer in
      for place in range {
        let face = order.map { Int($0[start + place]) } ?? start + place
        let a = indices[3 * face]
        let b = indices[3 * face + (isMirrored ? 2 : 1)]
        let c = indices[3 * face + (isMirrored ? 1 : 2)]
        // 3MF forbids triangles that use a vertex twice; they have no area anyway.
        if a == b || b == c || c == a { continue }
        buffer.append("<triangle v1=\"")
        buffer.append(decimal: a)
        buffer.append("\" v2=\"")
        buffer.append(decimal: b)
        buffer.append("\" v3=\"")
        buffer.append(decimal: c)
        buffer.append(endBytes)
      }
    }
  }

  /// `#RRGGBBAA`, sRGB.
  private func displayColor(_ color: SIMD4<Float>) -> String {
    let digits = Array("0123456789ABCDEF")
    var text = "#"
    for component in 0..<4 {
      let value = min(max(Double(color[component]), 0), 1)
      let encoded = component == 3 ? value : SRGBTable.encoded(ofLinear: value)
      let byte = Int((encoded * 255).rounded())
      text += "\(digits[byte >> 4])\(digits[byte & 15])"
    }
    return text
  }
}

/// A text as it may stand in an attribute of XML.
private func escaped(_ text: String) -> String {
  var result = ""
  for character in singleLine(text) {
    switch character {
    case "&": result += "&amp;"
    case "<": result += "&lt;"
    case ">": result += "&gt;"
    case "\"": result += "&quot;"
    default: result.append(character)
    }
  }
  return result
}
