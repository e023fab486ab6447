import MeshPipeline

/// A model part of a 3MF package: its resources and build items.
struct ThreeMFPart {
  /// Its unit in metres.
  var metersPerUnit = 0.001
  var objects: [UInt32: Object] = [:]
  var groups: [UInt32: Group] = [:]
  /// The path of each image in the package.
  var textures: [UInt32: String] = [:]
  var finishes: [UInt32: [Finish]] = [:]
  var items: [Placement] = []
  /// Warnings about skipped content, one per kind.
  var remarks: [String] = []

  /// The contents of an object: a mesh, or other objects.
  struct Object {
    var name = ""
    /// The position in the file, for messages.
    var line: Int
    var mesh: Body?
    var components: [Placement] = []
    /// The default property of faces.
    var property: Property?
  }

  /// A placed object: a build item, or a component of another object.
  struct Placement {
    var object: UInt32
    /// The part that contains the object, if not this one.
    var path: String?
    var transform: Transform
    var line: Int
  }

  struct Body {
    var positions: [Vector3] = []
    var indices: [UInt32] = []
    /// The property of each corner; empty as long as no face has its own.
    var properties: [Property?] = []
  }

  /// A member of a property group.
  struct Property: Hashable {
    var group: UInt32
    var index: UInt32
  }

  /// A property group that faces refer to.
  enum Group {
    /// Named materials, with finishes of the same index.
    case materials([(name: String, color: SIMD4<Float>)], finishes: UInt32?)
    /// Colours in sRGB.
    case colors([Color])
    case coordinates([Vector2], texture: UInt32, finishes: UInt32?)
    /// Mixtures of materials of a group; each member has one share per material.
    case mixtures([Float], of: UInt32, materials: [UInt32])
    /// Members of several groups, each blended with or multiplied by the previous ones.
    case layers([UInt32], of: [UInt32], multiplies: [Bool])
  }

  /// How a surface reflects light.
  struct Finish {
    var metallic: Float
    var roughness: Float
  }
}
