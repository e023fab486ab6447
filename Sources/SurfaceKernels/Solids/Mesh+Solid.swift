import MeshpipeScene
import NativeLibraries

extension Mesh {
  /// Removes closed parts, and cavities, of less than some voxels or of a smaller size, unless nothing else is there.
  ///
  /// - Parameter size: The least longest edge of a part's bounding box.
  /// - Returns: The parts and cavities that stay.
  mutating func removeSpecks(voxel: Double, size: Double) -> SolidBodies {
    let bodies = SolidBodies(of: self)
    let least = Self.fewestVoxels * voxel * voxel * voxel
    let isKept = bodies.surfaces.map { abs($0.volume) >= least && Double($0.box.extent) >= size }
    guard isKept.contains(true), isKept.contains(false) else { return bodies }
    keepFaces(bodies.labels.map { isKept[Int($0)] })
    return SolidBodies(of: self)
  }

  private static var fewestVoxels: Double { 12 }

  /// A mesh with only the attributes that ``takeAttributes(of:_:_:)`` asks for.
  func attributesAlone() -> Mesh {
    var result = Mesh(name: name)
    if hasVertexValues || !cornerAttributes.isEmpty {
      result.positions = positions
      result.indices = indices
    }
    result.colors = colors
    result.confidences = confidences
    result.faceMaterials = faceMaterials
    result.classes = classes
    result.faceColors = faceColors
    result.vertexAttributes = vertexAttributes
    result.cornerAttributes = cornerAttributes
    result.faceAttributes = faceAttributes
    return result
  }

  /// Takes the name, and by closest point the colours of vertices and faces, confidences, classes, materials and custom attributes of a mesh.
  ///
  /// - Parameter nearest: For each face, where the mesh has values of faces.
  mutating func takeAttributes(
    of mesh: Mesh, _ input: SolidInput, _ nearest: [SolidInput.Nearest]
  ) {
    name = mesh.name
    if mesh.hasVertexValues { takeVertexValues(of: mesh, input) }
    guard mesh.hasFaceValues else { return }
    let sources = nearest.map { input.sources[Int($0.face)] }
    if let classes = mesh.classes {
      self.classes = FaceClasses(
        labels: sources.map { classes.labels[Int($0)] }, names: classes.names)
    }
    if let materials = mesh.faceMaterials { faceMaterials = sources.map { materials[Int($0)] } }
    if let colors = mesh.faceColors { faceColors = sources.map { colors[Int($0)] } }
    faceAttributes = mesh.faceAttributes
    faceAttributes.apply(ChosenElements(sources))
    guard !mesh.cornerAttributes.isEmpty else { return }
    cornerAttributes = mesh.cornerAttributes
    let corners = (0..<cornerCount).map { corner -> UInt32 in
      let position = positions[Int(indices[corner])].double * input.unit + input.middle
      let first = 3 * Int(sources[corner / 3])
      let closest = (first..<first + 3).min {
        mesh.squaredDistance(ofCorner: $0, from: position)
          < mesh.squaredDistance(ofCorner: $1, from: position)
      }
      return UInt32(closest ?? first)
    }
    cornerAttributes.apply(ChosenElements(corners))
  }

  private func squaredDistance(ofCorner corner: Int, from position: SIMD3<Double>) -> Double {
    let offset = positions[Int(indices[corner])].double - position
    return offset.dot(offset)
  }

  /// Whether the mesh's faces have values that those of a solid take.
  var hasFaceValues: Bool {
    classes != nil || faceMaterials != nil || faceColors != nil || !faceAttributes.isEmpty
      || !cornerAttributes.isEmpty
  }

  private var hasVertexValues: Bool {
    colors != nil || confidences != nil || !vertexAttributes.isEmpty
  }

  private mutating func takeVertexValues(of mesh: Mesh, _ input: SolidInput) {
    let solid = self
    let vertices: [UInt32] = Parallel.array(count: vertexCount, chunkSize: 1 << 10) { vertex in
      input.nearestVertex(to: solid.positions[vertex].simd, of: mesh)
    }
    if let colors = mesh.colors { self.colors = vertices.map { colors[Int($0)] } }
    if let confidences = mesh.confidences {
      self.confidences = vertices.map { confidences[Int($0)] }
    }
    vertexAttributes = mesh.vertexAttributes
    vertexAttributes.apply(ChosenElements(vertices))
  }
}

extension SolidInput {
  /// The face that is nearest to a point.
  struct Nearest: BitwiseCopyable, Sendable {
    var face: UInt32 = 0
    /// Infinite if no face is in reach.
    var distance = Float.infinity
  }

  /// The faces that are nearest to the middles of a solid's faces.
  func nearest(toFacesOf solid: Mesh, within radius: Float) -> [Nearest] {
    Parallel.array(count: solid.faceCount, chunkSize: 1 << 10) { range, output in
      var last: UInt32?
      for face in range {
        let middle = SIMD3<Float>(solid.centroid(ofFace: face))
        let hit = tracer.nearest(to: middle, within: radius, likely: last)
        output.append(hit.map { Nearest(face: $0.face, distance: $0.distance) } ?? Nearest())
        last = hit?.face ?? last
      }
    }
  }

  /// The vertex of a mesh that weighs most at the nearest point.
  fileprivate func nearestVertex(to point: SIMD3<Float>, of mesh: Mesh) -> UInt32 {
    guard let hit = tracer.nearest(to: point) else { return mesh.indices[0] }
    let (a, b, c) = corners(ofFace: Int(hit.face))
    let place =
      SIMD3<Double>(a + (b - a) * hit.barycentric.x + (c - a) * hit.barycentric.y) * unit + middle
    let corners = mesh.vertices(ofFace: Int(sources[Int(hit.face)]))
    return [corners.0, corners.1, corners.2].min {
      (mesh.positions[Int($0)].double - place).lengthSquared
        < (mesh.positions[Int($1)].double - place).lengthSquared
    } ?? corners.0
  }
}
