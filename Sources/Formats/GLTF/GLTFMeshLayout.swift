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
  /// The attributes without a place of their own in glTF.
  let customAttributes: [GLTFCustomAttribute]
  private(set) var primitives: [Primitive] = []
  private(set) var vertexCount = 0
  /// Vertices within their primitive, three per face.
  private(set) var indices: [UInt32] = []
  let source: Source
  /// The source vertex of each vertex; nil if they are the source's, in order.
  private(set) var split: SplitCorners?
  /// Nil if everything is stored as it is.
  var quantization: GLTFQuantization?
  /// Nil if the mesh is not compressed by Draco.
  var draco: GLTFDracoGrids?

  init(_ cloud: PointCloud) {
    name = cloud.name
    source = Source(cloud)
    customAttributes = GLTFCustomAttribute.all(cloud.attributes, ofCorners: false)
    attributes = source.attributes + customAttributes.indices.map { .custom($0) }
    vertexCount = cloud.positions.count
    primitives = [Primitive(vertices: 0..<vertexCount, corners: 0..<0)]
  }

  init(_ mesh: Mesh, materials: inout MaterialTable) {
    name = mesh.name
    source = Source(mesh)
    customAttributes =
      GLTFCustomAttribute.all(mesh.vertexAttributes, ofCorners: false)
      + GLTFCustomAttribute.all(mesh.cornerAttributes, ofCorners: true)
    attributes = source.attributes + customAttributes.indices.map { .custom($0) }
    let groups = FaceGroups(mesh)
    let agreements = CornerAgreements.all(of: source.corners)
    if groups.groups.count == 1, mesh.cornerNormals == nil, mesh.textureCoordinates == nil,
      agreements.isEmpty
    {
      indices = mesh.indices
      vertexCount = mesh.vertexCount
    } else {
      splitVertices(of: mesh, in: groups, where: agreements)
    }
    for index in groups.groups.indices {
      let group = groups.groups[index]
      let className = group.label.flatMap { mesh.classes?.names[Int($0)] }
      // glTF's default material is a metal, so faces without a material get a plain one.
      let material =
        materials.index(material: group.material, className: className) ?? materials.plainIndex()
      if index >= primitives.count {
        primitives.append(Primitive(vertices: 0..<vertexCount, corners: 0..<indices.count))
      }
      primitives[index].material = material
      primitives[index].className = className
    }
  }

  /// Splits the mesh where faces of different groups meet and where corners disagree.
  private mutating func splitVertices(
    of mesh: Mesh, in groups: FaceGroups, where agreements: [CornerAgreements.Agreement]
  ) {
    var split = SplitCorners(vertexCount: mesh.vertexCount)
    let (places, normals) = (mesh.textureCoordinates, mesh.cornerNormals)
    var indices = [UInt32](repeating: 0, count: mesh.cornerCount)
    for group in groups.groups {
      let start = UInt32(split.corners.count)
      split.close()
      for index in group.range {
        let face = groups.face(at: index)
        for corner in 0..<3 {
          let number = split.number(
            corner: UInt32(3 * face + corner), vertex: mesh.indices[3 * face + corner]
          ) { one, other in
            (places.map { $0[Int(one)] == $0[Int(other)] } ?? true)
              && (normals.map { $0[Int(one)] == $0[Int(other)] } ?? true)
              && agreements.allSatisfy { $0(Int(one), Int(other)) }
          }
          indices[3 * index + corner] = number - start
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

  /// The source corner of a vertex of a mesh whose corners have attributes.
  func corner(of vertex: Int) -> Int { split.map { Int($0.corners[vertex]) } ?? vertex }

  @inline(__always)
  func sourceVertex(of vertex: Int) -> Int {
    split.map { Int($0.vertices[vertex]) } ?? vertex
  }

  @inline(__always)
  func position(of vertex: Int) -> Vector3 { source.vertices.positions[sourceVertex(of: vertex)] }

  /// The bounding box of a primitive's vertices.
  func bounds(of primitive: Primitive) -> Box {
    var box = Box()
    for vertex in primitive.vertices { box.add(position(of: vertex).simd) }
    return box
  }
}

/// Collects, for each attribute of corners, whether two corners have the same value.
///
/// Normals and texture coordinates, which most models have, are left out: the caller compares them
/// itself, without a call for each corner.
private struct CornerAgreements: AttributeVisitor {
  typealias Agreement = (Int, Int) -> Bool

  let mesh: Mesh

  static func all(of mesh: Mesh) -> [Agreement] {
    var all: [Agreement] = []
    Mesh.forEachAttribute(CornerAgreements(mesh: mesh), &all)
    return all + mesh.cornerAttributes.map { attribute in { attribute.isEqual($0, $1) } }
  }

  func visit<Value: AttributeValue>(_ attribute: Attribute<Mesh, Value>, _ all: inout [Agreement]) {
    guard attribute.element == .corner,
      !["cornerNormals", "textureCoordinates"].contains(attribute.name),
      let values = mesh[keyPath: attribute.path]
    else { return }
    all.append { values[$0] == values[$1] }
  }
}
