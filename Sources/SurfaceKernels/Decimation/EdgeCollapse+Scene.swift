package import MeshpipeScene

extension EdgeCollapse.Surface {
  /// Makes one surface of all meshes of a scene.
  ///
  /// Vertices at exactly the same position become one vertex, so that nothing tears where meshes or
  /// unshared vertices meet; a corner's original vertex, texture coordinates and normal form its
  /// wedge. A wedge is identified by the first corner that has it, counted over all meshes.
  ///
  /// - Parameter separatesClasses: Whether classes divide the surface into regions, as materials do.
  package init(_ meshes: [Mesh], separatesClasses: Bool) {
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
    let order = SpatialOrder(of: positions)
    // Most scans share their vertices, which this order reveals at once.
    let clusters = order.mayCoincide ? VertexClusters(of: positions, within: 0) : nil
    let hasCornerAttributes = meshes.contains {
      $0.textureCoordinates != nil || $0.cornerNormals != nil
    }
    let coincident = clusters.flatMap { $0.count < positions.count ? $0 : nil }
    if coincident != nil || hasCornerAttributes {
      wedges = Self.wedges(of: meshes, indices: indices, vertexCount: positions.count)
    }
    if let clusters = coincident {
      for corner in indices.indices { indices[corner] = clusters.cluster[Int(indices[corner])] }
      positions = clusters.first.map { positions[Int($0)] }
      // Clusters are numbered by their first vertices, and use their positions.
      self.order = order.indices.compactMap { vertex in
        let cluster = clusters.cluster[Int(vertex)]
        return clusters.first[Int(cluster)] == vertex ? cluster : nil
      }
    } else {
      self.order = order.indices
    }
    faceCounts = meshes.map(\.faceCount)
    regions = FaceRegions(meshes, separatesClasses: separatesClasses)
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
          // A vertex with very many wedges does not move anyway; comparing them all would take
          // long.
          if same == nil, known.count < Ring.capacity { known.append(corner) }
        }
        vertex += 1
      }
      firstCorner += mesh.cornerCount
    }
    return wedges
  }
}

extension Mesh {
  /// Whether it has attributes that moved vertices take from their new place on the surface.
  package var hasSurfaceAttributes: Bool {
    normals != nil || colors != nil || confidences != nil || cornerNormals != nil
      || textureCoordinates != nil
  }

  fileprivate func isSameWedge(_ one: Int, _ other: Int) -> Bool {
    if let all = textureCoordinates, all[one] != all[other] { return false }
    if let all = cornerNormals, all[one] != all[other] { return false }
    return true
  }
}

extension EdgeCollapse.Result {
  /// Reduces the meshes of a scene to the rest of the surface that was made from them.
  package func apply(to meshes: inout [Mesh], of surface: consuming EdgeCollapse.Surface) {
    let hasAttributes = meshes.contains(where: \.hasSurfaceAttributes)
    let places =
      moved.isEmpty || !hasAttributes ? nil : SurfaceProjection(copy surface).places(of: moved)
    var numberOfMoved = [UInt32](
      repeating: .max, count: moved.isEmpty ? 0 : surface.positions.count)
    for (number, vertex) in moved.enumerated() {
      numberOfMoved[Int(vertex.vertex)] = UInt32(truncatingIfNeeded: number)
    }
    let faceCounts = surface.faceCounts
    // Released, so that meshes whose arrays it holds can be changed in place.
    _ = consume surface

    var firstVertex: UInt32 = 0
    var firstFace: UInt32 = 0
    var start = 0
    for index in meshes.indices {
      let vertexCount = UInt32(truncatingIfNeeded: meshes[index].vertexCount)
      let faceCount = UInt32(truncatingIfNeeded: faceCounts[index])
      var end = start
      while end < faces.count, faces[end] < firstFace + faceCount { end += 1 }
      var kept = KeptFaces(
        faces: faces[start..<end].map { $0 - firstFace }, vertices: [], firstFace: Int(firstFace))
      if let wedges {
        let corners = wedges[3 * start..<3 * end].map { $0 - 3 * firstFace }
        let indices = meshes[index].indices
        kept.vertices = corners.map { indices[Int($0)] }
        kept.corners = corners
      } else {
        kept.vertices = vertices[3 * start..<3 * end].map { $0 - firstVertex }
      }
      if !moved.isEmpty {
        kept.moved = vertices[3 * start..<3 * end].map { numberOfMoved[Int($0)] }
        kept.movedVertices = moved
        kept.places = places
      }
      meshes[index].keep(kept)
      firstVertex += vertexCount
      firstFace += faceCount
      start = end
    }
  }
}

/// The remaining faces of a mesh, with new corners.
private struct KeptFaces {
  var faces: [UInt32]
  /// The vertex of each corner.
  var vertices: [UInt32]
  /// For each corner the one to take texture coordinates and normal from; nil if there are none.
  var corners: [UInt32]?
  /// The index among the moved vertices of each corner's vertex, or none; empty if none has moved.
  var moved: [UInt32] = []
  var movedVertices: [EdgeCollapse.MovedVertex] = []
  /// Where on the surface moved vertices take their attributes from.
  var places: [SurfaceProjection.Place]?
  /// The index of the mesh's first face, counted over all meshes.
  var firstFace: Int
}

extension Mesh {
  fileprivate mutating func keep(_ kept: KeptFaces) {
    var coordinates: [Vector2]?
    if let all = textureCoordinates, let corners = kept.corners {
      coordinates = corners.map { all[Int($0)] }
    }
    var hardNormals: [Vector3]?
    if let all = cornerNormals, let corners = kept.corners {
      hardNormals = corners.map { all[Int($0)] }
    }
    move(kept, &coordinates, &hardNormals)
    textureCoordinates = coordinates
    cornerNormals = hardNormals
    if let all = faceMaterials { faceMaterials = kept.faces.map { all[Int($0)] } }
    if let all = classes?.labels { classes?.labels = kept.faces.map { all[Int($0)] } }
    indices = kept.vertices
    removeUnusedVertices()
  }

  /// Moves vertices to their new positions, with the attributes that the surface has there.
  private mutating func move(
    _ kept: KeptFaces, _ coordinates: inout [Vector2]?, _ hardNormals: inout [Vector3]?
  ) {
    let (oldNormals, oldColors, oldConfidences) = (normals, colors, confidences)
    var isDone = [Bool](repeating: false, count: kept.moved.isEmpty ? 0 : vertexCount)
    for corner in kept.moved.indices where kept.moved[corner] != .max {
      let number = Int(kept.moved[corner])
      let vertex = Int(kept.vertices[corner])
      positions[vertex] = kept.movedVertices[number].position
      guard var place = kept.places?[number] else { continue }
      place.face -= UInt32(truncatingIfNeeded: kept.firstFace)
      if let all = textureCoordinates {
        let mean = place.mean { SIMD3(all[$0].x, all[$0].y, 0) }
        coordinates?[corner] = Vector2(mean.x, mean.y)
      }
      if let all = cornerNormals {
        let mean = place.mean { all[$0].simd }.normalized
        if mean != .zero { hardNormals?[corner] = Vector3(mean) }
      }
      guard !isDone[vertex] else { continue }
      isDone[vertex] = true
      if let all = oldNormals {
        let mean = place.mean { all[Int(indices[$0])].simd }.normalized
        if mean != .zero { normals?[vertex] = Vector3(mean) }
      }
      if let all = oldColors { colors?[vertex] = place.mean(of: all, indices) }
      if let all = oldConfidences {
        confidences?[vertex] = place.mean { SIMD3(all[Int(indices[$0])], 0, 0) }.x
      }
    }
  }
}

extension SurfaceProjection.Place {
  fileprivate func mean(of colors: [Color], _ indices: [UInt32]) -> Color {
    func color(_ corner: Int) -> Color { colors[Int(indices[corner])] }
    let opaque = mean {
      SIMD3(Float(color($0).red), Float(color($0).green), Float(color($0).blue))
    }
    let alpha = mean { SIMD3(Float(color($0).alpha), 0, 0) }.x
    return Color(
      red: byte(opaque.x), green: byte(opaque.y), blue: byte(opaque.z), alpha: byte(alpha))
  }

  private func byte(_ value: Float) -> UInt8 { UInt8(min(255, max(0, value.rounded()))) }
}
