/// Everything in one scan: the value passed from stage to stage.
///
/// A value type whose arrays copy on write; stages take a scene and return one.
public struct Scene: Sendable, Equatable {
  /// The name of the scan.
  public var name: String
  /// The triangle meshes.
  public var meshes: [Mesh]
  /// The points that belong to no face.
  public var pointClouds: [PointCloud]
  /// The materials that the meshes refer to by index.
  public var materials: [Material]
  /// The images that the materials refer to by index.
  public var textures: [Texture]
  /// The frames of the scan; nil if it has none.
  public var capture: Capture?
  /// The axes and unit of all positions, and of the capture's poses.
  public var coordinateSystem: CoordinateSystem

  /// Creates a scene; by default an empty one in ARKit's axes, +Y up, in metres.
  public init(
    name: String = "", meshes: [Mesh] = [], pointClouds: [PointCloud] = [],
    materials: [Material] = [], textures: [Texture] = [], capture: Capture? = nil,
    coordinateSystem: CoordinateSystem = .arkit
  ) {
    self.name = name
    self.meshes = meshes
    self.pointClouds = pointClouds
    self.materials = materials
    self.textures = textures
    self.capture = capture
    self.coordinateSystem = coordinateSystem
  }

  /// The vertices of all meshes.
  public var vertexCount: Int { meshes.reduce(0) { $0 + $1.vertexCount } }
  /// The faces of all meshes.
  public var faceCount: Int { meshes.reduce(0) { $0 + $1.faceCount } }
  /// The points of all point clouds.
  public var pointCount: Int { pointClouds.reduce(0) { $0 + $1.positions.count } }

  /// The smallest box around all meshes and point clouds.
  public var bounds: Box {
    var box = Box()
    for mesh in meshes { box.add(mesh.bounds) }
    for cloud in pointClouds { box.add(cloud.bounds) }
    return box
  }

  /// The features of the scene.
  public var features: Set<SceneFeature> {
    var features: Set<SceneFeature> = []
    for mesh in meshes {
      if mesh.faceCount > 0 { features.insert(.faces) }
      for attribute in mesh.presentAttributes { features.insert(attribute.feature) }
      if !mesh.allCustomAttributes.isEmpty { features.insert(.customAttributes) }
    }
    for cloud in pointClouds {
      if !cloud.positions.isEmpty { features.insert(.points) }
      for attribute in cloud.presentAttributes { features.insert(attribute.feature) }
      if !cloud.attributes.isEmpty { features.insert(.customAttributes) }
    }
    if !textures.isEmpty { features.insert(.textures) }
    if let capture, !capture.frames.isEmpty { features.insert(.frames) }
    return features
  }
}

extension Scene {
  /// The names of the custom attributes of some kinds of elements, in order.
  package func customAttributeNames(
    of elements: Set<AttributeElement> = Set(AttributeElement.allCases)
  ) -> [String] {
    let lists =
      meshes.flatMap { mesh in
        elements.intersection(Mesh.elements).map { mesh[keyPath: Mesh.customAttributes(of: $0)] }
      } + (elements.contains(.point) ? pointClouds.map(\.attributes) : [])
    return Set(lists.joined().map(\.name)).sorted()
  }
}

extension Scene {
  /// Removes what ``customAttributeNames(of:)`` names.
  package mutating func removeCustomAttributes() {
    for index in meshes.indices {
      for element in Mesh.elements {
        meshes[index][keyPath: Mesh.customAttributes(of: element)] = []
      }
    }
    for index in pointClouds.indices { pointClouds[index].attributes = [] }
  }
}

/// A feature that a scene may have, a stage may need or make, and a format may keep or lose.
public enum SceneFeature: String, Sendable, CaseIterable, Comparable {
  /// Parts and attributes of meshes and point clouds.
  case faces, points, normals, colors, confidences
  /// Texture coordinates of corners.
  case textureCoordinates = "texture-coordinates"
  /// Materials of faces, images, and classes of faces or points.
  case materials, textures, classification
  /// Attributes that meshpipe has no meaning for.
  case customAttributes = "custom-attributes"
  /// Frames of a capture.
  case frames

  /// The feature in words: `texture coordinates`.
  package var words: String { String(rawValue.map { $0 == "-" ? " " : $0 }) }

  /// Orders by name.
  public static func < (left: SceneFeature, right: SceneFeature) -> Bool {
    left.rawValue < right.rawValue
  }
}
