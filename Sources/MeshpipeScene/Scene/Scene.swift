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
      if mesh.normals != nil || mesh.cornerNormals != nil { features.insert(.normals) }
      if mesh.colors != nil { features.insert(.colors) }
      if mesh.confidences != nil { features.insert(.confidences) }
      if mesh.textureCoordinates != nil { features.insert(.textureCoordinates) }
      if mesh.faceMaterials != nil { features.insert(.materials) }
      if mesh.classes != nil { features.insert(.classification) }
    }
    for cloud in pointClouds {
      if !cloud.positions.isEmpty { features.insert(.points) }
      if cloud.normals != nil { features.insert(.normals) }
      if cloud.colors != nil { features.insert(.colors) }
      if cloud.confidences != nil { features.insert(.confidences) }
      if cloud.classes != nil { features.insert(.classification) }
    }
    if !textures.isEmpty { features.insert(.textures) }
    if let capture, !capture.frames.isEmpty { features.insert(.frames) }
    return features
  }
}

/// A feature that a scene may have, a stage may need or make, and a format may keep or lose.
public enum SceneFeature: String, Sendable, CaseIterable, Comparable {
  /// Parts and attributes of meshes and point clouds.
  case faces, points, normals, colors, confidences
  /// Texture coordinates of corners.
  case textureCoordinates = "texture-coordinates"
  /// Materials of faces, images, classes of faces or points, and frames of a capture.
  case materials, textures, classification, frames

  /// The feature in words: `texture coordinates`.
  package var words: String { String(rawValue.map { $0 == "-" ? " " : $0 }) }

  /// Orders by name.
  public static func < (left: SceneFeature, right: SceneFeature) -> Bool {
    left.rawValue < right.rawValue
  }
}
