package import MeshpipeScene

/// Finds points that do not belong to a surface, as Open3D and PCL define them.
package enum PointOutliers {
  /// Which points are not farther from their neighbours than most (Rusu and others 2008).
  ///
  /// A point's mean distance from its neighbours may be above the mean of all by this many standard
  /// deviations, of the sample. Non-finite points are outliers.
  /// - Parameters:
  ///   - neighbors: The number of nearest points, the point itself included, as in Open3D.
  ///   - progress: Receives the share of the work done.
  /// - Returns: One entry per point, true for those that belong.
  package static func statistical(
    _ positions: [Vector3], neighbors: Int, sigma: Double, progress: (Double) throws -> Void
  ) rethrows -> [Bool] {
    let distances = try meanDistances(positions, neighbors: neighbors, progress: progress)
    let count = Double(distances.count { $0.isFinite })
    let mean = distances.sum { $0 } / count
    let variance = distances.sum { ($0 - mean) * ($0 - mean) } / (count - 1)
    // A single point has no variance, and is no outlier.
    let limit = count > 1 ? mean + sigma * variance.squareRoot() : .greatestFiniteMagnitude
    return Parallel.array(count: positions.count) { distances[$0] <= limit }
  }

  /// The mean distance of each point from its neighbours; infinite for non-finite points.
  private static func meanDistances(
    _ positions: [Vector3], neighbors: Int, progress: (Double) throws -> Void
  ) rethrows -> [Double] {
    var means = [Double](repeating: .infinity, count: positions.count)
    let tree = PointTree(positions)
    try means.withDisjointBuffer { means in
      try Parallel.forEachPortion(of: tree.count, progress: progress) { range in
        var found = NearestPoints(capacity: neighbors)
        for item in range {
          tree.find(&found, around: tree.items[item].position.double)
          var sum = 0.0
          for index in 0..<found.count { sum += found[index].squaredDistance.squareRoot() }
          means[tree.items[item].index] = sum / Double(found.count)
        }
      }
    }
    return means
  }

  /// Which points have enough others nearer than a radius.
  ///
  /// - Parameters:
  ///   - radius: In the units of the positions.
  ///   - minimumNeighbors: The number of other points.
  ///   - progress: Receives the share of the work done.
  /// - Returns: One entry per point, true for those that belong.
  package static func radius(
    _ positions: [Vector3], radius: Double, minimumNeighbors: Int,
    progress: (Double) throws -> Void
  ) rethrows -> [Bool] {
    var keep = [Bool](repeating: false, count: positions.count)
    let tree = PointTree(positions)
    try keep.withDisjointBuffer { keep in
      try Parallel.forEachPortion(of: tree.count, progress: progress) { range in
        for item in range {
          let near = tree.count(
            within: radius * radius, of: tree.items[item].position.double,
            upTo: minimumNeighbors + 1)
          keep[tree.items[item].index] = near > minimumNeighbors
        }
      }
    }
    return keep
  }
}

extension [Double] {
  /// The sum of a function of the finite numbers, the same on any number of threads.
  fileprivate func sum(_ function: @Sendable (Double) -> Double) -> Double {
    Parallel.mapChunks(of: count) { range in
      range.reduce(0) { self[$1].isFinite ? $0 + function(self[$1]) : $0 }
    }.reduce(0, +)
  }
}
