package import MeshpipeScene

/// Merges samples of features that were tracked over frames into one point for each feature.
///
/// This is what CurvSurf's *ARFeaturePointFindSurface* (2025) does with ARKit's feature points: of each feature the latest
/// samples are kept, first in, first out; those too far from their mean, measured by the standard deviation of the
/// samples about it, the root mean square of their distances, are left out; the mean of the others is the feature.
package struct FeatureMerging {
  /// The mean of the samples of each feature that count, in the order of first appearance.
  package private(set) var positions: [Vector3]
  /// The number of samples that count.
  package private(set) var sampleCounts: [UInt32]
  /// The root mean square of their distances from the feature.
  package private(set) var spreads: [Float]
  /// Whether each sample counts.
  package private(set) var keep: [Bool]
  /// The first sample of each feature.
  package private(set) var first: [UInt32] = []
  /// The number of samples that were too old.
  package private(set) var outdatedCount = 0
  /// The number of samples whose coordinates are not finite.
  package private(set) var nonFiniteCount = 0
  /// The feature of each sample; `UInt32.max` for those that are not finite.
  private var feature: [UInt32] = []

  /// - Parameters:
  ///   - positions: The samples in the order of time; those that aren't finite don't count.
  ///   - identifiers: Equal for samples of the same feature.
  ///   - window: The most samples of a feature, the latest.
  ///   - sigma: Samples farther from the mean than this many standard deviations are left out. All count if none is nearer.
  /// - Complexity: O(samples)
  package init(
    _ positions: [Vector3], identifiers: [UInt64], window: Int, sigma: Double,
    checkCancellation: () throws -> Void
  ) rethrows {
    precondition(identifiers.count == positions.count && window > 0)
    let (feature, first) = Self.features(positions, identifiers)
    // Feature by feature, in their order; last those that aren't finite.
    let samples = VertexCorners(
      indices: feature.map { min($0, UInt32(first.count)) }, vertexCount: first.count + 1)
    try checkCancellation()
    var keep = [Bool](repeating: false, count: positions.count)
    let means = keep.withDisjointBuffer { keep in
      let means: [Mean] = Parallel.array(count: first.count, chunkSize: 1 << 10) { index in
        Mean(of: positions, samples[index].suffix(window), sigma: sigma, keep: keep)
      }
      return means
    }
    for index in first.indices { outdatedCount += max(0, samples[index].count - window) }
    nonFiniteCount = samples[first.count].count
    (self.keep, self.first, self.feature) = (keep, first, feature)
    self.positions = means.map { Vector3(SIMD3<Float>($0.position)) }
    sampleCounts = means.map(\.count)
    spreads = means.map { Float($0.spread) }
  }

  /// The groups of the samples that count, among these alone.
  package var groups: VertexClusters {
    let cluster = keep.indices.filter { keep[$0] }.map { feature[$0] }
    return VertexClusters(cluster: cluster, count: positions.count)
  }

  // MARK: Samples

  /// Numbers the features in the order of first appearance.
  private static func features(
    _ positions: [Vector3], _ identifiers: [UInt64]
  ) -> (feature: [UInt32], first: [UInt32]) {
    let mask = tableSize(for: positions.count) - 1
    var slots = [UInt32](repeating: .max, count: mask + 1)
    var feature: [UInt32] = []
    var first: [UInt32] = []
    feature.reserveCapacity(positions.count)
    for sample in positions.indices {
      guard positions[sample].isFinite else {
        feature.append(.max)
        continue
      }
      let identifier = identifiers[sample]
      var slot = mixed(identifier, 0, 0) & mask
      while slots[slot] != .max, identifiers[Int(first[Int(slots[slot])])] != identifier {
        slot = (slot + 1) & mask
      }
      if slots[slot] == .max {
        slots[slot] = UInt32(first.count)
        first.append(UInt32(sample))
      }
      feature.append(slots[slot])
    }
    return (feature, first)
  }

  /// The mean of the samples of a feature that count.
  private struct Mean: BitwiseCopyable {
    var position = SIMD3<Double>.zero
    var spread = 0.0
    var count: UInt32 = 0

    /// - Parameter keep: Becomes true for the samples that count.
    init(
      of positions: [Vector3], _ samples: ArraySlice<UInt32>, sigma: Double,
      keep: DisjointBuffer<Bool>
    ) {
      let (center, variance) = Self.moments(samples.lazy.map { positions[Int($0)].double })
      let limit = sigma * sigma * variance
      func counts(_ sample: UInt32) -> Bool {
        (positions[Int(sample)].double - center).lengthSquared <= limit
      }
      let near = samples.filter(counts)
      let chosen = near.isEmpty ? Array(samples) : near
      for sample in chosen { keep[Int(sample)] = true }
      let (mean, square) = Self.moments(chosen.lazy.map { positions[Int($0)].double })
      (position, spread, count) = (mean, square.squareRoot(), UInt32(chosen.count))
    }

    /// The mean of points, and the mean square of their distances from it.
    private static func moments(
      _ points: some Collection<SIMD3<Double>>
    ) -> (mean: SIMD3<Double>, square: Double) {
      let count = Double(points.count)
      let mean = points.reduce(.zero, +) / count
      return (mean, points.reduce(0) { $0 + ($1 - mean).lengthSquared } / count)
    }
  }
}

extension VertexClusters {
  /// - Parameters:
  ///   - cluster: The group of each element; each group has one.
  ///   - count: The number of groups.
  fileprivate init(cluster: [UInt32], count: Int) {
    self.init(of: [], within: 0)
    self.cluster = cluster
    first = [UInt32](repeating: .max, count: count)
    for (element, group) in cluster.enumerated() where first[Int(group)] == .max {
      first[Int(group)] = UInt32(element)
    }
  }
}
