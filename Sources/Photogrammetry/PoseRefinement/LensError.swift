package import MeshpipeScene
import POSIX

/// The error of the lens of all frames, and its uncertainty.
package struct LensError: Sendable {
  private var estimates = LensPart.allCases.map { Estimate(part: $0) }

  package internal(set) subscript(_ part: LensPart) -> Estimate {
    get { estimates[part.rawValue] }
    set { estimates[part.rawValue] = newValue }
  }

  /// Whether the lens has no error.
  package var isNone: Bool { estimates.allSatisfy { $0.value == .zero } }

  /// Takes the error out of a lens.
  package func correct(
    _ intrinsics: inout Capture.Intrinsics, _ distortion: inout Capture.Distortion
  ) {
    for estimate in estimates where estimate.value != .zero {
      estimate.part.correct(&intrinsics, &distortion, by: estimate.value)
    }
  }

  /// The error of one part.
  package struct Estimate: Sendable {
    let part: LensPart
    /// The part's numbers, filled up with 0.
    package internal(set) var value = SIMD2<Double>.zero
    /// Their standard deviations: see ``BundleAdjuster``.
    package internal(set) var deviation = SIMD2<Double>(repeating: .infinity)
    /// The correlation of the two.
    var correlation = 0.0
  }
}

extension LensError.Estimate {
  /// The least stretch of an image that is solved for: on correct captures the logarithm of the focal length came to 0.001,
  /// on one of a phone with few frames and a coarse mesh to 0.013.
  private var least: Double { part == .focalLength ? 0.02 : 0.005 }
  /// The largest that is accepted: more is a wrong unit or another camera, which ``FitCheck`` finds.
  private static let greatest = 0.25
  /// In standard deviations: what is less may be none, and what differs by more is not the same.
  private static let (leastDeviations, mostDeviations) = (2.0, 2.0)
  /// The part of another estimate that one must have, too, to confirm it.
  private static let leastShare = 0.4
  /// The distances from the middle of an image, in focal lengths, at which stretches are compared: the corners of a phone's
  /// are at 0.8, but hardly anything is measured there.
  private static let radii = SIMD4(0.15, 0.3, 0.45, 0.6)

  /// The fractions by which the error stretches an image, at the distances ``radii`` from its middle.
  private var stretches: SIMD4<Double> {
    guard part == .radialDistortion else { return SIMD4(value.x, 0, 0, 0) }
    let squares = Self.radii * Self.radii
    return squares * (squares * value.y + value.x)
  }

  /// The maximum by which the error stretches or shrinks an image, as a fraction.
  package var greatestStretch: Double { max(stretches.max(), -stretches.min()) }

  /// The squared size of an error over its standard deviation (Mahalanobis).
  private func squaredDeviations(_ error: SIMD2<Double>) -> Double {
    let ratio = error / deviation
    let square = (ratio * ratio).sum() - 2 * correlation * ratio.x * ratio.y
    return square / (1 - correlation * correlation)
  }

  /// Whether the error is beyond doubt, and of a size that occurs.
  var isPlausible: Bool {
    greatestStretch > least && greatestStretch < Self.greatest
      && squaredDeviations(value) > Self.leastDeviations * Self.leastDeviations
  }

  /// Whether this error, found on other frames, has the same sign and about the same size.
  func confirms(_ other: Self) -> Bool {
    let (own, others) = (stretches, other.stretches)
    let difference = own - others
    return (own * others).sum() > Self.leastShare * (others * others).sum()
      && (max(difference.max(), -difference.min()) < least / 2
        || squaredDeviations(value - other.value)
          < Self.mostDeviations * Self.mostDeviations * Double(part.count))
  }
}
