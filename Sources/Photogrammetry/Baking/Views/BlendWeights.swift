import MeshpipeScene
import POSIX

/// Chooses the frames that each vertex takes its fine detail from.
///
/// The view selection of Lempitsky and Ivanov, "Seamless mosaicing of image-based texture maps" (2007), and
/// Waechter et al., "Let there be color!" (2014), over vertices instead of faces: a Markov random field in which
/// each frame has a quality at each vertex (the data term), and neighbours prefer the same frames (a Potts model,
/// the smoothness term). It is solved by mean-field annealing (Geiger and Girosi 1991) instead of α-expansion: this
/// ends in weights rather than hard labels, so that frames blend over an edge's length wherever they change.
package struct BlendWeights {
  package struct Options: Sendable {
    /// The weight of all neighbours' choice, in units of the logarithm of quality: at 2 a frame that all
    /// neighbours use beats one of seven times its quality.
    ///
    /// Larger, frames hold wider regions and are used where others are sharper; smaller, the surface becomes a
    /// patchwork of frames whose misalignments show at each change.
    package var smoothness: Float = 2
    /// The final temperature, in the same units: how much worse a frame may be and still have a weight.
    ///
    /// Measured: 0.4 brings 0.4 dB on a fused object and 0.1 to 0.2 on others, for half again the time. Near 0
    /// there is one frame everywhere, with an edge wherever it changes.
    package var temperature: Float = 0.1
    /// Added to it where frames disagree strongly, and no single one is likely to be right.
    ///
    /// Measured on a real chair whose frames are misaligned by some pixels: 17.85 → 18.3 dB, with
    /// ``DetailCompensation`` for the blur that it causes.
    package var disagreementTemperature: Float = 2.4
    /// Texels per metre: resolution above it does not count.
    package var density: Float = 1000
    /// Rounds of annealing: 21 fall in temperature, of which each makes frames spread by one edge, and 9 settle.
    package var rounds = 30
    /// The exponents of the single qualities.
    ///
    /// The resolution counts as it is: pixels per length. A frame's sharpness counts more, since blur is not
    /// mended by coming nearer; a larger exponent would prefer sharp frames from afar.
    package var sharpnessPower: Float = 1.5
    package var resolutionPower: Float = 1
    /// The most frames that blend at a vertex.
    ///
    /// Measured on the chair: four give 18.19 dB at .80 of the sharpness, five 18.23 at .81, all of them about 18.3
    /// at .82 for twice the time.
    package var maximumViews = 5

    package init() {}
  }

  /// The logarithm of the first temperature over the last, and the part of the rounds in which it falls;
  /// the others are cold.
  ///
  /// Ten times as warm, neighbours agree before any has decided. Colder starts leave islands; warmer ones only
  /// take rounds.
  private static let initialWarmth: Float = 2.3
  private static let annealedRounds: Float = 0.7
  /// Half of a new weight and half of the last: neighbours that change together would swap weights for ever.
  private static let damping: Float = 0.5
  /// A resolution above this multiple of the texels' does not show: the texture can't hold it, and a frame that is
  /// less grazing or less blurred is the better one then.
  private static let usefulOversampling: Float = 1.2
  /// The worst values that count, so that logarithms are finite: of resolution and confidence, of sharpness, and
  /// added to the agreement.
  private static let leastQuality: Float = 1e-3
  private static let leastSharpness: Float = 0.05
  private static let leastAgreement: Float = 0.02
  /// Weights below this, or below this part of the largest, are dropped: each costs samples in every texel around.
  ///
  /// Measured: a fifth of the largest instead of a tenth saves an eighth of the time, and is worse on a fused object
  /// and on a real chair, where frames disagree.
  private static let leastWeight: Float = 0.05
  private static let leastPartOfBest: Float = 0.1

  /// The blend weight of each observation of the table, 0…1, with a sum of 1 at each vertex that a frame sees.
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
            for index in first..<last {
              add(
                force, frames: frames, weights: weights, of: table.range(of: Int(neighbors[index])),
                to: &field, at: views)
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
    _ force: Float, frames: [UInt32], weights: [Float], of others: Range<Int>,
    to field: inout [Float], at views: Range<Int>
  ) {
    var other = others.lowerBound
    for (position, index) in views.enumerated() {
      let frame = frames[index]
      while other < others.upperBound, frames[other] < frame { other += 1 }
      guard other < others.upperBound else { return }
      if frames[other] == frame { field[position] += force * weights[other] }
    }
  }

  private static func normalize(_ field: inout [Float], _ temperature: Float) {
    guard let best = field.max() else { return }
    var sum: Float = 0
    for index in field.indices {
      field[index] = exp((field[index] - best) / temperature)
      sum += field[index]
    }
    for index in field.indices { field[index] /= sum }
  }

  /// Drops small weights.
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
