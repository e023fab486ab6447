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
  /// The root prim, which stands for the layer.
  var root: USDPrim

  /// The metadata of the layer, by name.
  var metadata: [(name: String, value: USDValue)] {
    [
      ("documentation", .string(documentation)), ("defaultPrim", .token(root.name)),
      ("metersPerUnit", .double(unit)), ("upAxis", .token(upAxis)),
    ]
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
  case tokens([String])
  case strings([String])
  /// 32-bit signed integers, none of them negative.
  case integers([UInt32])
  case floats([Float])
  case pairs([Vector2])
  case triples([Vector3])
}
