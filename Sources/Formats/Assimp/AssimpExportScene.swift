import MeshPipeline

/// A scene prepared for Assimp's exporters: one mesh per class, its faces in runs of one material,
/// its vertices split where materials, texture coordinates or normals differ.
///
/// Class names become mesh and material names, since these formats can't store them otherwise.
/// Textures get the file names next to the model, or are embedded.
struct AssimpExportScene {
  private(set) var scene: Scene

  /// - Parameters:
  ///   - levels: The number of meshes with faces of each level of detail; of several, names end with `_LOD0`, `_LOD1`,
  ///     from which game engines make groups.
  ///   - fileNames: The file name of each texture next to the model, nil for unused ones; nil for a
  ///     format that embeds textures.
  ///   - maps: The textures that materials of the format refer to.
  init(
    _ source: Scene, levels: [Int], fileNames: [String?]?,
    maps: [WritableKeyPath<Material, Int?>]
  ) {
    scene = Scene(name: source.name, coordinateSystem: source.coordinateSystem)
    var table = MaterialTable(of: source, splitsByClass: true)
    var meshes = source.meshes.filter { $0.faceCount > 0 }[...]
    for (level, count) in levels.enumerated() {
      var names = UniqueNames()
      for mesh in meshes.prefix(count) {
        var parts = Self.parts(of: mesh, of: source, materials: &table, names: &names)
        if levels.count > 1 {
          for index in parts.indices { parts[index].name += "_LOD\(level)" }
        }
        scene.meshes += parts
      }
      meshes = meshes.dropFirst(count)
    }
    scene.pointClouds = source.pointClouds.filter { !$0.positions.isEmpty }
    scene.materials = table.entries.map { entry in
      var material = entry.material
      material.name = entry.name
      // Their numbers would be those of textures that Assimp does not get.
      for key in Material.textureKeys where !maps.contains(key) { material.removeTexture(key) }
      return material
    }
    addTextures(of: source, fileNames: fileNames, maps)
  }

  /// The used textures; Assimp gets no others.
  private mutating func addTextures(
    of source: Scene, fileNames: [String?]?, _ maps: [WritableKeyPath<Material, Int?>]
  ) {
    var numbers: [Int: Int] = [:]
    var names = UniqueNames()
    func number(_ texture: Int?, in scene: inout Scene) -> Int? {
      guard let texture else { return nil }
      if let known = numbers[texture] { return known }
      var copy = source.textures[texture]
      if let fileNames {
        guard let name = fileNames[texture] else { return nil }
        copy.fileName = name
        copy.bytes = []
      } else {
        // Programs find an embedded texture by its name.
        let name = copy.fileName.isEmpty ? "texture.\(copy.encoding.usualExtension)" : copy.fileName
        copy.fileName = names.unique(FileSystem.name(of: name))
      }
      numbers[texture] = scene.textures.count
      scene.textures.append(copy)
      return scene.textures.count - 1
    }
    for index in scene.materials.indices {
      for key in maps {
        let texture = number(scene.materials[index][keyPath: key], in: &scene)
        scene.materials[index][keyPath: key] = texture
      }
    }
  }

  /// One mesh for each class of a mesh.
  private static func parts(
    of mesh: Mesh, of source: Scene, materials: inout MaterialTable, names: inout UniqueNames
  ) -> [Mesh] {
    let groups = FaceGroups(mesh)
    var parts: [Mesh] = []
    var start = 0
    while start < groups.groups.count {
      let label = groups.groups[start].label
      var end = start + 1
      while end < groups.groups.count, groups.groups[end].label == label { end += 1 }
      let className = label.flatMap { mesh.classes?.names[Int($0)] }
      let chosen = groups.groups[start..<end]
      var part = split(mesh, groups, chosen)
      part.name = names.unique(name(of: mesh, className))
      let numbers = chosen.map { group in
        (group.range.count, materials.index(material: group.material, className: className))
      }
      if numbers.contains(where: { $0.1 != nil }) {
        part.faceMaterials = numbers.flatMap { count, material in
          repeatElement(UInt32(material ?? 0), count: count)
        }
      }
      parts.append(part)
      start = end
    }
    return parts
  }

  /// The name of the part of a mesh that has a class: the mesh's own where it says the class, as `wall-2` does.
  ///
  /// COLLADA can't hold a name with other characters, which then would say no class.
  private static func name(of mesh: Mesh, _ className: String?) -> String {
    guard let className else { return mesh.name.isEmpty ? "mesh" : mesh.name }
    let isPlain = mesh.name.allSatisfy { character in
      character.isASCII && (character.isLetter || character.isNumber || "-_".contains(character))
    }
    return isPlain && ClassNames.normalized(mesh.name) == className ? mesh.name : className
  }

  /// The faces of some groups, in order, with separate vertices in each group.
  private static func split(
    _ mesh: Mesh, _ groups: FaceGroups, _ chosen: ArraySlice<FaceGroups.Group>
  ) -> Mesh {
    var corners = SplitCorners(vertexCount: mesh.vertexCount)
    let (places, normals) = (mesh.textureCoordinates, mesh.cornerNormals)
    var part = Mesh()
    part.indices.reserveCapacity(3 * chosen.reduce(0) { $0 + $1.range.count })
    if places != nil { part.textureCoordinates = [] }
    for group in chosen {
      corners.close()
      for place in group.range {
        let face = groups.face(at: place)
        for corner in 3 * face..<3 * face + 3 {
          part.indices.append(
            corners.number(corner: UInt32(corner), vertex: mesh.indices[corner]) { one, other in
              (places.map { $0[Int(one)] == $0[Int(other)] } ?? true)
                && (normals.map { $0[Int(one)] == $0[Int(other)] } ?? true)
            })
          if let places { part.textureCoordinates?.append(places[corner].finite) }
        }
      }
    }
    part.positions = corners.vertices.map { mesh.positions[Int($0)] }
    if let normals {
      part.normals = corners.corners.map { normals[Int($0)] }
    } else {
      part.normals = mesh.normals.map { normals in corners.vertices.map { normals[Int($0)] } }
    }
    part.colors = mesh.colors.map { colors in corners.vertices.map { colors[Int($0)] } }
    return part
  }
}
