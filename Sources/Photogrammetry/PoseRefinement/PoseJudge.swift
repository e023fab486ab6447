import MeshpipeBase
import MeshpipeScene

/// The verdict on one frame's pose.
package struct PoseVerdict: Sendable, Equatable {
  package var change: Change
  /// The misalignment of the frame's details against the others', in pixels of its image, with all
  /// recorded and with all new poses; NaN if unknown.
  package var residualBefore: Float
  package var residualAfter: Float
  /// The distance of the new camera from the recorded one, in units of the scene and radians.
  package var shift: Double
  package var turn: Double

  package var isBetter: Bool { change == .improved }
  /// Whether other frames confirm the pose that the frame now has.
  package var isConfirmed: Bool { change == .improved || change == .notBetter }

  init(
    change: Change, residualBefore: Float, residualAfter: Float, shift: Double, turn: Double
  ) {
    (self.change, self.residualBefore, self.residualAfter) = (change, residualBefore, residualAfter)
    (self.shift, self.turn) = (shift, turn)
  }

  /// A frame that keeps its pose, because it agrees with the others.
  init(keptWithResidual residual: Float) {
    self.init(
      change: residual.isNaN ? .tooLittleDetail : .notBetter, residualBefore: residual,
      residualAfter: residual,
      shift: 0, turn: 0)
  }

  /// The verdict on a frame whose new pose is rejected.
  var unchanged: PoseVerdict {
    var copy = self
    if isBetter { copy.change = .notBetter }
    return copy
  }

  package enum Change: Sendable, Equatable {
    case improved
    /// Too few detailed landmarks are shared with other frames.
    case tooLittleDetail
    /// The new pose does not agree better with the others, or not certainly.
    case notBetter
    /// The new pose is implausibly far from the recorded one.
    case tooFar
  }
}

/// Compares new poses with the recorded ones, by landmarks of the mesh that were not used in the fit.
struct PoseJudge {
  let landmarks: PhotometricLandmarks
  let settings: PoseRefiner.Settings

  /// The greatest residual of all frames that is accepted, as a share of the residual before: matches fit poses that
  /// were moved to them a little better in any case.
  private static let leastImprovement: Float = 0.9
  /// The fewest landmarks that a verdict needs: of fewer, some occluded ones decide.
  static let fewestLandmarks = 40
  /// The share of the error that a new pose must remove: less is not worth leaving the recorded one.
  private static let leastGain = 0.01
  /// If patches are closer than this share of before, they decide where landmarks don't.
  private static let halved: Float = 0.5
  /// The number of standard errors that this must be: by chance one frame in 160 has as much.
  private static let leastSignificance = 2.5
  /// Rounds in which frames' errors and landmarks' weights are estimated in turn.
  private static let rounds = 3
  /// The residual, in typical errors of a frame, that counts half of a wrong one (Geman–McClure).
  private static let halfLoss: Float = 2

  /// - Parameter residuals: The misalignment of each frame with its recorded and with its new pose, in
  ///   pixels of its image.
  func verdicts(
    on poses: [Transform], of frames: [ViewedFrame],
    insteadOf recorded: [Transform], of recordedFrames: [ViewedFrame],
    residuals: (before: [Float], after: [Float])
  ) -> [PoseVerdict] {
    let new = Agreement(of: frames, landmarks)
    let old = landmarks.values(in: recordedFrames)
    var gains = [[Double]](repeating: [], count: frames.count)
    var losses = [Double](repeating: 0, count: frames.count)
    for (index, frame) in landmarks.frames.enumerated()
    where landmarks.areHeldOut[Int(landmarks.owners[index])] {
      let residual = new.weights.residualsFromOthers[index]
      // Both against what the others show from their new poses.
      let residualBefore = old[index] - (new.values[index] - residual)
      guard !residual.isNaN, !residualBefore.isNaN else { continue }
      let error = Self.halfLoss * new.errors[Int(frame)]
      func loss(_ residual: Float) -> Double {
        let square = residual * residual / (error * error)
        return Double(square / (1 + square))
      }
      gains[Int(frame)].append(loss(residualBefore) - loss(residual))
      losses[Int(frame)] += loss(residualBefore)
    }
    let verdicts = frames.indices.map { index in
      let motion = PoseChange(from: recorded[index], to: poses[index])
      var verdict = PoseVerdict(
        change: Self.change(
          gains: gains[index], loss: losses[index],
          residualRatio: residuals.after[index] / residuals.before[index]),
        residualBefore: residuals.before[index], residualAfter: residuals.after[index],
        shift: motion.translation.length, turn: motion.rotation.length)
      if verdict.isBetter, settings.isTooFar(motion) { verdict.change = .tooFar }
      return verdict
    }
    return Self.areBetterTogether(verdicts) ? verdicts : verdicts.map(\.unchanged)
  }

  /// Whether the frames agree better than before.
  ///
  /// All frames may have moved together to positions where exact poses would be no better.
  private static func areBetterTogether(_ verdicts: [PoseVerdict]) -> Bool {
    let known = verdicts.filter { !$0.residualBefore.isNaN && !$0.residualAfter.isNaN }
    guard let before = known.map(\.residualBefore).median(),
      let after = known.map(\.residualAfter).median()
    else { return true }
    return after < leastImprovement * before
  }

  /// The verdict of the landmarks of one frame.
  ///
  /// - Parameters:
  ///   - gains: The reduction of each landmark's error.
  ///   - loss: The sum of errors before.
  ///   - residualRatio: The misalignment of the frame's patches over that before; NaN if none were found.
  ///   - fewest: The fewest landmarks that a verdict needs.
  static func change(
    gains: [Double], loss: Double, residualRatio: Float, fewest: Int = fewestLandmarks
  ) -> PoseVerdict.Change {
    guard gains.count >= fewest else { return .tooLittleDetail }
    let mean = gains.mean
    // Patches are more reliable than few landmarks, and all other frames have moved away from this one.
    if residualRatio < halved, mean >= 0 { return .improved }
    let isSure = mean > leastSignificance * gains.errorOfMean
    return isSure && mean * Double(gains.count) > leastGain * loss ? .improved : .notBetter
  }

  /// The agreement of frames with given poses.
  private struct Agreement {
    /// The value of each observation.
    let values: [Float]
    /// The typical error of each frame.
    let errors: [Float]
    let weights: RobustWeights

    init(of frames: [ViewedFrame], _ landmarks: PhotometricLandmarks) {
      let values = landmarks.values(in: frames)
      var errors = [Float](repeating: RobustWeights.initialError, count: frames.count)
      for _ in 0..<PoseJudge.rounds {
        errors = RobustWeights(values, landmarks, errors: errors)
          .errors(landmarks, frames: frames.count)
      }
      weights = RobustWeights(values, landmarks, errors: errors)
      (self.values, self.errors) = (values, errors)
    }
  }
}

extension [Double] {
  /// 0 if there are none.
  var mean: Double { reduce(0, +) / Double(Swift.max(count, 1)) }

  /// The standard error of the mean.
  var errorOfMean: Double {
    guard count > 1 else { return .infinity }
    let mean = mean
    let sum = reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (sum / Double(count * (count - 1))).squareRoot()
  }
}
