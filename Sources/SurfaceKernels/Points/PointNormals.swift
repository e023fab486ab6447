package import MeshpipeScene

/// Normals of points without faces: the direction in which their neighbours vary least (Hoppe and others
/// 1992).
package struct PointNormals: ~Copyable {
  let tree: PointTree
  let positions: [Vector3]
  /// Unit normals, one per point; either way around until they are turned.
  package internal(set) var normals: [Vector3]

  /// Fits the normals.
  ///
  /// - Parameters:
  ///   - neighbors: The number of nearest points that a plane is fitted to, the point itself included.
  ///   - fallback: For non-finite points, and where all neighbours are in a line.
  ///   - progress: Receives the share of the work done.
  package init(
    of positions: [Vector3], neighbors: Int, fallback: Vector3,
    progress: (Double) throws -> Void
  ) rethrows {
    self.positions = positions
    let tree = PointTree(positions)
    normals = try Self.fitted(
      to: positions, tree, neighbors: neighbors, fallback: fallback, progress: progress)
    self.tree = tree
  }

  /// Unit normals that are known except for their side.
  init(of positions: [Vector3], normals: [Vector3]) {
    self.positions = positions
    self.normals = normals
    tree = PointTree(positions)
  }

  /// Normals of points in a tree, either way around.
  static func fitted(
    to positions: [Vector3], _ tree: borrowing PointTree, neighbors: Int, fallback: Vector3,
    progress: (Double) throws -> Void
  ) rethrows -> [Vector3] {
    var normals = [Vector3](repeating: fallback, count: positions.count)
    try normals.withDisjointBuffer { normals in
      try Parallel.forEachPortion(of: tree.count, progress: progress) { range in
        var found = NearestPoints(capacity: neighbors)
        for item in range {
          let center = tree.items[item].position.double
          tree.find(&found, around: center)
          let spread = PointSpread(of: found, positions, around: center)
          if let normal = spread?.leastDirection {
            normals[tree.items[item].index] = Vector3(SIMD3<Float>(normal))
          }
        }
      }
    }
    return normals
  }

  /// Turns each normal so that it looks in a direction, less than a right angle away from it.
  ///
  /// - Parameter direction: Of a point, by its index; need not have length 1.
  package mutating func turn(to direction: @Sendable (Int) -> SIMD3<Float>) {
    normals.withDisjointBuffer { normals in
      Parallel.forEachChunk(of: normals.count, chunkSize: 1 << 11) { _, range in
        for point in range where normals[point].simd.dot(direction(point)) < 0 {
          normals[point] = Vector3(-normals[point].simd)
        }
      }
    }
  }
}
