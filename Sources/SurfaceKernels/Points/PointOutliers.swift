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
      try tree.forEachPortion(progress: progress) { range in
        var found = NearestPoints(capacity: neighbors)
        for item in range {
          tree.find(&found, around: tree.items[item].position.double)
          var sum = 0.0
          for place in 0..<found.count { sum += found[place].squaredDistance.squareRoot() }
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
      try tree.forEachPortion(progress: progress) { range in
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

  /// Which points are near the mean of those before them.
  ///
  /// Each point enters a window that holds the last ones, and stays if on each axis it is within so
  /// many standard deviations of the window's mean, itself included. Non-finite points are outliers
  /// and do not enter.
  /// - Parameters:
  ///   - window: The most points of the window.
  ///   - axes: The axes that count, 1 each and 0 for others.
  /// - Returns: One entry per point, true for those that belong.
  /// - Complexity: O(points · window)
  package static func zScore(
    _ positions: [Vector3], window: Int, sigma: Double, axes: SIMD3<Double>,
    progress: (Double) throws -> Void
  ) rethrows -> [Bool] {
    var keep = [Bool](repeating: false, count: positions.count)
    let order = positions.indices.filter { positions[$0].isFinite }.map { UInt32($0) }
    let portion = 1 << 17
    try keep.withDisjointBuffer { keep in
      for start in stride(from: 0, to: order.count, by: portion) {
        let length = min(portion, order.count - start)
        Parallel.forEachChunk(of: length, chunkSize: 1 << 11) { _, range in
          for place in start + range.lowerBound..<start + range.upperBound {
            let samples = order[max(0, place + 1 - window)...place]
            keep[order[place]] = isNear(samples, positions, sigma, axes)
          }
        }
        try progress(Double(start + length) / Double(order.count))
      }
    }
    return keep
  }

  /// Whether the last of some points is near their mean.
  private static func isNear(
    _ samples: ArraySlice<UInt32>, _ positions: [Vector3], _ sigma: Double, _ axes: SIMD3<Double>
  ) -> Bool {
    let count = Double(samples.count)
    var sum = SIMD3<Double>.zero
    for sample in samples { sum += positions[Int(sample)].double }
    let mean = sum / count
    var squares = SIMD3<Double>.zero
    for sample in samples {
      let offset = positions[Int(sample)].double - mean
      squares += offset * offset
    }
    let offset = (positions[Int(samples[samples.endIndex - 1])].double - mean) * axes
    // Equal coordinates have no deviation, but their mean is rounded.
    let rounding = abs(mean) * (count * Double.ulpOfOne)
    let limit = sigma * (squares / count).squareRoot() + rounding
    return all(abs(offset) .<= limit)
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

/// The magnitude of each coordinate.
private func abs(_ vector: SIMD3<Double>) -> SIMD3<Double> {
  pointwiseMax(vector, -vector)
}
