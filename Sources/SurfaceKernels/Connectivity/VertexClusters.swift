public import MeshpipeScene

/// Groups of vertices to merge, numbered in the order of their first vertices.
@usableFromInline
package struct VertexClusters {
  /// The cluster of each vertex.
  @usableFromInline package var cluster: [UInt32] = []
  /// The first vertex of each cluster.
  @usableFromInline var first: [UInt32] = []

  package var count: Int { first.count }

  /// The width of a cell in tolerances: wider ones are looked up less often, but hold more vertices where these are
  /// as close as the tolerance allows.
  private static let cellTolerances = 8.0

  /// Finds the vertices that coincide within a tolerance.
  ///
  /// In order, each vertex joins the cluster whose first vertex is nearest and within the tolerance
  /// (the earlier one on a tie), or founds its own: clusters do not chain, no vertex moves farther
  /// than the tolerance, and first vertices are farther apart than it, so that repeating it changes
  /// nothing. Non-finite positions are never merged.
  ///
  /// - Parameter tolerance: In units of the positions; 0 merges only equal positions.
  /// - Complexity: O(vertices)
  package init(of positions: [Vector3], within tolerance: Double) {
    if tolerance < Double(Float.leastNormalMagnitude) {
      clusterEqual(positions)
    } else {
      clusterNear(positions, tolerance)
    }
  }

  private mutating func found(at vertex: Int) {
    cluster.append(UInt32(first.count))
    first.append(UInt32(vertex))
  }

  private mutating func clusterEqual(_ positions: [Vector3]) {
    // A non-finite position gets a unique tag, so that it is never merged.
    let tags: [UInt32] =
      positions.allSatisfy(\.isFinite)
      ? [] : positions.indices.map { positions[$0].isFinite ? 0 : UInt32($0) + 1 }
    (first, cluster) = PositionWelder.weld(positions, tags: tags)
  }

  /// Merges near positions with cells some times as wide as the tolerance: at most eight can contain a
  /// neighbour, and mostly the one that a vertex is in is the only one.
  private mutating func clusterNear(_ positions: [Vector3], _ tolerance: Double) {
    cluster.reserveCapacity(positions.count)
    let mask = tableSize(for: positions.count) - 1
    var heads = [UInt32](repeating: .max, count: mask + 1)
    var next: [UInt32] = []
    let cellSize = Self.cellTolerances * tolerance
    for vertex in positions.indices {
      guard positions[vertex].isFinite else {
        found(at: vertex)
        next.append(.max)
        continue
      }
      let position = positions[vertex].double
      let low = ((position - tolerance) / cellSize).rounded(.down)
      let high = ((position + tolerance) / cellSize).rounded(.down)
      let reachesBoth = low .!= high
      var nearest: UInt32 = .max
      var nearestDistance = tolerance * tolerance
      // Each of the eight corners of the search box, but equal ends once.
      for corner in 0..<8 {
        let takesHigh = SIMDMask<SIMD3<Int64>>(
          [corner & 1 != 0, corner & 2 != 0, corner & 4 != 0])
        if any(takesHigh .& .!reachesBoth) { continue }
        var candidate = heads[hash(ofCell: low.replacing(with: high, where: takesHigh)) & mask]
        while candidate != .max {
          let other = positions[Int(first[Int(candidate)])].double
          let distance = (other - position).lengthSquared
          if distance < nearestDistance || distance == nearestDistance && candidate < nearest {
            nearest = candidate
            nearestDistance = distance
          }
          candidate = next[Int(candidate)]
        }
      }
      if nearest != .max {
        cluster.append(nearest)
      } else {
        let slot = hash(ofCell: (position / cellSize).rounded(.down)) & mask
        next.append(heads[slot])
        heads[slot] = UInt32(first.count)
        found(at: vertex)
      }
    }
  }
}

extension VertexClusters {
  /// The value of the first vertex of each cluster.
  @inlinable
  package func firstValues<Value>(of values: [Value]) -> [Value] {
    first.map { values[Int($0)] }
  }

  /// The mean direction of each cluster; that of its first vertex if they cancel out.
  package func meanNormals(of normals: [Vector3]) -> [Vector3] {
    var normals = normals
    apply(to: &normals, width: 1)
    return normals
  }
}

extension VertexClusters: AttributeOperation {
  /// Replaces the values of vertices by the mean of each cluster; integers by that of its first
  /// vertex.
  @inlinable
  package func apply<Value: AttributeValue>(to values: inout [Value], width: Int) {
    var result: [Value] = []
    result.reserveCapacity(width * first.count)
    for vertex in first {
      for part in 0..<width { result.append(values[width * Int(vertex) + part]) }
    }
    if Value.isContinuous { average(values, width: width, &result) }
    values = result
  }

  /// - Parameter result: The first values of each cluster.
  @inlinable
  func average<Value: AttributeValue>(_ values: [Value], width: Int, _ result: inout [Value]) {
    var sizes = [UInt32](repeating: 1, count: first.count)
    var sums = result.map(\.terms)
    for vertex in cluster.indices {
      let target = Int(cluster[vertex])
      guard first[target] != UInt32(vertex) else { continue }
      sizes[target] += 1
      for part in 0..<width { sums[width * target + part] += values[width * vertex + part].terms }
    }
    for target in sizes.indices where sizes[target] > 1 {
      for index in width * target..<width * (target + 1) {
        result[index] = Value(
          sum: sums[index], weight: Value.Terms.Scalar(sizes[target]), fallback: result[index])
      }
    }
  }
}

/// A power of two that leaves at least half of a hash table free.
func tableSize(for count: Int) -> Int {
  var size = 16
  while size < 2 * count { size *= 2 }
  return size
}

/// A hash of the coordinates of a cell; both zeros have the same.
func hash(ofCell cell: SIMD3<Double>) -> Int {
  let cell = cell + 0
  return mixed(cell.x.bitPattern, cell.y.bitPattern, cell.z.bitPattern)
}

/// A non-negative hash of three words, by multiplication and shifts.
func mixed(_ a: UInt64, _ b: UInt64, _ c: UInt64) -> Int {
  var state = a &* 0x9E37_79B9_7F4A_7C15
  state = (state ^ (state >> 29) ^ b) &* 0xBF58_476D_1CE4_E5B9
  state = (state ^ (state >> 32) ^ c) &* 0x94D0_49BB_1331_11EB
  return Int(truncatingIfNeeded: (state ^ (state >> 31)) >> 1)
}
