import MeshPipeline

extension EdgeCollapse.Surface {
  /// Makes one surface of all meshes of a scene.
  ///
  /// Vertices at exactly the same place become one vertex, so that nothing tears where meshes or
  /// unshared vertices meet; which of them a corner had, and its texture coordinates and normal,
  /// make its wedge. A wedge is named by the first corner that has it, counted over all meshes.
  ///
  /// - Parameter separatesClasses: Whether classes divide the surface into regions, as materials do.
  init(_ meshes: [Mesh], separatesClasses: Bool) {
    var positions: [Vector3] = []
    var indices: [UInt32] = []
    if meshes.count == 1 {
      (positions, indices) = (meshes[0].positions, meshes[0].indices)
    } else {
      positions.reserveCapacity(meshes.reduce(0) { $0 + $1.vertexCount })
      indices.reserveCapacity(meshes.reduce(0) { $0 + $1.cornerCount })
      for mesh in meshes {
        let first = UInt32(truncatingIfNeeded: positions.count)
        positions += mesh.positions
        for index in mesh.indices { indices.append(first + index) }
      }
    }
    let clusters = VertexClusters(of: positions, within: 0)
    let hasCoincident = clusters.count < positions.count
    let hasCornerAttributes = meshes.contains {
      $0.textureCoordinates != nil || $0.cornerNormals != nil
    }
    if hasCoincident || hasCornerAttributes {
      wedges = Self.wedges(of: meshes, indices: indices, vertexCount: positions.count)
    }
    if hasCoincident {
      for corner in indices.indices { indices[corner] = clusters.cluster[Int(indices[corner])] }
      positions = clusters.first.map { positions[Int($0)] }
    }
    regions = Self.regions(of: meshes, separatesClasses: separatesClasses)
    vertices = indices
    self.positions = positions
  }

  /// The first corner of the same vertex with the same attributes, for each corner.
  private static func wedges(
    of meshes: [Mesh], indices: [UInt32], vertexCount: Int
  ) -> [UInt32] {
    var wedges = [UInt32](repeating: 0, count: indices.count)
    let corners = VertexCorners(indices: indices, vertexCount: vertexCount)
    var vertex = 0
    var firstCorner = 0
    var known: [UInt32] = []
    for mesh in meshes {
      for _ in 0..<mesh.vertexCount {
        known.removeAll(keepingCapacity: true)
        for corner in corners[vertex] {
          let same = known.last {
            mesh.isSameWedge(Int($0) - firstCorner, Int(corner) - firstCorner)
          }
          wedges[Int(corner)] = same ?? corner
          // A vertex with very many wedges does not move anyway; to compare them all would take long.
          if same == nil, known.count < EdgeCollapse.Ring.capacity { known.append(corner) }
        }
        vertex += 1
      }
      firstCorner += mesh.cornerCount
    }
    return wedges
  }

  /// A number for each face's material and class, or nil when all are the same.
  private static func regions(of meshes: [Mesh], separatesClasses: Bool) -> [UInt32]? {
    guard
      meshes.contains(where: { $0.faceMaterials != nil || separatesClasses && $0.classes != nil })
    else { return nil }
    var names: [String] = []
    var regions: [UInt32] = []
    regions.reserveCapacity(meshes.reduce(0) { $0 + $1.faceCount })
    for mesh in meshes {
      // Meshes may number the same classes differently.
      let numbers = mesh.classes?.names.map { name in
        if let known = names.firstIndex(of: name) { return UInt32(known) }
        names.append(name)
        return UInt32(names.count - 1)
      }
      for face in 0..<mesh.faceCount {
        let material = (mesh.faceMaterials?[face] ?? 0) & 0xFFFF
        let label = mesh.classes.map { Int($0.labels[face]) }
        let number = separatesClasses ? label.flatMap { numbers?[$0] } ?? 0xFFFF : 0
        regions.append(material << 16 | number)
      }
    }
    return regions
  }
}

extension Mesh {
  fileprivate func isSameWedge(_ one: Int, _ other: Int) -> Bool {
    if let all = textureCoordinates, all[one] != all[other] { return false }
    if let all = cornerNormals, all[one] != all[other] { return false }
    return true
  }

  /// Keeps some of the faces, with new corners.
  ///
  /// - Parameters:
  ///   - faces: The faces to keep.
  ///   - vertices: The vertex of each of their corners.
  ///   - corners: For each of their corners the one to take texture coordinates and normal from; nil
  ///     when the mesh has neither.
  mutating func keep(
    faces: [UInt32], vertices: [UInt32], corners: [UInt32]?
  ) {
    if let all = textureCoordinates, let corners {
      textureCoordinates = corners.map { all[Int($0)] }
    }
    if let all = cornerNormals, let corners { cornerNormals = corners.map { all[Int($0)] } }
    if let all = faceMaterials { faceMaterials = faces.map { all[Int($0)] } }
    if let all = classes?.labels { classes?.labels = faces.map { all[Int($0)] } }
    indices = vertices
    removeUnusedVertices()
  }
}

extension EdgeCollapse.Result {
  /// Reduces the meshes of a scene, from which the surface was made, to what is left of it.
  func apply(to meshes: inout [Mesh]) {
    var firstVertex: UInt32 = 0
    var firstFace: UInt32 = 0
    var start = 0
    for index in meshes.indices {
      let vertexCount = UInt32(truncatingIfNeeded: meshes[index].vertexCount)
      let faceCount = UInt32(truncatingIfNeeded: meshes[index].faceCount)
      var end = start
      while end < faces.count, faces[end] < firstFace + faceCount { end += 1 }
      let faceNumbers = faces[start..<end].map { $0 - firstFace }
      if let wedges {
        let corners = wedges[3 * start..<3 * end].map { $0 - 3 * firstFace }
        let indices = meshes[index].indices
        meshes[index].keep(
          faces: faceNumbers, vertices: corners.map { indices[Int($0)] }, corners: corners)
      } else {
        let indices = vertices[3 * start..<3 * end].map { $0 - firstVertex }
        meshes[index].keep(faces: faceNumbers, vertices: indices, corners: nil)
      }
      firstVertex += vertexCount
      firstFace += faceCount
      start = end
    }
  }
}
