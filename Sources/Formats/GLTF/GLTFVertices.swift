import MeshPipeline

/// The primitives of a glTF mesh, concatenated, with all attributes that any of them has.
struct GLTFVertices {
  /// The vertices; labels have no names yet.
  private var points = PointCloud()
  private(set) var indices: [UInt32] = []
  /// Attributes that become those of corners, with a value for each vertex.
  private var ofCorners = Mesh()
  private var materials: [UInt32] = []
  private var lacksNormals = false

  /// A primitive.
  struct Part {
    var points: PointCloud
    /// Attributes that become those of corners, with a value for each vertex; nothing else.
    var ofCorners = Mesh()
    /// Three vertices per face.
    var indices: [UInt32]
    /// The vertices drawn as points; all if nil.
    var chosenPoints: [UInt32]?
    var material: UInt32?
  }

  /// Represents faces without a material.
  private static let noMaterial = UInt32.max

  var positions: [Vector3] { points.positions }

  mutating func append(_ part: Part) {
    var part = part
    if let chosen = part.chosenPoints {
      part.points = part.points.selecting(points: chosen.map { Int($0) })
      part.ofCorners = Mesh()
    }
    let base = positions.count
    if base == 0 { lacksNormals = part.points.normals == nil }
    if part.points.normals == nil { lacksNormals = true }
    let count = part.points.positions.count
    PointCloud.forEachAttribute(
      PrimitiveJoin(more: part.points, count: base, moreCount: count), &points)
    Mesh.forEachAttribute(
      PrimitiveJoin(more: part.ofCorners, count: base, moreCount: count), &ofCorners)
    points.attributes.append(part.points.attributes, to: base, count: count)
    points.positions += part.points.positions
    let faceCount = part.indices.count / 3
    indices += base == 0 ? part.indices : part.indices.map { $0 + UInt32(base) }
    materials += repeatElement(part.material ?? Self.noMaterial, count: faceCount)
  }

  /// The number of zeros that stand in where either side lacks an attribute of the other.
  func fillerCount(joining more: [CustomAttribute], count: Int) -> Int {
    func lacking(_ list: [CustomAttribute], in other: [CustomAttribute]) -> Int {
      list.reduce(0) { $0 + (other[$1.name] == nil ? $1.width : 0) }
    }
    return lacking(points.attributes, in: more) * count
      + lacking(more, in: points.attributes) * positions.count
  }

  /// The triangles of a list, a strip or a fan.
  static func triangles(_ indices: [UInt32]?, count: Int, _ mode: Int) -> [UInt32] {
    let corners = indices ?? (0..<UInt32(count)).map { $0 }
    if mode == 4 { return Array(corners.prefix(corners.count / 3 * 3)) }
    var result: [UInt32] = []
    for index in stride(from: 2, to: corners.count, by: 1) {
      let (a, b, c): (UInt32, UInt32, UInt32)
      if mode == 6 {
        (a, b, c) = (corners[0], corners[index - 1], corners[index])
      } else {
        let isEven = index % 2 == 0
        (a, b, c) = (
          corners[index - (isEven ? 2 : 1)], corners[index - (isEven ? 1 : 2)], corners[index]
        )
      }
      // Degenerate triangles connect strips and are not part of the surface.
      if a != b, b != c, a != c { result += [a, b, c] }
    }
    return result
  }

  /// The mesh with welded vertices; attributes that differ at seams are stored per corner.
  ///
  /// - Parameter plain: Creates the material of faces that have none, if others have one.
  func mesh(named name: String, plain: () -> UInt32) -> Mesh {
    let tags = points.colors.map { $0.map(\.packed) } ?? []
    let (first, vertices) = PositionWelder.weld(positions, tags: tags)
    let isWelded = first.count < positions.count
    // Normals may differ where vertices are welded, and labels are of faces.
    var welded = points
    (welded.name, welded.normals, welded.classes, welded.attributes) = (name, nil, nil, [])
    if isWelded { welded.positions = first.map { positions[Int($0)] } }
    welded.apply(ChosenElements(first), to: .point)
    var mesh = Mesh(
      vertices: welded, indices: isWelded ? indices.map { vertices[Int($0)] } : indices)
    Mesh.forEachAttribute(CornerAttributes(ofVertices: ofCorners, indices: indices), &mesh)
    for var attribute in points.attributes {
      let isShared = positions.indices.allSatisfy { vertex in
        attribute.isEqual(vertex, Int(first[Int(vertices[vertex])]))
      }
      attribute.values.apply(ChosenElements(isShared ? first : indices), width: attribute.width)
      if isShared {
        mesh.vertexAttributes.append(attribute)
      } else {
        mesh.cornerAttributes.append(attribute)
      }
    }
    if let normals = points.normals, !lacksNormals,
      let shared = mesh.sharedIndices(of: indices, in: normals)
    {
      mesh.normals = shared.map {
        $0 == .missingIndex ? Vector3(0, 0, 1) : normals[Int($0)]
      }
    } else if let normals = points.normals {
      mesh.cornerNormals = indices.enumerated().map { corner, index in
        let normal = normals[Int(index)]
        return lacksNormals && normal == .zero ? mesh.flatNormal(ofFace: corner / 3) : normal
      }
    }
    if materials.contains(where: { $0 != Self.noMaterial }) {
      if materials.contains(Self.noMaterial) {
        let plain = plain()
        mesh.faceMaterials = materials.map { $0 == Self.noMaterial ? plain : $0 }
      } else {
        mesh.faceMaterials = materials
      }
    }
    if let labels = points.classes?.labels { mesh.classes = classes(labels) }
    return mesh
  }

  /// Classes from labels of vertices: a face takes the label of most of its corners.
  private func classes(_ labels: [UInt16]) -> FaceClasses {
    let ofFaces = (0..<indices.count / 3).map { face in
      let (a, b, c) = (
        labels[Int(indices[3 * face])], labels[Int(indices[3 * face + 1])],
        labels[Int(indices[3 * face + 2])]
      )
      return b == c ? b : a
    }
    return FaceClasses(numbers: ofFaces, under: "classification", ofFaces: true)
  }

  func pointCloud(named name: String) -> PointCloud {
    var cloud = points
    cloud.name = name
    cloud.classes = points.classes.map {
      FaceClasses(numbers: $0.labels, under: "classification", ofFaces: false)
    }
    return cloud
  }
}

/// Appends the attributes of a primitive; where one side lacks an attribute, it gets neutral values.
private struct PrimitiveJoin<Owner: AttributeOwner>: AttributeVisitor {
  let more: Owner
  /// The numbers of vertices on both sides.
  let count: Int
  let moreCount: Int

  func visit<Value: AttributeValue>(_ attribute: Attribute<Owner, Value>, _ owner: inout Owner) {
    let path = attribute.path
    guard owner[keyPath: path] != nil || more[keyPath: path] != nil else { return }
    var joined =
      owner[keyPath: path].take() ?? [Value](repeating: attribute.neutral, count: count)
    joined +=
      more[keyPath: path] ?? [Value](repeating: attribute.neutral, count: moreCount)
    owner[keyPath: path] = joined
  }
}

/// Gives each corner the values of its vertex.
private struct CornerAttributes: AttributeVisitor {
  let ofVertices: Mesh
  let indices: [UInt32]

  func visit<Value: AttributeValue>(_ attribute: Attribute<Mesh, Value>, _ mesh: inout Mesh) {
    guard let all = ofVertices[keyPath: attribute.path] else { return }
    mesh[keyPath: attribute.path] = indices.map { all[Int($0)] }
  }
}

extension Color {
  /// A linear colour from 0 to 1, as glTF has it.
  init(linear: SIMD4<Float>, hasAlpha: Bool) {
    self.init(
      red: Self.encoded(linear.x), green: Self.encoded(linear.y), blue: Self.encoded(linear.z),
      alpha: hasAlpha ? Self.byte(linear.w * 255) : 255)
  }

  private static func encoded(_ linear: Float) -> UInt8 {
    byte(Float(SRGBTable.encoded(ofLinear: Double(linear))) * 255)
  }
}
