import MeshpipeScene
import POSIX
import SurfaceKernels

extension LensPart {
  /// The first and the last step of a search, and its end.
  ///
  /// At the corner of a phone's image all move a point by about the same.
  var steps: (first: Double, last: Double, end: Double) {
    switch self {
    case .focalLength: (0.03, 0.0075, 0.25)
    case .radialDistortion: (0.04, 0.01, 0.3)
    }
  }

  /// Smaller errors are left to pose refinement.
  static let leastError = 0.02

  /// Changes a lens by an error that it may have.
  ///
  /// A distortion is tried with the focal length that keeps the mean scale of the image, so that the two are independent:
  /// otherwise each would take on a part of the other.
  private func tried(_ frame: Capture.Frame, _ error: Double) -> Capture.Frame {
    var frame = frame
    correct(&frame.intrinsics, &frame.distortion, by: SIMD2(error, 0))
    if self == .radialDistortion {
      frame.intrinsics.focalLength *= exp(-error * Self.meanStretch(frame.intrinsics))
    }
    return frame
  }

  /// Changes frames by an error that they may have.
  func tried(_ frames: [Capture.Frame], error: Double) -> [Capture.Frame] {
    frames.map { tried($0, error) }
  }

  /// By how much a distortion of 1 enlarges the image in the mean: the least-squares factor of r³ in terms of r, over
  /// an image with the principal point in its middle.
  private static func meanStretch(_ intrinsics: Capture.Intrinsics) -> Double {
    let half = intrinsics.principalPoint / intrinsics.focalLength
    let (x, y) = (half.x * half.x, half.y * half.y)
    let (r2, r4) = ((x + y) / 3, (x * x + y * y) / 5 + 2 * x * y / 9)
    return r2 > 0 ? r4 / r2 : 0
  }
}

/// Finds parts of the lens of all frames that are wrong, from the agreement of images.
struct LensSearch {
  /// The number of frames compared with others; more don't help.
  private static let anchorCount = 12
  /// The minimum growth of the correlation for a number to count as wrong: on correct real captures, a focal
  /// length that was off by 3 % reached 1.01 times it.
  private static let leastGain = 1.03
  /// The minimum growth for either half of the pairs by itself: what belongs to a few frames is not the lens of all.
  private static let leastGainOfHalf = 1.01

  private let comparison: ImageCorrelation
  private let frames: [Capture.Frame]
  /// The pairs to compare at every value, with their valid patches.
  private let pairs: [ImageCorrelation.Pair]

  /// An error with which images agree better, and how well.
  struct Finding {
    var part: LensPart
    var error: Double
    var correlation: Double
  }

  /// - Parameter pairs: Pairs of frames that agree, as compared with the present lens.
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

  /// The error of a part without which images agree best; nil if they agree as well as they are.
  ///
  /// - Parameter isNear: Whether the part is known to be wrong, and corrected except for a small rest.
  func error(of part: LensPart, isNear: Bool = false) -> Finding? {
    // Positions are multiples of the smallest step; the pairs were compared with the present lens.
    var known = [0: pairs.map(\.correlation)]
    func correlations(_ index: Int) -> [Double] {
      if let found = known[index] { return found }
      let found = self.correlations(part, error: Double(index) * part.steps.last)
      known[index] = found
      return found
    }
    func correlation(_ index: Int) -> Double { mean(correlations(index)) }
    var step = isNear ? 1 : Int((part.steps.first / part.steps.last).rounded())
    let limit = Int(part.steps.end / part.steps.last)
    var best = 0
    while step > 0 {
      let next = [best - step, best + step].max { correlation($0) < correlation($1) } ?? best
      if correlation(next) > correlation(best), abs(next) <= limit {
        best = next
      } else {
        // Nothing can be gained around a correct value.
        if best == 0, step > 1 { return nil }
        step /= 2
      }
    }
    guard
      isNear
        || correlation(best) > Self.leastGain * correlation(0)
          && isGainOfBothHalves(from: correlations(0), to: correlations(best))
    else { return nil }
    let rest = Self.vertex(correlation(best - 1), correlation(best), correlation(best + 1))
    let error = (Double(best) + rest) * part.steps.last
    guard isNear || abs(error) > LensPart.leastError else { return nil }
    return Finding(part: part, error: error, correlation: correlation(best))
  }

  /// Where a parabola through three values, one step apart, has its maximum: at most half a step from the middle one.
  static func vertex(_ before: Double, _ middle: Double, _ after: Double) -> Double {
    let bend = before + after - 2 * middle
    return bend < 0 ? min(max((before - after) / (2 * bend), -0.5), 0.5) : 0
  }

  /// The correlation of each pair, where one that can no longer be compared counts as zero.
  private func correlations(_ part: LensPart, error: Double) -> [Double] {
    let tried = part.tried(frames, error: error)
    var found: [SIMD2<Int>: Double] = [:]
    for pair in comparison.pairs(of: tried, like: pairs) {
      found[SIMD2(pair.first, pair.second)] = pair.correlation
    }
    return pairs.map { found[SIMD2($0.first, $0.second)] ?? 0 }
  }

  private func isGainOfBothHalves(from before: [Double], to after: [Double]) -> Bool {
    let middle = pairs.count / 2
    return [0..<middle, middle..<pairs.count].allSatisfy { half in
      mean(after, in: half) > Self.leastGainOfHalf * mean(before, in: half)
    }
  }

  /// The mean over the patches of some pairs; of all if nil.
  private func mean(_ correlations: [Double], in part: Range<Int>? = nil) -> Double {
    var (sum, count) = (0.0, 0)
    for index in part ?? pairs.indices {
      sum += Double(pairs[index].patches) * correlations[index]
      count += pairs[index].patches
    }
    return count == 0 ? 0 : sum / Double(count)
  }
}
