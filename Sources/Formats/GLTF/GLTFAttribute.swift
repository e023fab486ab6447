import MeshPipeline

extension GLTF {
  /// What the reader brings and the writer keeps.
  static let features: Set<SceneFeature> = [
    .faces, .points, .normals, .colors, .confidences, .textureCoordinates,
    .secondTextureCoordinates, .tangents, .materials, .textures, .occlusionMaps,
    .metallicRoughnessMaps, .emissiveMaps, .alphaMasks, .classification, .customAttributes,
  ]
}

/// A vertex attribute as meshpipe writes it to glTF.
enum GLTFAttribute: Equatable {
  case position, normal, tangent, textureCoordinates, secondTextureCoordinates, color, confidence
  case label
  /// One of ``GLTFMeshLayout/customAttributes``.
  case custom(Int)
}

/// Reads the attributes of a primitive's vertices.
struct GLTFVertexReader {
  let reader: GLTFReader
  let primitive: JSONValue
  let attributes: JSONValue
  /// The number of vertices.
  let count: Int
  /// The weights of the morph targets.
  let weights: [Float]
  let place: String

  /// The vertices with their attributes; the labels of classes have no names yet.
  func points(at positions: [Vector3]) throws -> PointCloud {
    var points = PointCloud(positions: positions)
    let color = try reader.integer(attributes["COLOR_0"], place)
    let hasAlpha =
      try color.map { try reader.element("accessors", $0)["type"]?.text == "VEC4" } ?? false
    points.normals = try values("NORMAL", ["VEC3"]) { Vector3($0.x, $0.y, $0.z) }
      .map { try morphed($0, "NORMAL").map(\.normalized) }
    points.colors = try values("COLOR_0", ["VEC3", "VEC4"]) { value in
      Color(linear: value, hasAlpha: hasAlpha)
    }
    points.confidences = try values("_CONFIDENCE", ["SCALAR"]) { $0.x }
    let labels = try values("_CLASSIFICATION", ["SCALAR"]) {
      $0.x >= 0 && $0.x <= 65_535 ? UInt16($0.x) : 0
    }
    points.classes = labels.map { FaceClasses(labels: $0, names: []) }
    return points
  }

  /// The attributes that become those of corners, with a value for each vertex.
  func corners(_ use: GLTFMaterials.Use?, haveNormals: Bool) throws -> Mesh {
    var corners = Mesh()
    let (set, transform) = (use?.textureSet ?? 0, use?.transform)
    corners.textureCoordinates = try values("TEXCOORD_\(set)", ["VEC2"]) {
      Vector2(fromTop: transform?.apply(SIMD2($0.x, $0.y)) ?? SIMD2($0.x, $0.y))
    }
    // The materials' pictures use the first set here, whichever that is in the file.
    corners.secondTextureCoordinates = try values("TEXCOORD_\(set == 1 ? 0 : 1)", ["VEC2"]) {
      Vector2(fromTop: SIMD2($0.x, $0.y))
    }
    if haveNormals, let tangents = try values("TANGENT", ["VEC4"], { $0 }) {
      let directions = try morphed(tangents.map { Vector3($0.x, $0.y, $0.z) }, "TANGENT")
      corners.tangents = zip(directions, tangents).map { direction, tangent in
        Tangent(direction.normalized.simd, w: tangent.w < 0 ? -1 : 1)
      }
    }
    return corners
  }

  /// The values of an attribute, one per vertex; nil if the primitive doesn't have it.
  func values<Value: BitwiseCopyable & Sendable>(
    _ name: String, _ shapes: Set<String>, _ make: @Sendable (SIMD4<Float>) -> Value
  ) throws -> [Value]? {
    guard let index = try reader.integer(attributes[name], place) else { return nil }
    let values = try reader.values(index, shapes: shapes, make)
    guard values.count == count else {
      throw reader.fault(place, "\(name) has \(values.count) values for \(count) vertices")
    }
    return values
  }

  private func morphed(_ values: [Vector3], _ name: String) throws -> [Vector3] {
    try reader.morphed(values, by: primitive["targets"], name: name, weights: weights, at: place)
  }
}

extension Vector2 {
  /// Texture coordinates from the upper left corner, as glTF has them.
  fileprivate init(fromTop position: SIMD2<Float>) { self.init(position.x, 1 - position.y) }
}

extension GLTFMeshLayout {
  /// The arrays of a mesh or a point cloud.
  struct Source {
    let vertices: PointCloud
    /// What has the attributes of corners.
    private(set) var corners = Mesh()
    private(set) var labels: [UInt16]?

    init(_ cloud: PointCloud) {
      vertices = cloud
      labels = cloud.classes?.labels
    }

    init(_ mesh: Mesh) {
      vertices = mesh.vertexPoints
      corners = mesh
      // glTF ignores them then.
      if mesh.normals ?? mesh.cornerNormals == nil { corners.tangents = nil }
    }

    /// What each vertex has besides custom attributes, in the order of the file.
    var attributes: [GLTFAttribute] {
      let present: [(GLTFAttribute, Bool)] = [
        (.position, true), (.normal, vertices.normals != nil || corners.cornerNormals != nil),
        (.tangent, corners.tangents != nil),
        // The sets are numbered without gaps.
        (
          .textureCoordinates,
          corners.textureCoordinates != nil || corners.secondTextureCoordinates != nil
        ),
        (.secondTextureCoordinates, corners.secondTextureCoordinates != nil),
        (.color, vertices.colors != nil),
        (.confidence, vertices.confidences != nil), (.label, labels != nil),
      ]
      return present.filter(\.1).map(\.0)
    }
  }

  /// What the attribute is in the file.
  func form(of attribute: GLTFAttribute) -> GLTFAttributeForm {
    if let form = quantization?.form(of: attribute) { return form }
    return switch attribute {
    case .position: GLTFAttributeForm(name: "POSITION", componentType: .float, width: 3)
    case .normal: GLTFAttributeForm(name: "NORMAL", componentType: .float, width: 3)
    case .tangent: GLTFAttributeForm(name: "TANGENT", componentType: .float, width: 4)
    case .textureCoordinates:
      GLTFAttributeForm(name: "TEXCOORD_0", componentType: .float, width: 2)
    case .secondTextureCoordinates:
      GLTFAttributeForm(name: "TEXCOORD_1", componentType: .float, width: 2)
    case .color:
      GLTFAttributeForm(
        name: "COLOR_0", componentType: .unsignedShort, width: 4, isNormalized: true)
    case .confidence: GLTFAttributeForm(name: "_CONFIDENCE", componentType: .float, width: 1)
    case .label:
      GLTFAttributeForm(name: "_CLASSIFICATION", componentType: .unsignedShort, width: 1)
    case .custom(let number): customAttributes[number].form
    }
  }

  /// Appends an attribute of some vertices.
  func append(
    _ attribute: GLTFAttribute, of vertices: some Sequence<Int>, to buffer: inout ByteBuffer
  ) {
    if appendQuantized(attribute, of: vertices, to: &buffer) { return }
    switch attribute {
    case .position: for vertex in vertices { buffer.append(position(of: vertex)) }
    case .normal: for vertex in vertices { buffer.append(normal(of: vertex)) }
    case .tangent:
      for vertex in vertices {
        let tangent = tangent(of: vertex)
        buffer.append(Vector3(tangent.direction))
        buffer.append(tangent.w)
      }
    case .textureCoordinates:
      for vertex in vertices {
        buffer.append(place(of: vertex, in: source.corners.textureCoordinates))
      }
    case .secondTextureCoordinates:
      for vertex in vertices {
        buffer.append(place(of: vertex, in: source.corners.secondTextureCoordinates))
      }
    case .color:
      let linear = Self.linear
      for vertex in vertices {
        let color = color(of: vertex)
        buffer.append(linear[Int(color.red)])
        buffer.append(linear[Int(color.green)])
        buffer.append(linear[Int(color.blue)])
        buffer.append(UInt16(color.alpha) * 257)
      }
    case .confidence: for vertex in vertices { buffer.append(confidence(of: vertex)) }
    case .label: for vertex in vertices { buffer.append(UInt32(label(of: vertex))) }
    case .custom(let number):
      let attribute = customAttributes[number]
      for vertex in vertices {
        attribute.append(
          element: attribute.isOfCorners ? corner(of: vertex) : sourceVertex(of: vertex),
          to: &buffer)
      }
    }
  }

  /// glTF's colours are linear: sixteen bits represent 8-bit sRGB without loss.
  private static let linear = SRGBTable.shared.linear.map { UInt16(($0 * 65535).rounded()) }

  /// A unit normal in any case, since glTF allows no others.
  func normal(of vertex: Int) -> Vector3 {
    let normal: Vector3
    if let cornerNormals = source.corners.cornerNormals, let split {
      normal = cornerNormals[Int(split.corners[vertex])]
    } else {
      normal = source.vertices.normals?[sourceVertex(of: vertex)] ?? .zero
    }
    let lengthSquared = normal.simd.lengthSquared
    if abs(lengthSquared - 1) < 1e-3 { return normal }
    let unit = normal.simd.normalized
    return unit == .zero ? Vector3(0, 1, 0) : Vector3(unit)
  }

  /// Whether a primitive has tangents; programs compute those that are missing.
  func hasTangents(_ primitive: Primitive) -> Bool {
    guard let tangents = source.corners.tangents, let split else { return false }
    return primitive.vertices.contains { tangents[Int(split.corners[$0])].direction != .zero }
  }

  /// A unit tangent in any case, across the normal where there is none.
  func tangent(of vertex: Int) -> Tangent {
    guard let tangents = source.corners.tangents, let split else { return .none }
    var tangent = tangents[Int(split.corners[vertex])]
    tangent.w = tangent.w < 0 ? -1 : 1
    let lengthSquared = tangent.direction.lengthSquared
    if abs(lengthSquared - 1) < 1e-3 { return tangent }
    let unit = tangent.direction.normalized
    let normal = normal(of: vertex).simd
    let across = abs(normal.x) < 0.7 ? SIMD3<Float>(1, 0, 0) : SIMD3(0, 1, 0)
    tangent.direction = unit == .zero ? normal.cross(across).normalized : unit
    return tangent
  }

  /// Texture coordinates in glTF's convention, from the upper left corner.
  func place(of vertex: Int, in coordinates: [Vector2]?) -> Vector2 {
    guard let all = coordinates, let split else { return .zero }
    let position = all[Int(split.corners[vertex])]
    return position.isFinite ? Vector2(position.x, 1 - position.y) : .zero
  }

  func color(of vertex: Int) -> Color {
    source.vertices.colors?[sourceVertex(of: vertex)] ?? .white
  }
  private func confidence(of vertex: Int) -> Float {
    source.vertices.confidences?[sourceVertex(of: vertex)] ?? 0
  }
  private func label(of vertex: Int) -> UInt16 { source.labels?[sourceVertex(of: vertex)] ?? 0 }
}
