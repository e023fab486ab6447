import MeshPipeline

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

  init(
    change: Change, residualBefore: Float, residualAfter: Float, shift: Double, turn: Double
  ) {
    (self.change, self.residualBefore, self.residualAfter) = (change, residualBefore, residualAfter)
    (self.shift, self.turn) = (shift, turn)
  }

  /// A frame that keeps its pose, because it agrees with the others.
  init(keptWithMiss miss: Float) {
    self.init(
      change: miss.isNaN ? .tooLittleDetail : .notBetter, residualBefore: miss, residualAfter: miss,
      shift: 0, turn: 0)
  }

  /// The same for a frame whose new pose is rejected.
  var unchanged: PoseVerdict {
    var copy = self
    if isBetter { copy.change = .notBetter }
    return copy
  }

  package enum Change: Sendable, Equatable {
    case improved
    /// Too few detailed spots are shared with other frames.
    case tooLittleDetail
    /// The new pose does not agree better with the others, or not certainly.
    case notBetter
    /// The new pose is implausibly far from the recorded one.
    case tooFar
  }
}

/// Compares new poses with the recorded ones, by spots of the mesh that were not used in the fit.
struct PoseJudge {
  let surfels: Surfels
  let settings: PoseRefiner.Settings

  /// The greatest residual of all frames that is accepted, as a share of the residual before.
  private static let leastImprovement: Float = 0.9
  /// The fewest spots that a verdict needs.
  private static let leastSpots = 40
  /// The share of the error that a new pose must remove.
  private static let leastGain = 0.01
  /// If tiles are closer than this share of before, they decide where spots don't.
  private static let halved: Float = 0.5
  /// The number of standard errors that this must be.
  private static let leastSignificance = 2.5

  /// - Parameter misses: The misalignment of each frame with its recorded and with its new pose, in
  ///   pixels of its image; measured here, to a pixel or two, if nil.
  func verdicts(
    on poses: [Transform], of frames: [ViewedFrame],
    insteadOf recorded: [Transform], of recordedFrames: [ViewedFrame],
    misses: (before: [Float], after: [Float])?
  ) -> [PoseVerdict] {
    let new = agreement(of: frames, surfels)
    let old = agreement(of: recordedFrames, surfels)
    let (before, after) = misses ?? self.misses(of: frames, insteadOf: recordedFrames)
    var gains = [[Double]](repeating: [], count: frames.count)
    var losses = [Double](repeating: 0, count: frames.count)
    for (index, frame) in surfels.frames.enumerated()
    where surfels.areHeldOut[Int(surfels.owners[index])] {
      let residual = new.consensus.residualsFromOthers[index]
      // Both against what the others show from their new poses.
      let residualBefore = old.rows[index].value - (new.rows[index].value - residual)
      guard !residual.isNaN, !residualBefore.isNaN else { continue }
      let error = 2 * new.errors[Int(frame)]
      func loss(_ residual: Float) -> Double {
        let square = residual * residual / (error * error)
        return Double(square / (1 + square))
      }
      gains[Int(frame)].append(loss(residualBefore) - loss(residual))
      losses[Int(frame)] += loss(residualBefore)
    }
    let verdicts = frames.indices.map { index in
      let change = PoseChange(from: recorded[index], to: poses[index])
      var verdict = PoseVerdict(
        change: Self.change(
          gains: gains[index], loss: losses[index],
          missRatio: misses.map { $0.after[index] / $0.before[index] }),
        residualBefore: before[index], residualAfter: after[index],
        shift: change.translation.length, turn: change.rotation.length)
      if verdict.isBetter,
        verdict.shift > settings.greatestShift || verdict.turn > settings.greatestTurn
      {
        verdict.change = .tooFar
      }
      return verdict
    }
    return Self.areBetterTogether(verdicts) ? verdicts : verdicts.map(\.unchanged)
  }

  /// The misalignment of details on the mesh, which will carry the colours.
  private func misses(
    of frames: [ViewedFrame], insteadOf recorded: [ViewedFrame]
  ) -> (before: [Float], after: [Float]) {
    let onMesh = surfels.withoutOffsets
    let new = agreement(of: frames, onMesh)
    let old = agreement(of: recorded, onMesh)
    return (
      frames.indices.map { old.residual(of: $0, onMesh, recorded[$0]) },
      frames.indices.map { new.residual(of: $0, onMesh, frames[$0]) }
    )
  }

  /// Whether the frames agree better than before.
  ///
  /// All frames may have moved together to positions where exact poses would be no better.
  private static func areBetterTogether(_ verdicts: [PoseVerdict]) -> Bool {
    let known = verdicts.filter { !$0.residualBefore.isNaN && !$0.residualAfter.isNaN }
    guard !known.isEmpty else { return true }
    let before = known.map(\.residualBefore).sorted()[known.count / 2]
    let after = known.map(\.residualAfter).sorted()[known.count / 2]
    return after < leastImprovement * before
  }

  /// The verdict of the spots of one frame.
  ///
  /// - Parameters:
  ///   - gains: The reduction of each spot's error.
  ///   - loss: The sum of errors before.
  ///   - missRatio: The misalignment of the frame's tiles over that before; nil if none were found.
  static func change(gains: [Double], loss: Double, missRatio: Float?) -> PoseVerdict.Change {
    guard gains.count >= leastSpots else { return .tooLittleDetail }
    let count = Double(gains.count)
    let mean = gains.reduce(0, +) / count
    let variance = gains.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count * (count - 1))
    // Tiles are more reliable than few spots, and all other frames have moved away from this one.
    if let missRatio, missRatio < halved, mean >= 0 { return .improved }
    let isSure = mean > leastSignificance * variance.squareRoot()
    return isSure && mean * count > leastGain * loss ? .improved : .notBetter
  }

  private func agreement(of frames: [ViewedFrame], _ surfels: Surfels) -> Agreement {
    let rows = Linearization(surfels, in: frames).rows
    var errors = [Float](repeating: Consensus.initialError, count: frames.count)
    for _ in 0..<3 {
      errors = Consensus(rows, surfels, errors: errors).errors(surfels, frames: frames.count)
    }
    return Agreement(
      rows: rows, errors: errors, consensus: Consensus(rows, surfels, errors: errors))
  }

  /// The agreement of frames, with given poses.
  private struct Agreement {
    var rows: [Linearization.Row]
    var errors: [Float]
    var consensus: Consensus

    /// The median, over regions of the image, of the shift of details against the others, by the
    /// method of Lucas and Kanade, in pixels of the frame's image.
    func residual(of frame: Int, _ surfels: Surfels, _ viewed: ViewedFrame) -> Float {
      let (columns, lines) = (8, 6)
      var parts = [Part](repeating: Part(), count: columns * lines)
      for (index, other) in surfels.frames.enumerated() where Int(other) == frame {
        let residual = consensus.residualsFromOthers[index]
        guard !residual.isNaN,
          let pixel = viewed.camera.project(surfels.place(of: Int(surfels.owners[index])))
        else { continue }
        let place = SIMD2(pixel.x, pixel.y) / viewed.camera.size
        let column = min(max(Int(place.x * Float(columns)), 0), columns - 1)
        let line = min(max(Int(place.y * Float(lines)), 0), lines - 1)
        let ratio = residual / (2 * errors[frame])
        parts[line * columns + column].add(rows[index].gradient, residual, 1 / (1 + ratio * ratio))
      }
      let shifts = parts.compactMap(\.shift).sorted()
      return shifts.isEmpty ? .nan : shifts[shifts.count / 2]
    }
  }

  /// Normal equations of a shift of the image.
  private struct Part {
    private var count = 0
    private var (xx, xy, yy): (Float, Float, Float) = (0, 0, 0)
    private var right = SIMD2<Float>.zero

    mutating func add(_ gradient: Vector2, _ residual: Float, _ weight: Float) {
      count += 1
      xx += weight * gradient.x * gradient.x
      xy += weight * gradient.x * gradient.y
      yy += weight * gradient.y * gradient.y
      right += SIMD2(gradient.x, gradient.y) * (weight * residual)
    }

    /// Its length; nil if there is too little detail, or only in one direction.
    var shift: Float? {
      let determinant = xx * yy - xy * xy
      guard count >= 12, determinant > 0.05 * (xx + yy) * (xx + yy) / 4 else { return nil }
      let x = (yy * right.x - xy * right.y) / determinant
      let y = (xx * right.y - xy * right.x) / determinant
      return (x * x + y * y).squareRoot()
    }
  }
}
