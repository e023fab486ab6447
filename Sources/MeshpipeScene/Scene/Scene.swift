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
  /// Pictures of the surface that no material refers to.
  public var surfaceMaps: [SurfaceMap] = []
  /// The frames of the scan; nil if it has none.
  public var capture: Capture?
  /// The axes and unit of all positions, and of the capture's poses.
  public var coordinateSystem: CoordinateSystem
  /// Where zero is in the coordinates of the scan's file, as in a national grid, in the axes and the unit of the scene.
  ///
  /// Single precision would round positions far from zero, so that they are relative to a place near them. Moving the
  /// scene leaves it as it is unless that would round them, turning or scaling ends it; formats with double precision add
  /// it again.
  public var origin = SIMD3<Double>.zero
  /// Its size against what was scanned, as stages changed it on purpose; nil where it was stretched, or joined from several.
  public var scale: Double? = 1
  /// How the input was interpreted where its file leaves a choice.
  public var interpretation = Interpretation()
  /// What a surveyor's file says of its points; nil for a scan that is on no map.
  public var survey: Survey?
  /// The shapes that were found in the meshes and point clouds.
  public var shapes: [Shape] = []
  /// The gates through which the capture was let, and what was measured there.
  public var gates: [CaptureGate] = []
  /// The room that the scan shows, if the phone found its surfaces and furniture; nil otherwise.
  public var room: Room?
  /// The buildings that were found in the scan.
  public var buildings: [Building] = []
  /// The sections that were cut.
  public var sections: [Section] = []

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
    if meshes.contains(where: { $0.faceCount > 0 }) { features.insert(.faces) }
    if pointClouds.contains(where: { !$0.positions.isEmpty }) { features.insert(.points) }
    if pointClouds.contains(where: { $0.splatForm != nil }) { features.insert(.splats) }
    // By attribute and not by mesh: a file may have a hundred thousand meshes.
    Mesh.forEachAttribute(FeatureVisitor(owners: meshes), &features)
    PointCloud.forEachAttribute(FeatureVisitor(owners: pointClouds), &features)
    if meshes.contains(where: \.hasCustomAttributes)
      || pointClouds.contains(where: \.hasCustomAttributes)
    {
      features.insert(.customAttributes)
    }
    if !textures.isEmpty { features.insert(.textures) }
    for material in materials { features.formUnion(material.features) }
    if !surfaceMaps.isEmpty { features.insert(.surfaceMaps) }
    if !shapes.isEmpty { features.insert(.shapes) }
    if !gates.isEmpty { features.insert(.gates) }
    if room != nil { features.insert(.room) }
    if !buildings.isEmpty { features.insert(.building) }
    if !sections.isEmpty { features.insert(.sections) }
    if let capture {
      if !capture.frames.isEmpty { features.insert(.frames) }
      if capture.hasDepth { features.insert(.depthMaps) }
      if !capture.photographs.isEmpty { features.insert(.photographs) }
    }
    return features
  }
}

extension Material {
  /// What some formats can't hold of it.
  fileprivate var features: Set<SceneFeature> {
    var features: Set<SceneFeature> = []
    if occlusionTexture != nil { features.insert(.occlusionMaps) }
    if metallicRoughnessTexture != nil { features.insert(.metallicRoughnessMaps) }
    if emissiveTexture != nil { features.insert(.emissiveMaps) }
    if case .mask = alphaMode { features.insert(.alphaMasks) }
    return features
  }
}

/// Finds the features of meshes or point clouds that come from their attributes.
private struct FeatureVisitor<Owner: AttributeOwner>: AttributeVisitor {
  let owners: [Owner]

  // Inlined, so that the key path is a literal and costs nothing: a file may have 200,000 meshes.
  @inline(__always)
  func visit<Value: AttributeValue>(
    _ attribute: Attribute<Owner, Value>, _ features: inout Set<SceneFeature>
  ) {
    guard !features.contains(attribute.feature) else { return }
    let path = attribute.path
    // By index: an element handed to a closure is a copy of all its arrays' references.
    for index in owners.indices where owners[index][keyPath: path] != nil {
      features.insert(attribute.feature)
      return
    }
  }
}

/// A feature that a scene may have, a stage may need or make, and a format may keep or lose.
public enum SceneFeature: String, Sendable, CaseIterable, Comparable {
  /// Parts and attributes of meshes and point clouds.
  case faces, points, normals, colors, confidences
  /// Texture coordinates of corners.
  case textureCoordinates = "texture-coordinates"
  /// A second set of them, and tangents of the first.
  case secondTextureCoordinates = "second-texture-coordinates"
  case tangents
  /// Materials of faces, images, and classes of faces or points.
  case materials, textures, classification
  /// Textures of materials that say where light from all around does not come in.
  case occlusionMaps = "occlusion-maps"
  /// Textures of materials that say where they are metal or smooth, and where they emit light.
  case metallicRoughnessMaps = "metallic-roughness-maps"
  case emissiveMaps = "emissive-maps"
  /// Materials that are cut out by the opacity of their texture.
  case alphaMasks = "alpha-masks"
  /// Points that are Gaussian splats.
  case splats
  /// Attributes that meshpipe has no meaning for.
  case customAttributes = "custom-attributes"
  /// Pictures in texture coordinates that no material has: heights, positions and others.
  case surfaceMaps = "surface-maps"
  /// Frames of a capture, which have images, and depth maps, with and without an image.
  case frames
  case depthMaps = "depth"
  /// Images without poses.
  case photographs
  /// Planes, spheres and others that were found.
  case shapes
  /// What was measured of the frames.
  case gates
  /// Walls, doors and furniture, as the phone found them.
  case room
  /// Storeys, rooms and walls of a drawing.
  case building
  /// The lines in which planes cut the meshes.
  case sections

  /// What belongs to a capture, and not to a model made from it.
  package static let ofCaptures: Set<SceneFeature> = [.frames, .depthMaps, .photographs]

  /// What is beside the model, in files of its own.
  package static let besideModels = ofCaptures.union([
    .shapes, .gates, .room, .surfaceMaps, .building, .sections,
  ])

  /// What describes the measurement, and is not missed in a file of the model.
  package static let ofMeasurements =
    besideModels.subtracting([.surfaceMaps]).union([.confidences])

  /// The feature in words: `texture coordinates`.
  package var words: String {
    switch self {
    case .depthMaps: "depth maps"
    case .splats: "Gaussian splats"
    case .metallicRoughnessMaps: "metallic-roughness maps"
    default: String(rawValue.map { $0 == "-" ? " " : $0 })
    }
  }

  /// Orders by name.
  public static func < (left: SceneFeature, right: SceneFeature) -> Bool {
    left.rawValue < right.rawValue
  }
}
