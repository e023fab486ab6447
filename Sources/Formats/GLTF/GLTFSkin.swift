import MeshPipeline

/// The joints of a skin at rest, which place the vertices of a skinned mesh.
struct GLTFSkin {
  /// What takes vertices from where they were bound to a joint to where the joint is.
  private let joints: [Transform]
  private let place: String

  /// - Parameter nodes: The transform of each node to the scene.
  init(_ index: Int, in reader: GLTFReader, _ nodes: [Transform?]) throws {
    let place = "skins[\(index)]"
    self.place = place
    let skin = try reader.element("skins", index)
    let joints = skin["joints"]?.elements ?? []
    let bound = try reader.integer(skin["inverseBindMatrices"], place).map {
      try reader.matrices($0)
    }
    if let bound, bound.count < joints.count {
      throw reader.fault(
        place, "has \(bound.count) inverse bind matrices for \(joints.count) joints")
    }
    self.joints = try joints.enumerated().map { number, joint in
      guard let node = try reader.integer(joint, place), node < nodes.count,
        let transform = nodes[node]
      else { throw reader.fault(place, "joint \(number) is not a node of the tree") }
      return bound.map { transform * $0[number] } ?? transform
    }
  }

  /// Moves the vertices of a primitive by the weighted mean of their joints' transforms.
  ///
  /// - Parameter corners: What has the tangents, one for each vertex.
  func pose(
    _ points: inout PointCloud, _ corners: inout Mesh, _ reader: GLTFVertexReader
  ) throws {
    let influences = try reader.influences()
    guard !influences.isEmpty else { return }
    for vertex in points.positions.indices {
      guard let transform = try transform(ofVertex: vertex, influences, reader) else { continue }
      let position = points.positions[vertex]
      points.positions[vertex] = Vector3(
        SIMD3<Float>(transform.apply(toPoint: position.double)))
      if let normal = points.normals?[vertex] {
        let turned = transform.normalTransform.apply(toVector: normal.double).normalized
        points.normals?[vertex] = Vector3(SIMD3<Float>(turned))
      }
      if let tangent = corners.tangents?[vertex] {
        let direction = SIMD3(Double(tangent.x), Double(tangent.y), Double(tangent.z))
        let turned = transform.apply(toVector: direction).normalized
        corners.tangents?[vertex] = Tangent(SIMD3<Float>(turned), w: tangent.w)
      }
    }
  }

  /// Nil for a vertex without joints.
  private func transform(
    ofVertex vertex: Int, _ influences: [GLTFVertexReader.Influences], _ reader: GLTFVertexReader
  ) throws -> Transform? {
    var sum = Transform(x: .zero, y: .zero, z: .zero)
    var total = 0.0
    for (numbers, weights) in influences {
      for index in 0..<4 where weights[vertex][index] > 0 {
        guard let number = Int(exactly: numbers[vertex][index]), joints.indices.contains(number)
        else {
          throw reader.fault(
            "refers to joint \(numbers[vertex][index]) of \(self.place), which has \(joints.count)")
        }
        let (joint, weight) = (joints[number], Double(weights[vertex][index]))
        sum.x += joint.x * weight
        sum.y += joint.y * weight
        sum.z += joint.z * weight
        sum.translation += joint.translation * weight
        total += weight
      }
    }
    guard total > 0, total.isFinite else { return nil }
    return Transform(
      x: sum.x / total, y: sum.y / total, z: sum.z / total, translation: sum.translation / total)
  }
}

extension GLTFVertexReader {
  /// The joints of each vertex and their weights, four of each in a set.
  typealias Influences = (joints: [SIMD4<Float>], weights: [SIMD4<Float>])

  /// A file may have more sets than any program uses.
  private static let mostSets = 8

  /// All sets of joints; empty if the primitive has none.
  func influences() throws -> [Influences] {
    var sets: [Influences] = []
    while sets.count < Self.mostSets,
      let joints = try values("JOINTS_\(sets.count)", ["VEC4"], { $0 }),
      let weights = try values("WEIGHTS_\(sets.count)", ["VEC4"], { $0 })
    {
      sets.append((joints, weights))
    }
    return sets
  }

  /// An error of the primitive.
  func fault(_ message: String) -> ReadingError { reader.fault(place, message) }
}
