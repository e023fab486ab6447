import MeshpipeBase
import MeshpipeScene

/// Compares new poses of depth maps with those at the start, by cells of the depth maps that took no part in the fit.
struct DepthJudge {
  let frames: [DepthPoints?]
  let samples: SurfaceSamples
  let settings: PoseRefiner.Settings
  let scale: MetricScale

  /// The largest distance of measurements from the surface in metres: at the poses of the start, some are this far off.
  private static let reach: Float = 0.06
  /// The fewest cells that a verdict needs: a third of those that are held out.
  private static let fewestCells = 12
  /// The number of standard errors that the gain of all frames together must be.
  private static let leastSignificance = 2.5
  /// The fewest frames whose gains stand for all.
  private static let fewestFrames = 4

  /// The errors of the held-out parts of one frame's depth map, in one set of poses.
  fileprivate struct Tally {
    /// The sum over the observations of each cell.
    var losses = [Double](repeating: 0, count: DepthLandmarks.columns * DepthLandmarks.rows)
    var counts = [Double](repeating: 0, count: DepthLandmarks.columns * DepthLandmarks.rows)
    var residuals: [Float] = []

    func loss(_ cell: Int) -> Double { losses[cell] / counts[cell] }
  }

  /// The gains of one frame's cells that are held out.
  fileprivate struct Gains {
    let ofCells: [Double]
    /// The sum of losses before.
    let loss: Double

    /// The sensor's error is the same all over a cell, so that it gains once.
    init(from before: Tally, to after: Tally) {
      let cells = before.counts.indices.filter { before.counts[$0] > 0 && after.counts[$0] > 0 }
      ofCells = cells.map { before.loss($0) - after.loss($0) }
      loss = cells.reduce(0) { $0 + before.loss($1) }
    }
  }

  /// Judges each frame in two ways.
  ///
  /// All poses of the start against all new ones tell whether the frames now agree better with each other. If so, each
  /// frame's own pose of the start is compared with what the others measured from their new ones. The latter alone
  /// would move exact poses, once the others have moved together.
  ///
  /// - Parameter start: The poses that frames keep if new ones are not better.
  func outcomes(
    of poses: [Transform], insteadOf start: [Transform], recorded: [Transform], isFixed: [Bool]
  ) -> [DepthPoseRefiner.Outcome] {
    let (newest, oldest) = (reference(at: poses), reference(at: start))
    let ofNewest = tallies(of: [poses, start], against: newest, error: newest.error)
    let (after, alone) = (ofNewest[0], ofNewest[1])
    let before = tallies(of: [start], against: oldest, error: newest.error)[0]
    let together = frames.indices.map { Gains(from: before[$0], to: after[$0]) }
    let areBetter = Self.areBetterTogether(
      zip(together, isFixed).filter { !$1 && $0.ofCells.count >= Self.fewestCells }.map {
        $0.0.ofCells.mean
      })
    return frames.indices.map { index in
      let motion = PoseChange(from: recorded[index], to: poses[index])
      var change = PoseVerdict.Change.notBetter
      if !isFixed[index] {
        change = Self.change(
          areBetter ? Gains(from: alone[index], to: after[index]) : together[index],
          areBetterTogether: areBetter)
      }
      if change == .improved, settings.isTooFar(motion) { change = .tooFar }
      return DepthPoseRefiner.Outcome(
        pose: change == .improved ? poses[index] : start[index], change: change,
        residualBefore: before[index].residuals.median() ?? .nan,
        residualAfter: after[index].residuals.median() ?? .nan, shift: motion.translation.length)
    }
  }

  /// Whether frames gain on the whole.
  ///
  /// The error of depths is about that of poses: the few cells of one frame seldom prove what all frames together do.
  static func areBetterTogether(_ gains: [Double]) -> Bool {
    gains.count >= fewestFrames && gains.mean > leastSignificance * gains.errorOfMean
  }

  private static func change(_ gains: Gains, areBetterTogether: Bool) -> PoseVerdict.Change {
    let change = PoseJudge.change(
      gains: gains.ofCells, loss: gains.loss, residualRatio: .nan, fewest: fewestCells)
    // Not clearly worse.
    let isCarried = areBetterTogether && gains.ofCells.mean > -gains.ofCells.errorOfMean
    return change == .notBetter && isCarried ? .improved : change
  }

  /// Where frames measured the surface from given poses.
  private struct Reference {
    let landmarks: DepthLandmarks
    let cameras: [DepthCamera]
    let error: Float
    let errors: [Float]
  }

  private func reference(at poses: [Transform]) -> Reference {
    let landmarks = DepthLandmarks(
      of: frames, at: poses, on: samples, reach: scale.units(meters: Self.reach))
    let terms = DepthTerms(landmarks, at: poses, unknownCount: 6 * poses.count)
    return Reference(
      landmarks: landmarks, cameras: poses.map(DepthCamera.init), error: terms.error,
      errors: terms.errors)
  }

  /// The residuals of held-out observations from each of some sets of poses, against what other frames measured from
  /// those of a reference.
  private func tallies(
    of sets: [[Transform]], against reference: Reference, error: Float
  ) -> [[Tally]] {
    let landmarks = reference.landmarks
    let cameras = sets.map { $0.map(DepthCamera.init) }
    var result = sets.map { _ in [Tally](repeating: Tally(), count: frames.count) }
    for landmark in 0..<landmarks.count {
      let fit = SurfaceFit(landmarks, landmark, reference.cameras, errors: reference.errors)
      // Otherwise no other frame measured it.
      guard fit.weight > 0 else { continue }
      let (position, normal) = (
        landmarks.positions[landmark].simd, landmarks.normals[landmark].simd
      )
      for observation in landmarks.observations[landmarks.range(of: landmark)]
      where observation.isHeldOut {
        for set in sets.indices {
          let distance = observation.distance(from: position, along: normal, cameras[set])
          result[set][Int(observation.frame)].add(
            distance - fit.distance, observation, error: error)
        }
      }
    }
    return result
  }
}

extension DepthJudge.Tally {
  fileprivate mutating func add(
    _ residual: Float, _ observation: DepthLandmarks.Observation, error: Float
  ) {
    let ratio = residual / (SurfaceFit.quarter * error)
    let square = ratio * ratio * observation.precision
    losses[Int(observation.cell)] += Double(square / (1 + square))
    counts[Int(observation.cell)] += 1
    residuals.append(abs(residual))
  }
}
