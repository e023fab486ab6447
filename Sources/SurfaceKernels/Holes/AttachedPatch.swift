import MeshpipeScene

/// A patch attached to a mesh, whose attributes it continues.
struct AttachedPatch: Sendable {
  private let patch: HolePatch
  /// The mesh's corner at each vertex of the loop, from which the patch has its attributes.
  private let ring: [Int]
  private let vertices: [UInt32]
  /// The face from which the new faces have their class and material: one for all, or one for each.
  private let models: [Int]
  /// Whether edges between planes stay hard.
  private let isPlanar: Bool

  /// The edges between vertices of the loop that are not on it.
  let newEdges: Set<SIMD2<UInt32>>

  init(_ patch: HolePatch, ring: [Int], vertices: [UInt32], models: [Int], isPlanar: Bool) {
    self.ring = ring
    self.vertices = vertices
    self.models = models
    self.isPlanar = isPlanar
    var newEdges: Set<SIMD2<UInt32>> = []
    for halfedge in patch.indices.indices where patch.opposites[halfedge] >= 0 {
      let (start, end) = patch.ends(of: halfedge)
      guard start < end, end < patch.loopCount else { continue }
      let (a, b) = (vertices[Int(start)], vertices[Int(end)])
      newEdges.insert(SIMD2(min(a, b), max(a, b)))
    }
    self.newEdges = newEdges
    // All patches of a mesh are in memory together.
    var patch = patch
    patch.finish()
    self.patch = patch
  }

  var newVertexCount: Int { patch.positions.count - patch.loopCount }
  var faceCount: Int { patch.faceCount }

  /// Appends the patch to a mesh of patches, with vertices of its own on the loop, too.
  func append(to patches: inout Mesh) {
    let first = Int32(patches.vertexCount)
    patches.positions += patch.positions.map { Vector3(SIMD3<Float>($0)) }
    patches.indices += patch.indices.map { UInt32(first + $0) }
  }

  /// Appends the patch's vertices and faces to the mesh.
  func add(to mesh: inout Mesh) {
    let isContinuous = hasContinuousTextureCoordinates(in: mesh)
    let (firstVertex, firstCorner) = (mesh.vertexCount, mesh.cornerCount)
    let numbers =
      vertices + (0..<newVertexCount).map { UInt32(truncatingIfNeeded: firstVertex + $0) }
    mesh.positions += patch.positions[patch.loopCount...].map { Vector3(SIMD3<Float>($0)) }
    mesh.indices += patch.indices.map { numbers[Int($0)] }
    let each =
      models.count == 1 ? [Int](repeating: models[0], count: patch.faceCount) : models
    mesh.apply(RepeatedElements(each), to: .face)
    mesh.apply(
      ContinuedElements(
        loop: vertices.map(Int.init), parents: patch.parents,
        chosen: Array(patch.loopCount..<patch.positions.count)), to: .vertex)
    mesh.apply(
      ContinuedElements(
        loop: ring, parents: patch.parents, chosen: patch.indices.map(Int.init)),
      to: .corner)
    // The sensor saw nothing here.
    for vertex in firstVertex..<mesh.vertexCount { mesh.confidences?[vertex] = 0 }
    if !isContinuous { setSingleTexels(in: &mesh, from: firstCorner) }
    setNormals(in: &mesh, firstVertex, firstCorner)
  }

  /// Whether the texture coordinates go on from each face around the hole to the next.
  private func hasContinuousTextureCoordinates(in mesh: Mesh) -> Bool {
    guard let coordinates = mesh.textureCoordinates else { return true }
    return ring.indices.allSatisfy {
      coordinates[ring[$0]] == coordinates[nextCorner(ring[($0 + 1) % ring.count])]
    }
  }

  /// Gives each face the colour of one point on the loop: between charts, a texture shows anything.
  private func setSingleTexels(in mesh: inout Mesh, from firstCorner: Int) {
    for face in 0..<patch.faceCount {
      var vertex = Int(patch.indices[3 * face..<3 * face + 3].min() ?? 0)
      while vertex >= patch.loopCount { vertex = Int(patch.parents[vertex - patch.loopCount].x) }
      for corner in firstCorner + 3 * face..<firstCorner + 3 * face + 3 {
        if let value = mesh.textureCoordinates?[ring[vertex]] {
          mesh.textureCoordinates?[corner] = value
        }
      }
    }
  }

  private func setNormals(in mesh: inout Mesh, _ firstVertex: Int, _ firstCorner: Int) {
    guard mesh.normals != nil || mesh.cornerNormals != nil else { return }
    var sums = [SIMD3<Double>](repeating: .zero, count: patch.positions.count)
    for corner in patch.indices.indices {
      sums[Int(patch.indices[corner])] += patch.areaVector(ofFace: corner / 3)
    }
    let normals = sums.map { Vector3(SIMD3<Float>($0.normalized)) }
    for vertex in 0..<newVertexCount where normals[patch.loopCount + vertex] != .zero {
      mesh.normals?[firstVertex + vertex] = normals[patch.loopCount + vertex]
    }
    for (corner, vertex) in patch.indices.enumerated() {
      let flat = Vector3(SIMD3<Float>(patch.areaVector(ofFace: corner / 3).normalized))
      let normal = isPlanar ? flat : normals[Int(vertex)]
      guard isPlanar || vertex >= patch.loopCount, normal != .zero else { continue }
      mesh.cornerNormals?[firstCorner + corner] = normal
    }
  }
}

/// Appends the values of some vertices of a patch: those of the loop, and the means of three earlier ones.
private struct ContinuedElements: AttributeOperation {
  /// The elements from which the vertices of the loop have their values.
  let loop: [Int]
  let parents: [SIMD3<Int32>]
  /// The vertices of the patch whose values are appended.
  let chosen: [Int]

  func apply<Value: AttributeValue>(to values: inout [Value], width: Int) {
    var own: [Value] = []
    own.reserveCapacity(width * (loop.count + parents.count))
    for element in loop { own += values[width * element..<width * (element + 1)] }
    for parent in parents {
      for part in 0..<width {
        let (a, b, c) = (
          own[width * Int(parent.x) + part], own[width * Int(parent.y) + part],
          own[width * Int(parent.z) + part]
        )
        own.append(.mix(a, b, c, weights: SIMD3(repeating: 1 / 3), fallback: a))
      }
    }
    for vertex in chosen { values += own[width * vertex..<width * (vertex + 1)] }
  }
}
