import MeshPipeline

/// A model part of a 3MF package: its resources and what of them is built.
struct ThreeMFPart {
  /// The length of one of its units in metres.
  var metersPerUnit = 0.001
  var objects: [UInt32: Object] = [:]
  var groups: [UInt32: Group] = [:]
  /// The path in the package of each picture.
  var textures: [UInt32: String] = [:]
  var finishes: [UInt32: [Finish]] = [:]
  var items: [Placement] = []
  /// What had to be left out, a remark for each kind.
  var remarks: [String] = []

  /// What an object is made of: a mesh, or other objects.
  struct Object {
    var name = ""
    /// Where it stands in the file, for messages.
    var line: Int
    var mesh: Body?
    var components: [Placement] = []
    /// The property of faces that have none of their own.
    var property: Property?
  }

  /// An object put somewhere: an item of the build, or a component of another object.
  struct Placement {
    var object: UInt32
    /// The part that the object is in, if not in this one.
    var path: String?
    var transform: Transform
    var line: Int
  }

  struct Body {
    var positions: [Vector3] = []
    var indices: [UInt32] = []
    /// The property of each corner; empty while no face has one of its own.
    var properties: [Property?] = []
  }

  /// A member of a group of properties.
  struct Property: Hashable {
    var group: UInt32
    var index: UInt32
  }

  /// A group of properties that faces refer to.
  enum Group {
    /// Materials by name, and the finishes of the same index.
    case materials([(name: String, color: SIMD4<Float>)], finishes: UInt32?)
    /// Colours in sRGB.
    case colors([Color])
    case coordinates([Vector2], texture: UInt32, finishes: UInt32?)
    /// Shares of some materials of a group, as many for each member as there are materials.
    case mixtures([Float], of: UInt32, materials: [UInt32])
    /// A member of each of several groups, each mixed with those before or multiplied by them.
    case layers([UInt32], of: [UInt32], multiplies: [Bool])
  }

  /// How a surface reflects light.
  struct Finish {
    var metallic: Float
    var roughness: Float
  }
}
