import MeshPipeline

extension USDPrim {
  /// A mesh, with a subset of its faces for each material and each class.
  init(_ mesh: Mesh, named name: String, materials: inout USDMaterials) {
    self.init("Mesh", name)
    setExtent(mesh.bounds)
    let counts = [UInt32](repeating: 3, count: mesh.faceCount)
    set("faceVertexCounts", "int[]", .integers(counts))
    set("faceVertexIndices", "int[]", .integers(mesh.indices))
    set("points", "point3f[]", .triples(mesh.positions))
    set("subdivisionScheme", "token", .token("none"), isUniform: true)
    if let normals = mesh.cornerNormals {
      set("normals", "normal3f[]", .triples(normals), interpolation: "faceVarying")
    } else if let normals = mesh.normals {
      set("normals", "normal3f[]", .triples(normals), interpolation: "vertex")
    }
    setTextureCoordinates(mesh.textureCoordinates, "st", of: mesh)
    setTextureCoordinates(mesh.secondTextureCoordinates, "st1", of: mesh)
    setColors(mesh.colors)
    setConfidences(mesh.confidences)
    setName(mesh.name)
    addSubsets(of: mesh, &materials)
  }

  /// Texture coordinates of corners; corners of a vertex that have the same share one element.
  private mutating func setTextureCoordinates(
    _ coordinates: [Vector2]?, _ primvar: String, of mesh: Mesh
  ) {
    guard let coordinates else { return }
    var split = SplitCorners(vertexCount: mesh.vertexCount)
    let indices = mesh.indices.indices.map { corner in
      split.number(corner: UInt32(corner), vertex: mesh.indices[corner]) {
        coordinates[Int($0)] == coordinates[Int($1)]
      }
    }
    let name = "primvars:\(primvar)"
    let values = split.corners.map { coordinates[Int($0)].finite }
    set(name, "texCoord2f[]", .pairs(values), interpolation: "faceVarying")
    set("\(name):indices", "int[]", .integers(indices))
  }

  // MARK: Subsets

  /// Binds materials, to the mesh if there is one and to subsets of faces otherwise; and marks classes.
  private mutating func addSubsets(of mesh: Mesh, _ materials: inout USDMaterials) {
    let groups = FaceGroups(mesh)
    let entries = groups.groups.map { group in
      materials.index(
        material: group.material,
        className: group.label.flatMap { mesh.classes?.names[Int($0)] },
        isColored: mesh.colors != nil)
    }
    let isDoubleSided = entries.contains { materials.isDoubleSided($0) }
    if isDoubleSided { set("doubleSided", "bool", .bool(true), isUniform: true) }
    var names = USDNames()
    var families: [String] = []
    if Set(entries).count == 1 {
      bind(entries[0], materials)
    } else {
      for (entry, faces) in Self.faces(of: groups, by: entries) {
        var subset = Self.subset(
          names.unique(materials.names[entry], or: "material"), "materialBind", faces)
        subset.bind(entry, materials)
        // Materials of classes mark them, too.
        if mesh.faceMaterials == nil { subset.mark(className: materials.className(entry)) }
        children.append(subset)
      }
      families.append("materialBind")
    }
    if let classes = mesh.classes, mesh.faceMaterials != nil || families.isEmpty {
      let labels = groups.groups.map { Int($0.label ?? 0) }
      for (label, faces) in Self.faces(of: groups, by: labels) {
        let className = classes.names[label]
        var subset = Self.subset(names.unique(className, or: "class"), "classification", faces)
        subset.mark(className: className)
        children.append(subset)
      }
      families.append("classification")
    }
    for family in families {
      set("subsetFamily:\(family):familyType", "token", .token("partition"), isUniform: true)
    }
  }

  /// The faces of each key in ascending order, the keys in the order of the groups.
  private static func faces(
    of groups: FaceGroups, by keys: [Int]
  ) -> [(key: Int, faces: [UInt32])] {
    var order: [Int] = []
    var faces: [Int: [UInt32]] = [:]
    for (group, key) in zip(groups.groups, keys) {
      if faces[key] == nil { order.append(key) }
      faces[key, default: []] += group.range.map { UInt32(groups.face(at: $0)) }
    }
    return order.map { ($0, (faces[$0] ?? []).sorted()) }
  }

  private static func subset(_ name: String, _ family: String, _ faces: [UInt32]) -> USDPrim {
    var subset = USDPrim("GeomSubset", name)
    subset.set("elementType", "token", .token("face"), isUniform: true)
    subset.set("familyName", "token", .token(family), isUniform: true)
    subset.set("indices", "int[]", .integers(faces))
    return subset
  }

  private mutating func bind(_ entry: Int, _ materials: USDMaterials) {
    apiSchemas = ["MaterialBindingAPI"]
    relate("material:binding", to: materials.path(entry))
  }

  private mutating func mark(className: String?) {
    guard let className else { return }
    set("userProperties:classification", "string", .string(className), isCustom: true)
  }
}
