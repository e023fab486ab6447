import MeshPipeline
import POSIX

/// The frames' consensus about each surfel, and the weight of each frame.
struct Consensus: Sendable {
  /// The weight of each sighting: one over the square of its frame's error, less for outliers, 0
  /// for none.
  let weights: [Float]
  /// The residual of each sighting against the weighted mean of all sightings of its surfel.
  let residuals: [Float]
  /// The same against the mean of the other sightings; NaN if there are none.
  let residualsFromOthers: [Float]

  /// The initial typical error of frames.
  static let initialError: Float = 0.1
  /// Below it, differences are noise and quantisation.
  private static let leastError: Float = 0.01

  /// One sighting's part of the above.
  private struct Part: Sendable, BitwiseCopyable {
    var weight: Float
    var residual: Float
    var fromOthers: Float
  }

  /// - Parameter errors: The typical error of each frame.
  init(_ rows: [Linearization.Row], _ surfels: Surfels, errors: [Float]) {
    let chunks = Parallel.mapChunks(of: surfels.count, chunkSize: 2048) { range in
      var parts: [Part] = []
      for surfel in range {
        Self.append(
          surfels.starts[surfel]..<surfels.starts[surfel + 1], rows, surfels, errors, &parts)
      }
      return parts
    }
    let parts = chunks.flatMap(\.self)
    weights = parts.map(\.weight)
    residuals = parts.map(\.residual)
    residualsFromOthers = parts.map(\.fromOthers)
  }

  /// Reweighted means, starting from the median.
  private static func append(
    _ range: Range<Int>, _ rows: [Linearization.Row], _ surfels: Surfels, _ errors: [Float],
    _ parts: inout [Part]
  ) {
    let values = range.compactMap { rows[$0].value.isNaN ? nil : rows[$0].value }.sorted()
    guard values.count > 1 else {
      parts += [Part](repeating: Part(weight: 0, residual: 0, fromOthers: .nan), count: range.count)
      return
    }
    var mean = (values[values.count / 2] + values[(values.count - 1) / 2]) / 2
    func weight(_ index: Int) -> Float {
      guard !rows[index].value.isNaN else { return 0 }
      let error = errors[Int(surfels.frames[index])]
      let ratio = (rows[index].value - mean) / (2 * error)
      return 1 / (error * error * (1 + ratio * ratio))
    }
    var weights: [Float] = []
    for _ in 0..<3 {
      weights = range.map(weight)
      let sum = weights.reduce(0, +)
      mean = 0
      for (index, weight) in zip(range, weights) where weight > 0 {
        mean += weight * rows[index].value / sum
      }
    }
    let sum = weights.reduce(0, +)
    for (index, weight) in zip(range, weights) {
      let residual = weight > 0 ? rows[index].value - mean : 0
      let rest = sum - weight
      parts.append(
        Part(
          weight: weight, residual: residual,
          fromOthers: weight > 0 && rest > 0 ? residual * sum / rest : .nan))
    }
  }

  /// The typical error of each frame against the others: the median of its residuals.
  func errors(_ surfels: Surfels, frames: Int) -> [Float] {
    var byFrame = [[Float]](repeating: [], count: frames)
    for (frame, residual) in zip(surfels.frames, residualsFromOthers) where !residual.isNaN {
      byFrame[Int(frame)].append(abs(residual))
    }
    return byFrame.map { residuals in
      guard residuals.count > 8 else { return Self.initialError }
      // 1.48 times the median is the standard deviation of a normal distribution.
      return max(residuals.sorted()[residuals.count / 2] * 1.48, Self.leastError)
    }
  }
}
