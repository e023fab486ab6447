package import MeshpipeScene

extension VertexClusters {
  /// Groups points by the cells of a grid, as Open3D lays it: half a cell beyond the smallest
  /// coordinates.
  ///
  /// - Parameters:
  ///   - positions: Finite positions.
  ///   - size: The edge of a cell.
  ///   - corner: A corner of a cell, instead of that which Open3D has.
  /// - Complexity: O(points)
  package init(
    of positions: [Vector3], inCellsOf size: Double, corner: SIMD3<Double>? = nil
  ) {
    self.init(of: [], within: 0)
    cluster.reserveCapacity(positions.count)
    let origin = corner ?? SIMD3<Double>(Box(positions).minimum) - size / 2
    @Sendable func cell(of index: Int) -> SIMD3<Double> {
      ((positions[index].double - origin) / size).rounded(.down)
    }
    let mask = tableSize(for: positions.count) - 1
    var heads = [UInt32](repeating: .max, count: mask + 1)
    var next: [UInt32] = []
    let portion = 1 << 18
    for start in stride(from: 0, to: positions.count, by: portion) {
      let slots = Parallel.array(count: min(portion, positions.count - start)) {
        UInt32(truncatingIfNeeded: hash(ofCell: cell(of: start + $0)) & mask)
      }
      for (index, slot) in zip(start..., slots) {
        let own = cell(of: index)
        var candidate = heads[Int(slot)]
        while candidate != .max, cell(of: Int(first[Int(candidate)])) != own {
          candidate = next[Int(candidate)]
        }
        if candidate != .max {
          cluster.append(candidate)
        } else {
          cluster.append(UInt32(first.count))
          next.append(heads[Int(slot)])
          heads[Int(slot)] = UInt32(first.count)
          first.append(UInt32(index))
        }
      }
    }
  }

  /// The mean position of each group.
  func centers(of positions: [Vector3]) -> [Vector3] {
    var sums = [SIMD4<Double>](repeating: .zero, count: count)
    for (index, group) in cluster.enumerated() {
      sums[Int(group)] += SIMD4(positions[index].double, 1)
    }
    return sums.map { Vector3(SIMD3<Float>(SIMD3($0.x, $0.y, $0.z) / $0.w)) }
  }

  /// The element with the largest value of each group; the first of equal ones, and of those that
  /// are not NaN.
  func largest(of values: [Float]) -> [UInt32] {
    var best = first
    for (index, group) in cluster.enumerated() {
      let known = values[Int(best[Int(group)])]
      if values[index] > known || known.isNaN && !values[index].isNaN {
        best[Int(group)] = UInt32(index)
      }
    }
    return best
  }
}

/// The point that stands for a group of points.
package enum PointChoice: Sendable {
  /// The first in order.
  case first
  /// A new point with the means of positions and attributes.
  case mean
  /// The one of the highest confidence, the first of equal ones.
  case confident
  /// The one with the largest of these values, one per point; the first of equal ones.
  case largest([Float])
}

extension PointCloud {
  /// Replaces each group of points by one point; the order stays, means are at the first point.
  ///
  /// - Parameter groups: One per point.
  package mutating func merge(_ groups: VertexClusters, to choice: PointChoice) {
    switch choice {
    case .mean:
      positions = groups.centers(of: positions)
      apply(groups, to: .point)
    case .first: keepPoints(groups.first)
    case .confident: keepPoints(confidences.map(groups.largest(of:)) ?? groups.first)
    case .largest(let values): keepPoints(groups.largest(of: values))
    }
  }

  private mutating func keepPoints(_ chosen: [UInt32]) {
    var keep = [Bool](repeating: false, count: positions.count)
    for point in chosen { keep[Int(point)] = true }
    keepPoints(keep)
  }
}
