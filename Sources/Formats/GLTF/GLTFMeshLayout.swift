import MeshPipeline

/// A mesh or point cloud in glTF's layout: each vertex with all its attributes, in one run per
/// primitive.
struct GLTFMeshLayout {
  /// The parts drawn with one material.
  struct Primitive {
    /// Index into the entries of the material table.
    var material: Int?
    var className: String?
    /// Its range of the vertices; indices count from its start.
    var vertices: Range<Int>
    /// Its range of ``GLTFMeshLayout/indices``; empty for points.
    var corners: Range<Int>

    /// 65,535 itself is reserved: glTF uses it to restart strips.
    var hasShortIndices: Bool { vertices.count < Int(UInt16.max) }
  }

  let name: String
  /// What each vertex has, in the order of the file.
  let attributes: [GLTFAttribute]
  private(set) var primitives: [Primitive] = []
  private(set) var vertexCount = 0
  /// Vertices within their primitive, three per face.
  private(set) var indices: [UInt32] = []
  private let source: Source
  /// The source vertex of each vertex; nil if they are the source's, in order.
  private var split: SplitCorners?

  /// The arrays of a mesh or a point cloud.
  struct Source {
    var positions: [Vector3]
    var normals: [Vector3]?
    var cornerNormals: [Vector3]?
    var textureCoordinates: [Vector2]?
    var colors: [Color]?
    var confidences: [Float]?
    var labels: [UInt16]?

    var attributes: [GLTFAttribute] {
      GLTFAttribute.allCases.filter { attribute in
        switch attribute {
        case .position: true
        case .normal: normals != nil || cornerNormals != nil
        case .textureCoordinates: textureCoordinates != nil
        case .color: colors != nil
        case .confidence: confidences != nil
        case .label: labels != nil
        }
      }
    }
  }

  init(_ cloud: PointCloud) {
    name = cloud.name
    source = Source(
      positions: cloud.positions, normals: cloud.normals, colors: cloud.colors,
      confidences: cloud.confidences, labels: cloud.classes?.labels)
    attributes = source.attributes
    vertexCount = cloud.positions.count
    primitives = [Primitive(vertices: 0..<vertexCount, corners: 0..<0)]
  }

  init(_ mesh: Mesh, materials: inout MaterialTable) {
    name = mesh.name
    source = Source(
      positions: mesh.positions, normals: mesh.normals, cornerNormals: mesh.cornerNormals,
      textureCoordinates: mesh.textureCoordinates, colors: mesh.colors,
      confidences: mesh.confidences)
    attributes = source.attributes
    let groups = FaceGroups(mesh)
    if groups.groups.count == 1, mesh.cornerNormals == nil, mesh.textureCoordinates == nil {
      indices = mesh.indices
      vertexCount = mesh.vertexCount
    } else {
      splitVertices(of: mesh, in: groups)
    }
    for place in groups.groups.indices {
      let group = groups.groups[place]
      let className = group.label.flatMap { mesh.classes?.names[Int($0)] }
      // glTF's default material is a metal, so faces without a material get a plain one.
      let material =
        materials.index(material: group.material, className: className) ?? materials.plainIndex()
      if place >= primitives.count {
        primitives.append(Primitive(vertices: 0..<vertexCount, corners: 0..<indices.count))
      }
      primitives[place].material = material
      primitives[place].className = className
    }
  }

  /// Splits the mesh where faces of different groups meet and where corners disagree.
  private mutating func splitVertices(of mesh: Mesh, in groups: FaceGroups) {
    var split = SplitCorners(vertexCount: mesh.vertexCount)
    let (places, normals) = (mesh.textureCoordinates, mesh.cornerNormals)
    var indices = [UInt32](repeating: 0, count: mesh.cornerCount)
    for group in groups.groups {
      let start = UInt32(split.corners.count)
      split.close()
      for place in group.range {
        let face = groups.face(at: place)
        for corner in 0..<3 {
          let number = split.number(
            corner: UInt32(3 * face + corner), vertex: mesh.indices[3 * face + corner]
          ) { one, other in
            (places.map { $0[Int(one)] == $0[Int(other)] } ?? true)
              && (normals.map { $0[Int(one)] == $0[Int(other)] } ?? true)
          }
          indices[3 * place + corner] = number - start
        }
      }
      primitives.append(
        Primitive(
          vertices: Int(start)..<split.corners.count,
          corners: 3 * group.range.lowerBound..<3 * group.range.upperBound))
    }
    vertexCount = split.corners.count
    self.indices = indices
    self.split = split
  }

  var isPoints: Bool { indices.isEmpty }
  @inline(__always)
  private func sourceVertex(_ vertex: Int) -> Int {
    split.map { Int($0.vertices[vertex]) } ?? vertex
  }

  @inline(__always)
  func position(of vertex: Int) -> Vector3 { source.positions[sourceVertex(vertex)] }

  /// A unit normal in any case, since glTF allows no others.
  func normal(of vertex: Int) -> Vector3 {
    let normal: Vector3
    if let cornerNormals = source.cornerNormals, let split {
      normal = cornerNormals[Int(split.corners[vertex])]
    } else {
      normal = source.normals?[sourceVertex(vertex)] ?? .zero
    }
    let lengthSquared = normal.simd.lengthSquared
    if abs(lengthSquared - 1) < 1e-3 { return normal }
    let unit = normal.simd.normalized
    return unit == .zero ? Vector3(0, 1, 0) : Vector3(unit)
  }

  /// Texture coordinates in glTF's convention, from the upper left corner.
  func textureCoordinates(of vertex: Int) -> Vector2 {
    guard let all = source.textureCoordinates, let split else { return .zero }
    let place = all[Int(split.corners[vertex])]
    return place.isFinite ? Vector2(place.x, 1 - place.y) : .zero
  }

  func color(of vertex: Int) -> Color { source.colors?[sourceVertex(vertex)] ?? .white }
  func confidence(of vertex: Int) -> Float { source.confidences?[sourceVertex(vertex)] ?? 0 }
  func label(of vertex: Int) -> UInt16 { source.labels?[sourceVertex(vertex)] ?? 0 }

  /// The bounding box of a primitive's vertices.
  func bounds(of primitive: Primitive) -> Box {
    var box = Box()
    for vertex in primitive.vertices { box.add(position(of: vertex).simd) }
    return box
  }
}
