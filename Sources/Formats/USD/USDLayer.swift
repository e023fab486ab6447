import MeshPipeline

/// What a USD layer says, the same for text and crate files.
///
/// Only what a scene needs: prims with properties, each with at most one value, and references to other prims and
/// properties of the layer by their absolute path.
struct USDLayer: Sendable {
  /// The program that wrote it.
  var documentation: String
  /// In metres.
  var unit: Double
  /// `X`, `Y` or `Z`.
  var upAxis: String
  /// What made it.
  var provenance: Provenance?
  /// The root prim, which stands for the layer.
  var root: USDPrim

  /// The metadata of the layer, by name.
  var metadata: [(name: String, value: USDValue)] {
    [
      ("documentation", .string(documentation)), ("defaultPrim", .token(root.name)),
      ("metersPerUnit", .double(unit)), ("upAxis", .token(upAxis)),
    ] + (provenance.map { [("customLayerData", .entry(Provenance.key, $0.text))] } ?? [])
  }
}

/// An element of a layer: a mesh, a material, a group.
struct USDPrim: Sendable {
  /// Its schema, such as `Mesh`.
  var type: String
  /// An identifier, unique among its siblings.
  var name: String
  /// `component` for a model that is not made of others; nil for parts of one.
  var kind: String?
  var apiSchemas: [String] = []
  var properties: [USDProperty] = []
  var children: [USDPrim] = []

  init(_ type: String, _ name: String) {
    self.type = type
    self.name = name
  }

  /// Adds an attribute.
  mutating func set(
    _ name: String, _ type: String, _ value: USDValue?, isUniform: Bool = false,
    isCustom: Bool = false, interpolation: String? = nil
  ) {
    properties.append(
      USDProperty(
        name: name, type: type, value: value, isUniform: isUniform, isCustom: isCustom,
        interpolation: interpolation))
  }

  /// Adds an attribute that takes its value from another one, given by its path.
  mutating func connect(_ name: String, _ type: String, to path: String) {
    properties.append(USDProperty(name: name, type: type, target: path))
  }

  /// Adds a relationship to a prim, given by its path.
  mutating func relate(_ name: String, to path: String) {
    properties.append(USDProperty(name: name, type: nil, target: path))
  }
}

/// An attribute or a relationship of a prim.
struct USDProperty: Sendable {
  var name: String
  /// The type of an attribute, such as `point3f[]`; nil for a relationship.
  var type: String?
  var value: USDValue?
  /// The path of the attribute that an attribute is connected to, or the target of a relationship.
  var target: String?
  var isUniform = false
  var isCustom = false
  /// What the elements of a primvar belong to: `vertex`, `faceVarying`, `uniform` or `constant`.
  var interpolation: String?
}

/// The value of an attribute.
enum USDValue: Sendable {
  case bool(Bool)
  case float(Float)
  case double(Double)
  case token(String)
  case string(String)
  /// The path of a file, relative to the layer.
  case asset(String)
  case float3(SIMD3<Float>)
  case float4(SIMD4<Float>)
  case matrix(Transform)
  /// A dictionary of one text.
  case entry(String, String)
  case tokens([String])
  case strings([String])
  /// 32-bit signed integers, none of them negative.
  case integers([UInt32])
  case floats([Float])
  case pairs([Vector2])
  case triples([Vector3])
}

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
