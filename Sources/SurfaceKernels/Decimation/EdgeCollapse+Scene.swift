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
    var (positions, indices) = meshes.joinedSurface
    let order = SpatialOrder(of: positions)
    // Most scans share their vertices, which this order reveals at once.
    let clusters = order.mayCoincide ? VertexClusters(of: positions, within: 0) : nil
    let hasCornerAttributes = meshes.contains { $0.has(attributesOf: [.corner]) }
    let coincident = clusters.flatMap { $0.count < positions.count ? $0 : nil }
    if coincident != nil || hasCornerAttributes {
      wedges = Self.wedges(
        of: meshes, indices: indices, vertexCount: positions.count, clusters: coincident?.cluster)
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
    mapping = SurfaceMapping(meshes)
    vertices = indices
    self.positions = positions
  }
}

extension Mesh {
  /// Whether vertices or corners have attributes that moved vertices take from their new position on the surface.
  package var hasSurfaceAttributes: Bool { has(attributesOf: [.vertex, .corner]) }

  fileprivate func has(attributesOf elements: Set<AttributeElement>) -> Bool {
    presentAttributes.contains { elements.contains($0.element) }
      || elements.contains { !self[keyPath: Mesh.customAttributes(of: $0)].isEmpty }
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
        kept.coordinates = self.places.isEmpty ? [] : Array(self.places[3 * start..<3 * end])
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
  /// The corner from which each corner takes its attributes; nil if corners have none.
  var corners: [UInt32]?
  /// The index among the moved vertices of each corner's vertex, or none; empty if none has moved.
  var moved: [UInt32] = []
  var movedVertices: [EdgeCollapse.MovedVertex] = []
  /// Where on the surface moved vertices take their attributes from.
  var places: [SurfaceProjection.Place]?
  /// The texture coordinates of each corner where decimation put it; empty if there are none.
  var coordinates: [Vector2] = []
  /// The index of the mesh's first face, counted over all meshes.
  var firstFace: Int
}

extension Mesh {
  fileprivate mutating func keep(_ kept: KeptFaces) {
    let moves = move(kept)
    let coordinates = textureCoordinates
    apply(MovedCorners(kept), to: .corner)
    apply(MovedVertices(kept, indices: indices, moves: moves), to: .vertex)
    apply(ChosenElements(kept.faces), to: .face)
    indices = kept.vertices
    if let coordinates { unflip(kept, coordinates) }
    removeUnusedVertices()
  }

  /// Moves vertices in the texture to where decimation put them, at faces that are wound otherwise
  /// than before.
  ///
  /// The nearest point of the original surface may be on the other side of a fold.
  private mutating func unflip(_ kept: KeptFaces, _ before: [Vector2]) {
    guard !kept.coordinates.isEmpty, var places = textureCoordinates else { return }

    func winding(_ all: [Vector2], _ face: Int) -> Float {
      let (a, b, c) = (all[3 * face], all[3 * face + 1], all[3 * face + 2])
      return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    }
    var isUnflipped = [Bool](repeating: false, count: vertexCount)
    var isChanged = true
    while isChanged {
      isChanged = false
      for face in kept.faces.indices
      where winding(places, face) * winding(before, Int(kept.faces[face])) < 0 {
        for corner in 3 * face..<3 * face + 3 where kept.moved[corner] != .max {
          let vertex = Int(kept.vertices[corner])
          if !isUnflipped[vertex] { (isUnflipped[vertex], isChanged) = (true, true) }
        }
      }
      guard isChanged else { break }
      for corner in kept.vertices.indices
      where kept.moved[corner] != .max && isUnflipped[Int(kept.vertices[corner])]
        && kept.coordinates[corner].isFinite
      { places[corner] = kept.coordinates[corner] }
    }
    textureCoordinates = places
  }

  /// Moves vertices to their new positions.
  ///
  /// - Returns: The moved vertices, and their indices among all moved ones.
  private mutating func move(_ kept: KeptFaces) -> [SIMD2<UInt32>] {
    var moves: [SIMD2<UInt32>] = []
    var isDone = [Bool](repeating: false, count: kept.moved.isEmpty ? 0 : vertexCount)
    for corner in kept.moved.indices where kept.moved[corner] != .max {
      let vertex = kept.vertices[corner]
      guard !isDone[Int(vertex)] else { continue }
      isDone[Int(vertex)] = true
      positions[Int(vertex)] = kept.movedVertices[Int(kept.moved[corner])].position
      moves.append(SIMD2(vertex, kept.moved[corner]))
    }
    return moves
  }
}

/// The points on a mesh from which moved vertices take their attributes.
private struct MovedPlaces {
  private let places: [SurfaceProjection.Place]
  private let firstFace: Int

  /// - Returns: Nil if no vertex takes attributes from elsewhere.
  init?(_ kept: KeptFaces) {
    guard let places = kept.places, !kept.moved.isEmpty else { return nil }
    self.places = places
    firstFace = kept.firstFace
  }

  /// The first corner of the face that contains a moved vertex, and the weights of its corners.
  subscript(number: UInt32) -> (corner: Int, weights: SIMD3<Float>) {
    let place = places[Int(number)]
    return (3 * (Int(place.face) - firstFace), place.weights)
  }
}

/// Gives moved vertices the attributes that the surface has at their position.
private struct MovedVertices: AttributeOperation {
  /// The vertices of the faces before.
  private let indices: [UInt32]
  private let moves: [SIMD2<UInt32>]
  private let places: MovedPlaces?

  init(_ kept: KeptFaces, indices: [UInt32], moves: [SIMD2<UInt32>]) {
    self.indices = indices
    self.moves = moves
    places = MovedPlaces(kept)
  }

  func apply<Value: AttributeValue>(to values: inout [Value], width: Int) {
    guard let places else { return }
    let old = values
    for move in moves {
      let (corner, weights) = places[move.y]
      let (a, b, c) = (Int(indices[corner]), Int(indices[corner + 1]), Int(indices[corner + 2]))
      for part in 0..<width {
        let target = width * Int(move.x) + part
        values[target] = .mix(
          old[width * a + part], old[width * b + part], old[width * c + part], weights: weights,
          fallback: values[target])
      }
    }
  }
}

/// Gives the corners of the remaining faces their attributes, those of moved vertices from their
/// position.
private struct MovedCorners: AttributeOperation {
  private let corners: [UInt32]
  private let moved: [UInt32]
  private let places: MovedPlaces?

  init(_ kept: KeptFaces) {
    corners = kept.corners ?? []
    moved = kept.moved
    places = MovedPlaces(kept)
  }

  func apply<Value: AttributeValue>(to values: inout [Value], width: Int) {
    let old = values
    ChosenElements(corners).apply(to: &values, width: width)
    guard let places else { return }
    for corner in moved.indices where moved[corner] != .max {
      let (first, weights) = places[moved[corner]]
      for part in 0..<width {
        let target = width * corner + part
        values[target] = .mix(
          old[width * first + part], old[width * (first + 1) + part],
          old[width * (first + 2) + part], weights: weights, fallback: values[target])
      }
    }
  }
}
