import MeshpipeScene

extension PoseOffsets {
  /// What moves cameras in the way that was measured.
  enum Cause: Equatable {
    /// All by the same: the mesh lies elsewhere.
    case moved
    /// Away from a place, or towards it: the positions are scaled.
    case scaled
    /// Slowly from frame to frame: the tracking drifted.
    case drifted
    /// Each by another.
    case scattered

    /// A guess for messages; nil if nothing is likely.
    var guess: String? {
      switch self {
      case .moved: "the mesh seems to have been moved without them"
      case .scaled: "their positions seem to have been scaled"
      case .drifted: "the tracking seems to have drifted"
      case .scattered: nil
      }
    }
  }

  /// The part of what a cause must explain that it may leave.
  private static let (leastCommon, leastScaled, leastSteady) = (0.35, 0.5, 0.4)

  /// The simplest cause that explains most of the motions.
  ///
  /// - Parameters:
  ///   - frames: As recorded.
  ///   - times: Theirs.
  func cause(_ frames: [Capture.Frame], at times: [Double]) -> Cause {
    let good = offsets.filter(\.isGood).sorted { times[$0.frame] < times[$1.frame] }
    let (motions, places) = (
      good.map(\.change.translation), good.map { frames[$0.frame].pose.translation }
    )
    let count = Double(max(good.count, 1))
    let (meanMotion, meanPlace) = (
      motions.reduce(.zero, +) / count, places.reduce(.zero, +) / count
    )
    let deviations = motions.map { $0 - meanMotion }
    let spread = Self.size(deviations)
    if spread < Self.leastCommon * Self.size(motions) { return .moved }
    let arms = places.map { $0 - meanPlace }
    let square = arms.reduce(0) { $0 + $1.dot($1) }
    let scale = square > 0 ? zip(arms, deviations).reduce(0) { $0 + $1.0.dot($1.1) } / square : 0
    let unscaled = zip(arms, deviations).map { $1 - scale * $0 }
    if Self.size(unscaled) < Self.leastScaled * spread { return .scaled }
    let steps = zip(motions, motions.dropFirst()).map { $1 - $0 }
    return Self.size(steps) < Self.leastSteady * 2.0.squareRoot() * spread ? .drifted : .scattered
  }

  /// The root of the mean square of lengths.
  private static func size(_ vectors: [SIMD3<Double>]) -> Double {
    (vectors.reduce(0) { $0 + $1.dot($1) } / Double(max(vectors.count, 1))).squareRoot()
  }
}
