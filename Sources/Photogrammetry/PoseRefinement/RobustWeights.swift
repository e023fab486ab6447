import MeshpipeBase
import MeshpipeScene
import POSIX

/// The robust weight of each observation of a landmark, by how well it agrees with the others (Cauchy's
/// weight function, iteratively reweighted).
struct RobustWeights: Sendable {
  /// The residual of each observation against the weighted mean of the others of its landmark; NaN if there
  /// are none.
  let residualsFromOthers: [Float]

  /// The initial typical error of frames, and that of frames with too few residuals to estimate one: of the logarithm
  /// of brightness, so 10 %.
  static let initialError: Float = 0.1
  /// Below it, differences are noise and quantisation: one code of 8 bits is 1 % at mid grey.
  private static let leastError: Float = 0.01
  /// Rounds of reweighting, from the median: the mean hardly moves after three.
  private static let rounds = 3
  /// The number of residuals that a median needs to be more reliable than ``initialError``.
  private static let leastResiduals = 8
  /// The standard deviation of a normal distribution over its median absolute deviation.
  private static let deviationPerMedian: Float = 1.48

  /// - Parameters:
  ///   - values: See ``PhotometricLandmarks/values(in:)``.
  ///   - errors: The typical error of each frame.
  init(_ values: [Float], _ landmarks: PhotometricLandmarks, errors: [Float]) {
    let chunks = Parallel.mapChunks(of: landmarks.count, chunkSize: 2048) { range in
      var residuals: [Float] = []
      for landmark in range {
        Self.append(
          landmarks.starts[landmark]..<landmarks.starts[landmark + 1], of: values,
          landmarks: landmarks, errors: errors, to: &residuals)
      }
      return residuals
    }
    residualsFromOthers = Parallel.joined(chunks)
  }

  /// Reweighted means, starting from the median.
  private static func append(
    _ range: Range<Int>, of values: [Float], landmarks: PhotometricLandmarks, errors: [Float],
    to residuals: inout [Float]
  ) {
    let known = values[range].filter { !$0.isNaN }
    guard known.count > 1, var mean = known.interpolatedMedian() else {
      residuals += [Float](repeating: .nan, count: range.count)
      return
    }
    func weight(_ index: Int) -> Float {
      guard !values[index].isNaN else { return 0 }
      let error = errors[Int(landmarks.frames[index])]
      let ratio = (values[index] - mean) / (2 * error)
      return 1 / (error * error * (1 + ratio * ratio))
    }
    var weights: [Float] = []
    for _ in 0..<rounds {
      weights = range.map(weight)
      let sum = weights.reduce(0, +)
      mean = 0
      for (index, weight) in zip(range, weights) where weight > 0 {
        mean += weight * values[index] / sum
      }
    }
    let sum = weights.reduce(0, +)
    for (index, weight) in zip(range, weights) {
      let rest = sum - weight
      residuals.append(
        weight > 0 && rest > 0 ? (values[index] - mean) * sum / rest : .nan)
    }
  }

  /// The typical error of each frame against the others: the median of its residuals.
  func errors(_ landmarks: PhotometricLandmarks, frames: Int) -> [Float] {
    var byFrame = [[Float]](repeating: [], count: frames)
    for (frame, residual) in zip(landmarks.frames, residualsFromOthers) where !residual.isNaN {
      byFrame[Int(frame)].append(abs(residual))
    }
    return byFrame.map { residuals in
      guard residuals.count > Self.leastResiduals, let median = residuals.median() else {
        return Self.initialError
      }
      return max(median * Self.deviationPerMedian, Self.leastError)
    }
  }
}
