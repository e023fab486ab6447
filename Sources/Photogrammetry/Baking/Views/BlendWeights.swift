import MeshPipeline
import POSIX

/// Chooses the frames that each vertex takes its fine detail from.
///
/// A Potts model over the vertices: each frame has a quality at each vertex, and neighbours prefer
/// to share frames. It is solved by mean field annealing, which ends in weights rather than hard
/// labels, so that frames blend over an edge's length wherever they change.
package struct BlendWeights {
  package struct Options: Sendable {
    /// The weight of a neighbour's choice, in units of the logarithm of quality.
    package var smoothness: Float = 2
    /// The final temperature: how much worse a frame may be and still have a weight.
    package var temperature: Float = 0.1
    /// Added to it where frames disagree strongly, and no single one is likely to be right.
    package var disagreementTemperature: Float = 2.4
    /// Texels per metre: resolution above it does not count.
    package var density: Float = 1000
    package var rounds = 30
    /// The exponents of the single qualities.
    package var sharpnessPower: Float = 1.5
    package var resolutionPower: Float = 1
    /// The most frames that share a vertex.
    package var maximumViews = 5

    package init() {}
  }

  /// The logarithm of the first temperature over the last, and the part of the rounds in which it falls;
  /// the others are cold.
  private static let initialWarmth: Float = 2.3
  private static let annealedRounds: Float = 0.7
  /// Half of a new weight and half of the last: neighbours that change together would swap weights for ever.
  private static let damping: Float = 0.5
  /// A resolution above this multiple of the texels' does not show.
  private static let usefulOversampling: Float = 1.2
  /// The worst values that count, so that logarithms are finite: of resolution and confidence, of sharpness, and
  /// added to the agreement.
  private static let leastQuality: Float = 1e-3
  private static let leastSharpness: Float = 0.05
  private static let leastAgreement: Float = 0.02
  /// Weights below this, or below this part of the largest, are dropped.
  private static let leastWeight: Float = 0.05
  private static let leastPartOfBest: Float = 0.1

  /// The weight of each observation of the table.
  ///
  /// - Parameters:
  ///   - disagreements: How unreliable single frames are at each vertex: see ``ColorConsensus/disagreements()``.
  ///   - offsets: See ``BakeMesh/neighbors()``.
  static func choose(
    _ table: ObservationTable, _ photometry: FramePhotometry, disagreements: [Float],
    offsets: [UInt32],
    neighbors: [UInt32], options: Options
  ) -> [Float] {
    let qualities = Parallel.array(count: table.observations.count) { index in
      quality(table.observations[index], photometry, options)
    }
    // In contiguous memory: neighbours' observations are compared by them repeatedly.
    let frames = table.observations.map(\.frame)
    var weights = [Float](repeating: 0, count: table.observations.count)
    for round in 0..<options.rounds {
      // From warm to cold in even steps of the logarithm.
      let part = min(1, Float(round) / (Float(options.rounds) * annealedRounds))
      let warmth = exp((1 - part) * initialWarmth)
      let chunks = Parallel.mapChunks(of: table.vertexCount, chunkSize: 1 << 12) {
        [weights] range in
        var result: [Float] = []
        var field: [Float] = []
        for vertex in range {
          let views = table.range(of: vertex)
          field.removeAll(keepingCapacity: true)
          for index in views { field.append(qualities[index]) }
          if round > 0 {
            let first = Int(offsets[vertex])
            let last = Int(offsets[vertex + 1])
            let force = options.smoothness / Float(max(1, last - first))
            for place in first..<last {
              add(
                force, frames, weights, table.range(of: Int(neighbors[place])), to: &field, views)
            }
          }
          normalize(
            &field,
            warmth * (options.temperature + options.disagreementTemperature * disagreements[vertex])
          )
          if round > 0 {
            for (place, index) in views.enumerated() {
              field[place] = damping * field[place] + damping * weights[index]
            }
          }
          result += field
        }
        return result
      }
      weights = Parallel.joined(chunks)
    }
    prune(&weights, table, options)
    return weights
  }

  /// The logarithm of how good an observation is.
  private static func quality(
    _ observation: ObservationTable.Observation, _ photometry: FramePhotometry, _ options: Options
  ) -> Float {
    let measurement = observation.measurement
    let resolution = min(measurement.resolution / options.density, usefulOversampling)
    return options.resolutionPower * log(max(resolution, leastQuality))
      + options.sharpnessPower
      * log(max(photometry.sharpness[Int(observation.frame)], leastSharpness))
      + log(max(measurement.confidence, leastQuality)) + log(observation.agreement + leastAgreement)
  }

  /// Adds a neighbour's preferences to the observations of a vertex; both are sorted by frame.
  @inline(__always)
  private static func add(
    _ force: Float, _ frames: [UInt32], _ weights: [Float], _ others: Range<Int>,
    to field: inout [Float], _ views: Range<Int>
  ) {
    var other = others.lowerBound
    for (place, index) in views.enumerated() {
      let frame = frames[index]
      while other < others.upperBound, frames[other] < frame { other += 1 }
      guard other < others.upperBound else { return }
      if frames[other] == frame { field[place] += force * weights[other] }
    }
  }

  private static func normalize(_ field: inout [Float], _ temperature: Float) {
    guard let best = field.max() else { return }
    var sum: Float = 0
    for place in field.indices {
      field[place] = exp((field[place] - best) / temperature)
      sum += field[place]
    }
    for place in field.indices { field[place] /= sum }
  }

  /// Drops small weights: each requires sampling every texel around.
  private static func prune(_ weights: inout [Float], _ table: ObservationTable, _ options: Options)
  {
    for vertex in 0..<table.vertexCount {
      let range = table.range(of: vertex)
      guard !range.isEmpty else { continue }
      let sorted = range.sorted { weights[$0] > weights[$1] }
      let limit = max(leastWeight, leastPartOfBest * weights[sorted[0]])
      var sum: Float = 0
      for (rank, index) in sorted.enumerated() {
        if rank >= options.maximumViews || (rank > 0 && weights[index] < limit) {
          weights[index] = 0
        }
        sum += weights[index]
      }
      for index in range { weights[index] /= sum }
    }
  }
}
