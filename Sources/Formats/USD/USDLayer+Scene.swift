import MeshPipeline

extension USDLayer {
  /// A scene, Y-up and in metres: a root prim with the meshes, the points and their materials.
  ///
  /// - Parameters:
  ///   - textures: The files of textures, by index.
  ///   - name: The name of a scene that has none.
  ///   - sides: From where all faces are seen; nil for what the materials say.
  init(_ scene: Scene, textures: [String?], named name: String, sides: Sides?) {
    var names = USDNames()
    var root = USDPrim("Xform", names.unique(scene.name.isEmpty ? name : scene.name, or: "scene"))
    root.kind = "component"
    let transform = scene.coordinateSystem.transform(to: .arkit)
    if transform != .identity {
      root.set("xformOp:transform", "matrix4d", .matrix(transform))
      root.set("xformOpOrder", "token[]", .tokens(["xformOp:transform"]), isUniform: true)
    }
    var materials = USDMaterials(of: scene, under: "/\(root.name)/Materials", sides: sides)
    var siblings = USDNames()
    let own = siblings.unique("Materials", or: "Materials")
    for mesh in scene.meshes where mesh.faceCount > 0 {
      let name = siblings.unique(mesh.name, or: "mesh")
      root.children.append(USDPrim(mesh, named: name, materials: &materials))
    }
    for cloud in scene.pointClouds where !cloud.positions.isEmpty {
      root.children.append(USDPrim(cloud, named: siblings.unique(cloud.name, or: "points")))
    }
    var scope = USDPrim("Scope", own)
    scope.children = materials.prims(textures: textures)
    if !scope.children.isEmpty { root.children.append(scope) }
    self.init(documentation: "meshpipe", unit: 1, upAxis: "Y", root: root)
  }
}

extension USDPrim {
  /// A point cloud.
  init(_ cloud: PointCloud, named name: String) {
    self.init("Points", name)
    let width = Self.width(of: cloud)
    var box = cloud.bounds
    box.minimum -= width / 2
    box.maximum += width / 2
    setExtent(box)
    set("points", "point3f[]", .triples(cloud.positions))
    // Without a width, programs draw points of one metre.
    set("widths", "float[]", .floats([width]), interpolation: "constant")
    if let normals = cloud.normals {
      set("normals", "normal3f[]", .triples(normals), interpolation: "vertex")
    }
    setColors(cloud.colors)
    setConfidences(cloud.confidences)
    if let classes = cloud.classes {
      let primvar = "primvars:classification"
      set(primvar, "string[]", .strings(classes.names), interpolation: "vertex")
      set("\(primvar):indices", "int[]", .integers(classes.labels.map { UInt32($0) }))
    }
    setName(cloud.name)
  }

  /// The mean distance of points that lie on the sides of their bounding box.
  private static func width(of cloud: PointCloud) -> Float {
    let size = cloud.bounds.size
    let area = 2 * (size.x * size.y + size.y * size.z + size.z * size.x)
    let width = (area / Float(cloud.positions.count)).squareRoot()
    if width > 0, width.isFinite { return width }
    return size.max() > 0 ? size.max() / Float(cloud.positions.count) : 0.01
  }

  mutating func setExtent(_ box: Box) {
    set("extent", "float3[]", .triples([Vector3(box.minimum), Vector3(box.maximum)]))
  }

  /// The linear light of sRGB colours, and their opacity if one is not opaque.
  mutating func setColors(_ colors: [Color]?) {
    guard let colors else { return }
    let table = SRGBTable.shared
    let light = colors.map { Vector3(table.linear($0.red, $0.green, $0.blue)) }
    set("primvars:displayColor", "color3f[]", .triples(light), interpolation: "vertex")
    guard colors.hasAlpha else { return }
    let opacities = colors.map { Float($0.alpha) / 255 }
    set("primvars:displayOpacity", "float[]", .floats(opacities), interpolation: "vertex")
  }

  mutating func setConfidences(_ confidences: [Float]?) {
    guard let confidences else { return }
    set("primvars:confidence", "float[]", .floats(confidences), interpolation: "vertex")
  }

  /// The name in the scene, if the prim's is another.
  mutating func setName(_ name: String) {
    guard !name.isEmpty, name != self.name else { return }
    set("userProperties:name", "string", .string(name), isCustom: true)
  }
}
