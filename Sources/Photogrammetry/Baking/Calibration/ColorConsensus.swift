import MeshpipeScene

/// The colour of each vertex on which its frames agree: an M-estimate of location over the frames' levelled colours.
package struct ColorConsensus: Sendable {
  /// Linear light, 0…65535; the fourth is 1 where a frame sees the vertex, else 0.
  package var colors: [SIMD4<Float>]
  /// The spread of the agreeing frames at each vertex, as a share of its light.
  private(set) var spreads: [Float]

  /// The spread at which a single frame is as likely to be right as not.
  ///
  /// Measured: frames with exact poses and surface, blurred to a triangle's size, agree to 2 %; those of hand-held
  /// scans, whose fine detail is misaligned by some pixels, to 5 %. It lies between the two.
  private static let disagreeingSpread: Float = 0.03
  /// Linear light, a hundredth of white, that is added where light is divided by light, so that noise in the
  /// dark has no effect.
  static let noiseFloor: Float = 650
  /// The deviation of a colour that agrees, in linear light, and how it grows with the light: noise of a
  /// blurred sample, most of which comes from edges.
  ///
  /// With ``rejectedDeviations`` a colour counts for nothing from about 20 % off the mean on: a shadow or another
  /// object. Smaller, misaligned texture rejects frames that are right; larger, moved objects stain the mean.
  private static let leastDeviation: Float = 500
  private static let deviationPerLight: Float = 0.06
  /// The number of such deviations at which a colour counts for nothing.
  private static let rejectedDeviations: Float = 3
  /// Rounds of reweighting, from a median start: the weights hardly change after a few.
  private static let iterations = 4
  /// The weight of a colour that contradicts all others, so that there is a mean of contradictions, too.
  private static let leastFactor: Float = 1e-3
  /// Sums of weights are divided by no less: without any, a mean is 0.
  private static let leastTotal: Float = 1e-12

  /// The unreliability of a single frame at each vertex, 0…1: half at ``disagreeingSpread``, by a steep logistic curve
  /// of the logarithm.
  func disagreements() -> [Float] {
    spreads.map { spread in
      let ratio = spread / Self.disagreeingSpread
      let power = ratio * ratio * ratio * ratio
      return power / (1 + power)
    }
  }

  /// The percentile of light nearest to the true colour of a glossy surface, since reflections add
  /// light.
  ///
  /// The minimum would be that of a shadow or an error; the median still has the reflection that most views share.
  private static let basePercentile: Float = 0.2

  /// Finds the colours by a robust mean (Tukey's weights from a median start), and stores in each observation
  /// how well it agrees.
  ///
  /// - Parameters:
  ///   - geometry: The positions of the frames; nil if they are not needed.
  ///   - gloss: Where observations differ by their angle, and the darker ones are right; nil for a surface
  ///     without gloss.
  init(
    _ table: inout ObservationTable, _ photometry: FramePhotometry,
    geometry: GainSamples.Geometry? = nil,
    gloss: GlossEstimate? = nil
  ) {
    let results = Self.results(of: table, photometry: photometry, geometry: geometry, gloss: gloss)
    colors = Parallel.joined(results.map(\.colors))
    spreads = Parallel.joined(results.map(\.spreads))
    var index = 0
    for result in results {
      for agreement in result.agreements {
        table.observations[index].agreement = agreement
        index += 1
      }
    }
  }

  /// The result for some vertices.
  private struct Result: Sendable {
    var colors: [SIMD4<Float>] = []
    var spreads: [Float] = []
    var agreements: [Float] = []
  }

  private static func results(
    of table: ObservationTable, photometry: FramePhotometry, geometry: GainSamples.Geometry?,
    gloss: GlossEstimate?
  ) -> [Result] {
    Parallel.mapChunks(of: table.vertexCount, chunkSize: 1 << 12) { range in
      var result = Result()
      result.colors.reserveCapacity(range.count)
      for vertex in range {
        let glossiness = gloss?.glossiness[vertex] ?? 0
        let (color, spread) = agree(
          table, photometry: photometry, at: vertex, geometry: glossiness > 0 ? geometry : nil,
          glossiness: glossiness, &result.agreements
        )
        result.colors.append(color)
        result.spreads.append(spread)
      }
      return result
    }
  }

  private static func agree(
    _ table: ObservationTable, photometry: FramePhotometry, at vertex: Int,
    geometry: GainSamples.Geometry?, glossiness: Float, _ agreements: inout [Float]
  ) -> (SIMD4<Float>, spread: Float) {
    let range = table.range(of: vertex)
    guard !range.isEmpty else { return (.zero, 0) }
    var colors: [SIMD4<Float>] = []
    var weights: [Float] = []
    for index in range {
      let observation = table.observations[index]
      var color =
        SIMD4<Float>(observation.measurement.color) * photometry.gains[Int(observation.frame)]
      color.w = 0
      colors.append(color)
      let sharpness = photometry.sharpness[Int(observation.frame)]
      weights.append(observation.measurement.confidence * sharpness * sharpness)
    }
    var mean = median(colors, weights)
    var factors = [Float](repeating: 1, count: colors.count)
    for _ in 0..<iterations {
      var (sum, total) = (SIMD4<Float>.zero, Float(0))
      for index in colors.indices {
        factors[index] = agreement(of: colors[index], with: mean)
        let weight = weights[index] * (factors[index] + leastFactor)
        sum += colors[index] * weight
        total += weight
      }
      mean = sum / max(total, leastTotal)
    }
    if let geometry {
      for (offset, index) in range.enumerated() {
        weights[offset] *= geometry.cosine(of: vertex, from: Int(table.observations[index].frame))
      }
      mean += (base(colors, weights) - mean) * glossiness
      for index in colors.indices { factors[index] = agreement(of: colors[index], with: mean) }
    }
    agreements += factors
    var (sum, total) = (Float(0), Float(0))
    for index in colors.indices {
      let residual = colors[index] - mean
      let weight = weights[index] * factors[index]
      sum += (residual * residual).sum() / 3 * weight
      total += weight
    }
    let light = (mean.x + mean.y + mean.z) / 3
    mean.w = 1
    return (mean, (sum / max(total, leastTotal)).squareRoot() / (light + noiseFloor))
  }

  /// Tukey's weight of a colour relative to a mean.
  @inline(__always)
  private static func agreement(of color: SIMD4<Float>, with mean: SIMD4<Float>) -> Float {
    let limit =
      rejectedDeviations * (leastDeviation + deviationPerLight * (mean.x + mean.y + mean.z) / 3)
    let residual = color - mean
    let ratio = ((residual * residual).sum() / 3).squareRoot() / limit
    let root = max(0, 1 - ratio * ratio)
    return root * root
  }

  /// The true colour of a glossy surface: of the observations around a low percentile of light.
  ///
  /// All channels come from the same observations, since mixing observations would add a tint.
  private static func base(_ colors: [SIMD4<Float>], _ weights: [Float]) -> SIMD4<Float> {
    let total = weights.reduce(0, +)
    var (sum, taken, passed) = (SIMD4<Float>.zero, Float(0), Float(0))
    for index in colors.indices.sorted(by: { colors[$0].sum() < colors[$1].sum() }) {
      // Triangular weights around the percentile, so that no single observation decides.
      let middle = (passed + weights[index] / 2) / max(total, leastTotal)
      passed += weights[index]
      let weight = weights[index] * max(0, 1 - abs(middle - basePercentile) / basePercentile)
      sum += colors[index] * weight
      taken += weight
    }
    return taken > leastTotal ? sum / taken : median(colors, weights)
  }

  /// The weighted median of each channel.
  private static func median(_ colors: [SIMD4<Float>], _ weights: [Float]) -> SIMD4<Float> {
    guard colors.count > 2 else {
      var (sum, total) = (SIMD4<Float>.zero, Float(0))
      for (color, weight) in zip(colors, weights) {
        sum += color * weight
        total += weight
      }
      return sum / max(total, leastTotal)
    }
    let half = weights.reduce(0, +) / 2
    var result = SIMD4<Float>.zero
    for channel in 0..<3 {
      var sum: Float = 0
      for index in colors.indices.sorted(by: { colors[$0][channel] < colors[$1][channel] }) {
        sum += weights[index]
        result[channel] = colors[index][channel]
        if sum >= half { break }
      }
    }
    return result
  }
}
