import MeshPipeline
import SurfaceKernels

/// Finds a factor by which the focal length of all frames is wrong, from the agreement of images.
struct FocalSearch {
  /// The number of frames compared with others; more don't help.
  private static let anchorCount = 12
  /// The first and the last step, in logarithms of the scale.
  private static let steps = (first: 0.03, last: 0.0075)
  private static let greatest = 0.25
  /// The minimum growth of the correlation for the focal length to count as wrong: on correct real
  /// captures, a scale that was off by 3 % reached 1.01 times it.
  private static let leastGain = 1.03

  private let comparison: ImageCorrelation
  private let frames: [Capture.Frame]
  /// The pairs to compare at every scale, with their valid patches.
  private let pairs: [ImageCorrelation.Pair]

  /// - Parameter pairs: Pairs of frames that agree with the present focal length.
  init(
    _ comparison: ImageCorrelation, _ frames: [Capture.Frame],
    pairs: [ImageCorrelation.Pair]
  ) {
    self.comparison = comparison
    self.frames = frames
    let firsts = Set(pairs.map(\.first)).sorted()
    let anchors = Set(firsts.evenly(atMost: Self.anchorCount))
    self.pairs = pairs.filter { anchors.contains($0.first) }
  }

  /// The scale at which images agree best; nil if the present one is as good.
  func scale() -> Double? {
    var correlations: [Int: Double] = [:]
    // Positions are multiples of the smallest step.
    func correlation(_ place: Int) -> Double {
      if let known = correlations[place] { return known }
      let found = self.correlation(logarithm: Double(place) * Self.steps.last)
      correlations[place] = found
      return found
    }
    var step = Int((Self.steps.first / Self.steps.last).rounded())
    let limit = Int(Self.greatest / Self.steps.last)
    var best = 0
    while step > 0 {
      let next = [best - step, best + step].max { correlation($0) < correlation($1) } ?? best
      if correlation(next) > correlation(best), abs(next) <= limit {
        best = next
      } else {
        // Nothing can be gained around a correct scale.
        if best == 0, step > 1 { return nil }
        step /= 2
      }
    }
    guard correlation(best) > Self.leastGain * correlation(0) else { return nil }
    let part = Self.vertex(correlation(best - 1), correlation(best), correlation(best + 1))
    return Self.exponential((Double(best) + part) * Self.steps.last)
  }

  /// Where a parabola through three values, one step apart, has its maximum: at most half a step from the middle one.
  static func vertex(_ before: Double, _ middle: Double, _ after: Double) -> Double {
    let bend = before + after - 2 * middle
    return bend < 0 ? min(max((before - after) / (2 * bend), -0.5), 0.5) : 0
  }

  /// The mean over all pairs, where a pair that can no longer be compared counts as zero.
  private func correlation(logarithm: Double) -> Double {
    let scaled = frames.scaledFocalLength(by: Self.exponential(logarithm))
    var found: [SIMD2<Int>: Double] = [:]
    for pair in comparison.pairs(of: scaled, like: pairs) {
      found[SIMD2(pair.first, pair.second)] = pair.correlation
    }
    var (sum, count) = (0.0, 0)
    for pair in pairs {
      sum += Double(pair.patches) * (found[SIMD2(pair.first, pair.second)] ?? 0)
      count += pair.patches
    }
    return count == 0 ? 0 : sum / Double(count)
  }

  private static func exponential(_ value: Double) -> Double {
    // Eight terms are accurate to a billionth in the searched range.
    var (term, sum) = (1.0, 1.0)
    for n in 1...8 {
      term *= value / Double(n)
      sum += term
    }
    return sum
  }
}

extension [Capture.Frame] {
  fileprivate func scaledFocalLength(by factor: Double) -> [Capture.Frame] {
    map { frame in
      var scaled = frame
      scaled.intrinsics.focalLength *= factor
      return scaled
    }
  }
}

extension FitCheck {
  /// Smaller errors of the focal length are left to pose refinement.
  private static let leastFocalError = 0.02

  /// Corrects the focal length if that of all frames is clearly wrong.
  ///
  /// - Returns: Whether it did.
  mutating func mendFocalLength() -> Bool {
    guard doImagesAgree else { return false }
    let outliers = Set(consensus.outliers)
    let trusted = pairs.filter { !outliers.contains($0.first) && !outliers.contains($0.second) }
    guard
      let scale = FocalSearch(comparison, scan.capture.frames, pairs: trusted).scale(),
      abs(scale - 1) > Self.leastFocalError
    else { return false }
    correctFocalLength(by: scale, because: "the images")
    return true
  }

  /// Scales the focal length of all frames, and says what fits the mesh then.
  mutating func correctFocalLength(by scale: Double, because subject: String) {
    scan.capture.frames = scan.capture.frames.scaledFocalLength(by: scale)
    for index in scan.capture.depthFrames.indices {
      scan.capture.depthFrames[index].intrinsics.focalLength *= scale
    }
    probe.scaleFocalLength(by: scale)
    findings.focalScale = (findings.focalScale ?? 1) * scale
    context.warn(
      "\(path): the focal length of the frames is wrong: \(subject) fit the mesh with "
        + "\(NumberText.fixed(scale, digits: 3)) times its value, which is used")
    compareImages()
  }
}
