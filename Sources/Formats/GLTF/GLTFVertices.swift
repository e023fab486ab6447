import MeshPipeline

/// The primitives of a glTF mesh, concatenated, with all attributes that any of them has.
struct GLTFVertices {
  private(set) var positions: [Vector3] = []
  private(set) var indices: [UInt32] = []
  private var normals: [Vector3]?
  private var textureCoordinates: [Vector2]?
  private var colors: [Color]?
  private var confidences: [Float]?
  private var labels: [UInt16]?
  private var customAttributes: [CustomAttribute] = []
  private var materials: [UInt32] = []
  private var lacksNormals = false

  /// A primitive.
  struct Part {
    var positions: [Vector3]
    var normals: [Vector3]?
    var textureCoordinates: [Vector2]?
    var colors: [Color]?
    var confidences: [Float]?
    var labels: [UInt16]?
    var customAttributes: [CustomAttribute]
    /// Three vertices per face.
    var indices: [UInt32]
    /// The vertices drawn as points; all if nil.
    var chosenPoints: [UInt32]?
    var material: UInt32?
  }

  /// Represents faces without a material.
  private static let noMaterial = UInt32.max

  mutating func append(_ part: Part) {
    var part = part
    if let chosen = part.chosenPoints { part.choose(chosen) }
    let base = positions.count
    func join<Value>(_ all: inout [Value]?, _ more: [Value]?, _ standard: Value) {
      guard all != nil || more != nil else { return }
      var joined = all ?? [Value](repeating: standard, count: base)
      joined += more ?? [Value](repeating: standard, count: part.positions.count)
      all = joined
    }
    if base == 0 { lacksNormals = part.normals == nil }
    if part.normals == nil { lacksNormals = true }
    join(&normals, part.normals, .zero)
    join(&textureCoordinates, part.textureCoordinates, .zero)
    join(&colors, part.colors, .white)
    join(&confidences, part.confidences, 0)
    join(&labels, part.labels, 0)
    joinCustomAttributes(part.customAttributes, count: part.positions.count)
    positions += part.positions
    let faceCount = part.indices.count / 3
    indices += base == 0 ? part.indices : part.indices.map { $0 + UInt32(base) }
    materials += repeatElement(part.material ?? Self.noMaterial, count: faceCount)
  }

  /// Appends custom attributes; primitives without one that others have get zeros.
  private mutating func joinCustomAttributes(_ more: [CustomAttribute], count: Int) {
    guard !customAttributes.isEmpty || !more.isEmpty else { return }
    let base = positions.count
    customAttributes = CustomAttribute.commonKinds(of: [customAttributes, more]).map { kind in
      func own(_ list: [CustomAttribute], _ count: Int) -> CustomAttribute {
        list[kind.name].flatMap { $0.width == kind.width ? $0.converted(to: kind) : nil }
          ?? CustomAttribute(kind, zeros: count)
      }
      var joined = own(customAttributes, base)
      joined.values.append(own(more, count).values)
      return joined
    }
  }

  /// The triangles of a list, a strip or a fan.
  static func triangles(_ indices: [UInt32]?, count: Int, _ mode: Int) -> [UInt32] {
    let corners = indices ?? (0..<UInt32(count)).map { $0 }
    if mode == 4 { return Array(corners.prefix(corners.count / 3 * 3)) }
    var result: [UInt32] = []
    for place in stride(from: 2, to: corners.count, by: 1) {
      let (a, b, c): (UInt32, UInt32, UInt32)
      if mode == 6 {
        (a, b, c) = (corners[0], corners[place - 1], corners[place])
      } else {
        let isEven = place % 2 == 0
        (a, b, c) = (
          corners[place - (isEven ? 2 : 1)], corners[place - (isEven ? 1 : 2)], corners[place]
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
    let tags = colors.map { $0.map(\.packed) } ?? []
    let (first, vertices) = PositionWelder.weld(positions, tags: tags)
    let isWelded = first.count < positions.count
    var mesh = Mesh(name: name)
    mesh.positions = isWelded ? first.map { positions[Int($0)] } : positions
    mesh.indices = isWelded ? indices.map { vertices[Int($0)] } : indices
    mesh.colors = colors.map { all in first.map { all[Int($0)] } }
    mesh.confidences = confidences.map { all in first.map { all[Int($0)] } }
    mesh.textureCoordinates = textureCoordinates.map { all in indices.map { all[Int($0)] } }
    for var attribute in customAttributes {
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
    if let normals, !lacksNormals, let shared = mesh.sharedIndices(of: indices, in: normals) {
      mesh.normals = shared.map {
        $0 == .missingIndex ? Vector3(0, 0, 1) : normals[Int($0)]
      }
    } else if let normals {
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
    if let labels { mesh.classes = classes(labels) }
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
    return FaceClasses(arkitLabels: ofFaces)
  }

  func pointCloud(named name: String) -> PointCloud {
    var cloud = PointCloud(name: name, positions: positions)
    cloud.normals = normals
    cloud.colors = colors
    cloud.confidences = confidences
    cloud.attributes = customAttributes
    cloud.classes = labels.map { FaceClasses(arkitLabels: $0) }
    return cloud
  }
}

extension GLTFVertices.Part {
  /// Keeps the given vertices, in the given order.
  fileprivate mutating func choose(_ vertices: [UInt32]) {
    func chosen<Value>(_ all: [Value]) -> [Value] { vertices.map { all[Int($0)] } }
    positions = chosen(positions)
    normals = normals.map(chosen)
    colors = colors.map(chosen)
    confidences = confidences.map(chosen)
    labels = labels.map(chosen)
    customAttributes.apply(ChosenElements(vertices))
    textureCoordinates = nil
  }
}

extension FaceClasses {
  /// Classes from numbers; those beyond ARKit's are named by their number.
  init(arkitLabels: [UInt16]) {
    var names = FaceClasses.arkitNames
    let largest = Int(arkitLabels.max() ?? 0)
    while names.count <= largest { names.append(ClassNames.name(ofLabel: names.count)) }
    self.init(labels: arkitLabels, names: names)
  }
}

extension Color {
  var packed: UInt32 {
    UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | UInt32(alpha) << 24
  }

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
