import MeshpipeScene

/// Makes a mesh of a remeshed surface: each vertex and corner has the attributes of the old surface at
/// its position, and each face those at its middle.
struct RemeshedMesh {
  private typealias Place = RemeshReference.Place

  private let state: RemeshState
  private let reference: RemeshReference
  /// The face of the state that each new face is.
  private let faces: [UInt32]
  /// The corner that stands for each new vertex.
  private var corners: [UInt32] = []
  /// The new vertex that each vertex of the state is.
  private let numbers: [UInt32]
  /// The nearest point of the old surface to the middle of each new face.
  private var middles: [Middle] = []

  /// The nearest point of the old surface to the middle of a new face.
  private struct Middle: BitwiseCopyable, Sendable {
    /// The index of the face of the reference.
    var face: UInt32
    var squaredDistance: Float
  }

  init(_ state: RemeshState) {
    self.state = state
    reference = state.reference
    faces = (0..<UInt32(state.faces.faceCount)).filter { !state.isRemoved(Int($0)) }
    var numbers = [UInt32](repeating: RemeshState.none, count: state.positions.count)
    // The fans of one vertex of the mesh are one vertex again.
    var shared: [UInt32: UInt32] = [:]
    for corner in faces.lazy.flatMap({ 3 * $0..<3 * $0 + 3 }) {
      let vertex = state.faces.vertices[Int(corner)]
      guard numbers[Int(vertex)] == RemeshState.none else { continue }
      let isCopied = state.roles[Int(vertex)].contains(.copied)
      if isCopied, let known = shared[state.originals[Int(vertex)]] {
        numbers[Int(vertex)] = known
      } else {
        numbers[Int(vertex)] = UInt32(corners.count)
        if isCopied { shared[state.originals[Int(vertex)]] = UInt32(corners.count) }
        corners.append(corner)
      }
    }
    self.numbers = numbers
    middles = nearestToMiddles()
  }

  private func nearestToMiddles() -> [Middle] {
    Parallel.array(count: faces.count) { middle(of: faces[$0]) }
  }

  /// Replaces the faces and vertices of the mesh.
  func replace(_ mesh: inout Mesh, featureAngle: Double) {
    // The new indices are made last, when `vertexPlaces` has been freed.
    mesh.positions = moveAttributes(of: &mesh)
    mesh.indices = indices
    renewNormals(of: &mesh, featureAngle)
  }

  /// Gives the mesh the attributes of its new elements.
  ///
  /// - Returns: The positions of the new vertices.
  private func moveAttributes(of mesh: inout Mesh) -> [Vector3] {
    let vertexPlaces = Parallel.array(count: corners.count) { place(ofCorner: corners[$0]) }
    let old = mesh
    let positions = Parallel.array(count: corners.count) { vertex in
      position(of: vertex, vertexPlaces[vertex], old)
    }
    mesh.apply(
      PlacedElements(count: corners.count) { placed(vertexPlaces[$0], old.indices) }, to: .vertex)
    mesh.apply(
      PlacedElements(count: 3 * faces.count) { placed(place(ofIndex: $0, vertexPlaces), nil) },
      to: .corner)
    mesh.apply(ChosenElements(middles.map { reference.sources[Int($0.face)] }), to: .face)
    return positions
  }

  /// The indices of the vertices at the corners of the new faces.
  private var indices: [UInt32] {
    Parallel.array(count: 3 * faces.count) { index in
      numbers[Int(state.faces.vertices[Int(corner(ofIndex: index))])]
    }
  }

  /// The corner of the state that a new corner is.
  private func corner(ofIndex index: Int) -> UInt32 { 3 * faces[index / 3] + UInt32(index % 3) }

  /// The point of the old surface for a new corner: that of its vertex, unless this is on a line or fixed.
  private func place(ofIndex index: Int, _ vertexPlaces: [Place]) -> Place {
    let corner = corner(ofIndex: index)
    let vertex = Int(state.faces.vertices[Int(corner)])
    let isFree = state.roles[vertex].isDisjoint(with: [.line, .fixed])
    return isFree ? vertexPlaces[Int(numbers[vertex])] : place(ofCorner: corner)
  }

  /// Where a corner of the state is on the old surface.
  private func place(ofCorner corner: UInt32) -> Place {
    let vertex = Int(state.faces.vertices[Int(corner)])
    if !state.roles[vertex].isDisjoint(with: [.line, .fixed]),
      let edge = state.lineEdge(ofCorner: corner)
    {
      var weights = SIMD3<Float>.zero
      weights[Int(edge.halfedge % 3)] = 1 - edge.share
      weights[Int(following(edge.halfedge) % 3)] = edge.share
      return Place(face: edge.halfedge / 3, weights: weights)
    }
    return reference.nearest(to: state.positions[vertex].simd, from: state.anchors[vertex]).place
  }

  /// The nearest point of the old surface to the middle of a face of the state.
  private func middle(of face: UInt32) -> Middle {
    let first = Int(3 * face)
    let middle =
      (state.position(state.faces.vertices[first])
        + state.position(state.faces.vertices[first + 1])
        + state.position(state.faces.vertices[first + 2])) / 3
    var found = reference.nearest(to: middle, from: state.referenceFace(ofCorner: 3 * face))
    // In a fold, a walk can end far from the nearest point.
    let tolerance = state.sizing.tolerance
    for corner in 3 * face + 1..<3 * face + 3 where found.squaredDistance > tolerance * tolerance {
      let other = reference.nearest(to: middle, from: state.referenceFace(ofCorner: corner))
      if other.squaredDistance < found.squaredDistance { found = other }
    }
    return Middle(face: found.place.face, squaredDistance: found.squaredDistance)
  }

  /// The mean and the largest distance of the middles of faces from the old surface, in working units.
  func distances() -> (mean: Double, largest: Double) {
    let sums = Parallel.mapChunks(of: middles.count) { faces in
      var (sum, largest) = (0.0, 0.0)
      for face in faces {
        let distance = Double(middles[face].squaredDistance).squareRoot()
        sum += distance
        largest = max(largest, distance)
      }
      return SIMD2(sum, largest)
    }
    let count = Double(max(1, faces.count))
    return (sums.reduce(0) { $0 + $1.x } / count, sums.reduce(0) { max($0, $1.y) })
  }

  /// The position of a vertex, in the precision of the mesh.
  private func position(of vertex: Int, _ place: Place, _ old: Mesh) -> Vector3 {
    let own = state.faces.vertices[Int(corners[vertex])]
    let original = state.originals[Int(own)]
    if state.roles[Int(own)].contains(.fixed), original != RemeshState.none {
      return old.positions[Int(original)]
    }
    let first = 3 * Int(reference.sources[Int(place.face)])
    let a = old.positions[Int(old.indices[first])].double
    let b = old.positions[Int(old.indices[first + 1])].double
    let c = old.positions[Int(old.indices[first + 2])].double
    let weights = SIMD3<Double>(place.weights)
    return Vector3(SIMD3<Float>(a + (b - a) * weights.y + (c - a) * weights.z))
  }

  /// The elements of the mesh at a point of the reference, with their weights.
  private func placed(_ place: Place, _ indices: [UInt32]?) -> PlacedElements.Element {
    let first = 3 * reference.sources[Int(place.face)]
    guard let indices else {
      return .init(elements: SIMD3(first, first + 1, first + 2), weights: place.weights)
    }
    let corner = Int(first)
    return .init(
      elements: SIMD3(indices[corner], indices[corner + 1], indices[corner + 2]),
      weights: place.weights)
  }

  private func renewNormals(of mesh: inout Mesh, _ featureAngle: Double) {
    guard mesh.normals != nil || mesh.cornerNormals != nil else { return }
    mesh.tangents = nil
    if let old = mesh.normals {
      let new = mesh.vertexNormals(weight: .angle, fallback: .zero)
      mesh.normals = new.indices.map { new[$0] == .zero ? old[$0] : new[$0] }
    }
    if mesh.cornerNormals != nil {
      mesh.cornerNormals = mesh.cornerNormals(
        weight: .angle, creaseAngle: featureAngle, fallback: Vector3(0, 1, 0))
      if mesh.cornerNormals == nil, mesh.normals == nil {
        mesh.normals = mesh.vertexNormals(weight: .angle, fallback: Vector3(0, 1, 0))
      }
    }
  }
}

/// Replaces values by the means of three earlier ones.
private struct PlacedElements: AttributeOperation {
  struct Element: BitwiseCopyable, Sendable {
    var elements: SIMD3<UInt32>
    var weights: SIMD3<Float>
  }

  private let count: Int
  /// Made for each attribute: most meshes have none of corners.
  private let place: @Sendable (Int) -> Element

  init(count: Int, place: @escaping @Sendable (Int) -> Element) {
    self.count = count
    self.place = place
  }

  func apply<Value: AttributeValue>(to values: inout [Value], width: Int) {
    let old = values
    let places = Parallel.array(count: count, element: place)
    values = Parallel.array(count: width * count) { index in
      let (place, part) = (places[index / width], index % width)
      let a = old[width * Int(place.elements.x) + part]
      let b = old[width * Int(place.elements.y) + part]
      let c = old[width * Int(place.elements.z) + part]
      return .mix(a, b, c, weights: place.weights, fallback: a)
    }
  }
}
