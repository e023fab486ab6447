import MeshpipeScene
import POSIX

/// The expected light of the frames before their images are levelled against each other.
package struct ExposurePrior: Sendable {
  /// The source of the expectation.
  package enum Source: String, Sendable {
    /// Exposure times and ISO numbers of the capture, which the images confirm.
    case recorded
    /// Exposure times only.
    case duration
    /// None: the capture records nothing, or the images contradict it, so all frames are expected
    /// to be equal.
    case none
  }

  /// The logarithm of the light that each frame is expected to show of the same surface; 0 in the
  /// mean.
  var expected: [Float]
  /// The standard deviation of each frame's level from the expected one.
  package var deviations: [Float]
  /// The standard deviation of the differences of red, green and blue from their mean.
  var chromaDeviation: Float
  package var source: Source
  /// Whether the capture records exposures that its images contradict.
  package var isContradicted = false

  /// Whether recorded exposures predict the brightness of each frame.
  var isTrusted: Bool { source != .none }

  /// The least share of frames that must have a recorded exposure: with fewer, gaps filled from the frame before
  /// decide too much.
  private static let leastShare = 0.8
  /// Recorded exposures count as confirmed if at most the first share of what they should explain
  /// remains, or if frames differ by less than the second (4 %) from what was recorded.
  ///
  /// Exposures of another capture, or ISO numbers in the wrong unit, explain nothing and add their own differences:
  /// the remainder then is above 1. Right ones leave what tone mapping adds.
  private static let explained: Float = 0.6
  private static let agreement: Float = 0.04
  /// Levels vary more over a whole capture than between neighbours, by this factor: without and
  /// with a recorded exposure that explains them.
  ///
  /// Smaller, real changes of exposure are left in the frames; larger, a glossy hall drifts: with hardly any prior
  /// 60 equally exposed frames came out between 0.73 and 1.43 of the light of their photographs.
  private static let spreadUnknown: Float = 3
  private static let spreadRecorded: Float = 1.5
  /// The deviation that a phone's pipeline typically adds even at constant exposure, and at most: logarithms, so 1.5 %
  /// and 42 %.
  private static let range: ClosedRange<Float> = 0.015...0.35
  /// Without recorded exposures: the effect of automatic exposure on a still scene, as a logarithm.
  private static let leastUnknown: Float = 0.03
  /// White balance drifts by some percent, more slowly than exposure; beyond 10 % it is the light of another room.
  private static let chromaRange: ClosedRange<Float> = 0.01...0.1
  /// Where hardly any frame has a similar neighbour, their differences are unknown; but then there
  /// is no long sequence of frames either, along which levels could drift.
  private static let scatteredUnknown: Float = 0.35
  private static let scatteredRecorded: Float = 0.1
  private static let scatteredChroma: Float = 0.1
  /// For a frame without a recorded exposure, when others have one: it takes that of the frame before, which is off
  /// by about an automatic exposure's step.
  private static let unrecordedDeviation: Float = 0.2

  init(_ exposures: [Capture.Exposure?], _ differences: ExposureDifferences) {
    let count = exposures.count
    let nothing = [Float](repeating: 0, count: count)
    let unexplained = differences.deviation(beyond: nothing)
    let isScattered = 2 * differences.pairs.count < count
    chromaDeviation =
      isScattered
      ? Self.scatteredChroma
      : Self.clamped(Self.spreadUnknown * differences.chromaDeviation, in: Self.chromaRange)
    (expected, source) = (nothing, .none)
    var deviation =
      isScattered
      ? Self.scatteredUnknown
      : Self.clamped(
        Self.spreadUnknown * unexplained, in: Self.leastUnknown...Self.range.upperBound)
    let durations = exposures.map { Self.logarithm($0?.duration) }
    let sensitivities = exposures.map { Self.logarithm($0?.iso) }
    let products = zip(durations, sensitivities).map { duration, iso in
      duration.flatMap { duration in iso.map { duration + $0 } }
    }
    var isRecorded = [Bool](repeating: true, count: count)
    for (logs, source) in [(products, Source.recorded), (durations, .duration)] {
      guard let filled = Self.filled(logs) else { continue }
      let left = differences.deviation(beyond: filled)
      guard left <= max(Self.explained * unexplained, Self.agreement) else {
        isContradicted = true
        continue
      }
      (expected, self.source, isContradicted) = (filled, source, false)
      deviation =
        isScattered
        ? Self.scatteredRecorded : Self.clamped(Self.spreadRecorded * left, in: Self.range)
      isRecorded = logs.map { $0 != nil }
      break
    }
    deviations = isRecorded.map { $0 ? deviation : max(deviation, Self.unrecordedDeviation) }
  }

  /// Expects of each frame also what its session differs by from the others.
  mutating func add(_ levels: SessionLevels?) {
    guard let levels else { return }
    for frame in expected.indices { expected[frame] += levels.luminance(ofFrame: frame) }
  }

  private static func logarithm(_ value: Double?) -> Float? {
    guard let value, value > 0, value.isFinite else { return nil }
    return Float(log(value))
  }

  private static func clamped(_ value: Float, in range: ClosedRange<Float>) -> Float {
    min(max(value, range.lowerBound), range.upperBound)
  }

  /// The values minus their mean, missing ones as the last one before; nil if there are too few.
  private static func filled(_ logs: [Float?]) -> [Float]? {
    let known = logs.compactMap { $0 }
    guard let first = known.first, Double(known.count) >= leastShare * Double(logs.count) else {
      return nil
    }
    let mean = known.reduce(0, +) / Float(known.count)
    var last = first
    return logs.map { value in
      last = value ?? last
      return last - mean
    }
  }
}
