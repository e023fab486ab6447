import MeshPipeline

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

  /// The held-out observations of one frame.
  fileprivate struct Tally {
    /// Sums over the observations of each cell.
    var gains = [Double](repeating: 0, count: DepthLandmarks.columns * DepthLandmarks.rows)
    var losses = [Double](repeating: 0, count: DepthLandmarks.columns * DepthLandmarks.rows)
    var counts = [Double](repeating: 0, count: DepthLandmarks.columns * DepthLandmarks.rows)
    /// Residuals at the start and with the new pose.
    var before: [Float] = []
    var after: [Float] = []
  }

  /// - Parameter start: The poses that frames keep if new ones are not better.
  func outcomes(
    of poses: [Transform], insteadOf start: [Transform], recorded: [Transform], isFixed: [Bool]
  ) -> [DepthPoseRefiner.Outcome] {
    let tallies = tallies(of: poses, insteadOf: start)
    let areBetter = Self.areBetterTogether(
      zip(tallies, isFixed).filter { !$1 && $0.cellGains.count >= Self.fewestCells }.map {
        $0.0.cellGains.mean
      })
    return frames.indices.map { index in
      let tally = tallies[index]
      let motion = PoseChange(from: recorded[index], to: poses[index])
      var change: PoseVerdict.Change =
        isFixed[index] ? .notBetter : Self.change(tally, areBetterTogether: areBetter)
      if change == .improved, settings.isTooFar(motion) { change = .tooFar }
      return DepthPoseRefiner.Outcome(
        pose: change == .improved ? poses[index] : start[index], change: change,
        residualBefore: tally.before.median() ?? .nan, residualAfter: tally.after.median() ?? .nan,
        shift: motion.translation.length)
    }
  }

  /// Whether frames gain on the whole.
  ///
  /// The error of depths is about that of poses: the few cells of one frame seldom prove what all frames together do.
  static func areBetterTogether(_ gains: [Double]) -> Bool {
    gains.count >= fewestFrames && gains.mean > leastSignificance * gains.errorOfMean
  }

  private static func change(_ tally: Tally, areBetterTogether: Bool) -> PoseVerdict.Change {
    let gains = tally.cellGains
    let change = PoseJudge.change(
      gains: gains, loss: tally.loss, residualRatio: .nan, fewest: fewestCells)
    // Not clearly worse.
    let isCarried = areBetterTogether && gains.mean > -gains.errorOfMean
    return change == .notBetter && isCarried ? .improved : change
  }

  /// The residuals of held-out observations, against what other frames measured from their new poses.
  private func tallies(of poses: [Transform], insteadOf start: [Transform]) -> [Tally] {
    let landmarks = DepthLandmarks(
      of: frames, at: poses, on: samples, reach: scale.units(meters: Self.reach))
    var result = [Tally](repeating: Tally(), count: frames.count)
    guard landmarks.count > 0 else { return result }
    let surfaceError = scale.units(meters: DepthPoseRefiner.surfaceError)
    let error = DepthTerms(
      landmarks, at: poses, surfaceError: surfaceError, unknownCount: 6 * poses.count
    ).error
    let (cameras, startCameras) = (poses.map(DepthCamera.init), start.map(DepthCamera.init))
    let precision = 1 / (surfaceError * surfaceError)
    for landmark in 0..<landmarks.count {
      let fit = SurfaceFit(landmarks, landmark, cameras, precision: precision, error: error)
      // Otherwise no other frame measured it.
      guard fit.weight > precision else { continue }
      let range = landmarks.range(of: landmark)
      for index in range where landmarks.observations[index].isHeldOut {
        let observation = landmarks.observations[index]
        let after = fit.distances[index - range.lowerBound] - fit.distance
        let before =
          observation.distance(
            from: landmarks.positions[landmark].simd, along: landmarks.normals[landmark].simd,
            startCameras) - fit.distance
        result[Int(observation.frame)].add(before, after, observation, error: error)
      }
    }
    return result
  }
}

extension DepthJudge.Tally {
  /// The sensor's error is the same all over a cell, so that it gains once.
  fileprivate var cellGains: [Double] {
    counts.indices.filter { counts[$0] > 0 }.map { gains[$0] / counts[$0] }
  }

  fileprivate var loss: Double {
    counts.indices.reduce(0) { counts[$1] > 0 ? $0 + losses[$1] / counts[$1] : $0 }
  }

  fileprivate mutating func add(
    _ before: Float, _ after: Float, _ observation: DepthLandmarks.Observation, error: Float
  ) {
    func loss(_ residual: Float) -> Double {
      let ratio = residual / (SurfaceFit.quarter * error)
      let square = ratio * ratio * observation.precision
      return Double(square / (1 + square))
    }
    let cell = Int(observation.cell)
    gains[cell] += loss(before) - loss(after)
    losses[cell] += loss(before)
    counts[cell] += 1
    self.before.append(abs(before))
    self.after.append(abs(after))
  }
}
