import MeshpipeScene
import POSIX
import SurfaceKernels

/// The differences of light between pairs of frames that show the same surface from nearly the same
/// direction.
///
/// From the same direction a glossy surface looks the same, so any change is one of exposure.
struct ExposureDifferences: Sendable {
  struct Pair: Sendable {
    var first: Int
    var second: Int
    /// The median, over the surface that both show, of the logarithm of the second minus that of
    /// the first.
    var luminance: Float
    var chroma: Vector3
  }

  private(set) var pairs: [Pair] = []

  /// The angle between two lines of sight, in radians (10°), above which they count as different directions: the
  /// scale of a Gaussian weight.
  ///
  /// Larger, reflections pass for changes of exposure; smaller, frames of a hand-held walk have no partners.
  private static let angleScale: Float = 0.17
  /// The fewest points (more exactly, the least sum of their weights) that make a pair: a median of fewer says
  /// little beside one occluded point.
  private static let leastWeight: Float = 10
  /// The number of other frames that a frame is compared with: the most similar ones, usually the one before and the
  /// one after.
  private static let partners = 2
  /// The angle, in multiples of ``angleScale``, beyond which a pair's weight exp(−…²) is negligible: a thousandth.
  private static let farthestAngle: Float = 2.6
  /// The largest difference that counts, as a logarithm: a factor of two between neighbours is an error in one of
  /// them, and must not decide the deviation of all.
  private static let greatestDifference: Float = 0.7
  /// The approximate maximum number of vertices: all pairs of views of each are compared.
  private static let vertexLimit = 5000

  init(_ samples: GainSamples) {
    let stride = max(1, samples.vertexCount / Self.vertexLimit)
    let vertices = Array(Swift.stride(from: 0, to: samples.vertexCount, by: stride))
    let keys = Self.keys(samples, vertices)
    var places: [UInt64: Int] = [:]
    for (place, key) in keys.enumerated() { places[key] = place }
    var found = [[(difference: SIMD4<Float>, weight: Float)]](repeating: [], count: keys.count)
    Self.forEachPair(samples, vertices) { first, second, weight in
      guard let place = places[Self.key(first, second)] else { return }
      let chroma = second.chroma.simd - first.chroma.simd
      found[place].append(
        (SIMD4(chroma, second.luminance - first.luminance), weight))
    }
    pairs = zip(keys, found).map { key, differences in
      Pair(
        first: Int(key >> 32), second: Int(key & 0xFFFF_FFFF),
        luminance: Self.median(differences, 3),
        chroma: Vector3(
          Self.median(differences, 0), Self.median(differences, 1), Self.median(differences, 2)))
    }
  }

  /// Without pairs of frames of different sessions.
  ///
  /// - Parameter sessions: The number of each frame's session; empty if there is one.
  func within(_ sessions: [Int]) -> ExposureDifferences {
    guard !sessions.isEmpty else { return self }
    var result = self
    result.pairs.removeAll { sessions[$0.first] != sessions[$0.second] }
    return result
  }

  private static func key(_ first: GainSamples.Sample, _ second: GainSamples.Sample) -> UInt64 {
    UInt64(UInt32(bitPattern: first.frame)) << 32 | UInt64(UInt32(bitPattern: second.frame))
  }

  private static func forEachPair(
    _ samples: GainSamples, _ vertices: [Int],
    _ body: (GainSamples.Sample, GainSamples.Sample, Float) -> Void
  ) {
    let leastCosine = cos(farthestAngle * angleScale)
    for vertex in vertices {
      let range = samples.range(of: vertex)
      for first in range where samples.samples[first].weight > 0 {
        let one = samples.samples[first]
        for second in first + 1..<range.upperBound where samples.samples[second].weight > 0 {
          let other = samples.samples[second]
          let cosine = (one.direction.simd * other.direction.simd).sum()
          guard cosine > leastCosine else { continue }
          let angle = (2 * max(0, 1 - cosine)).squareRoot() / angleScale
          body(one, other, one.weight * other.weight * exp(-angle * angle))
        }
      }
    }
  }

  /// The pairs of frames that are compared, ascending: each frame with those of the largest
  /// overlap.
  private static func keys(_ samples: GainSamples, _ vertices: [Int]) -> [UInt64] {
    var weights: [UInt64: Float] = [:]
    forEachPair(samples, vertices) { first, second, weight in
      weights[key(first, second), default: 0] += weight
    }
    var partners = [[(pair: UInt64, weight: Float)]](repeating: [], count: samples.frameCount)
    for (pair, weight) in weights where weight >= leastWeight {
      partners[Int(pair >> 32)].append((pair, weight))
      partners[Int(pair & 0xFFFF_FFFF)].append((pair, weight))
    }
    var chosen: Set<UInt64> = []
    for candidates in partners {
      let best = candidates.sorted { ($1.weight, $0.pair) < ($0.weight, $1.pair) }
      chosen.formUnion(best.prefix(Self.partners).map(\.pair))
    }
    return chosen.sorted()
  }

  private static func median(
    _ values: [(difference: SIMD4<Float>, weight: Float)], _ channel: Int
  ) -> Float {
    let half = values.reduce(0) { $0 + $1.weight } / 2
    var sum: Float = 0
    for (difference, weight) in values.sorted(by: {
      $0.difference[channel] < $1.difference[channel]
    }) {
      sum += weight
      if sum >= half { return difference[channel] }
    }
    return 0
  }

  /// The standard deviation of one frame's level, if levels are independent and these are their
  /// differences.
  ///
  /// - Parameter expected: The part of each level that is known.
  func deviation(beyond expected: [Float]) -> Float {
    deviation { $0.luminance - (expected[$0.second] - expected[$0.first]) }
  }

  /// The standard deviation of one frame's channels from their mean, for the channel where it is largest.
  var chromaDeviation: Float {
    let channels = (0..<3).map { channel in deviation { $0.chroma.simd[channel] } }
    return channels.max() ?? 0
  }

  private func deviation(_ value: (Pair) -> Float) -> Float {
    guard !pairs.isEmpty else { return 0 }
    var sum: Float = 0
    for pair in pairs {
      let clamped = min(max(value(pair), -Self.greatestDifference), Self.greatestDifference)
      sum += clamped * clamped
    }
    return (sum / Float(pairs.count) / 2).squareRoot()
  }
}
