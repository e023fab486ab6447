import MeshPipeline

/// What became of one frame's pose.
package struct PoseVerdict: Sendable, Equatable {
  package var change: Change
  /// How far off the frame's details lie from where the others have them, in pixels of its image, with
  /// all recorded and with all new poses; NaN when that is not known.
  package var residualBefore: Float
  package var residualAfter: Float
  /// How far the new camera is from the recorded one, in units of the scene and radians.
  package var shift: Double
  package var turn: Double

  package var isBetter: Bool { change == .improved }

  init(
    change: Change, residualBefore: Float, residualAfter: Float, shift: Double, turn: Double
  ) {
    (self.change, self.residualBefore, self.residualAfter) = (change, residualBefore, residualAfter)
    (self.shift, self.turn) = (shift, turn)
  }

  /// A frame that stays where it is, because it agrees with the others.
  init(keptWithMiss miss: Float) {
    self.init(
      change: miss.isNaN ? .tooLittleDetail : .notBetter, residualBefore: miss, residualAfter: miss,
      shift: 0, turn: 0)
  }

  /// The same for a frame whose new pose is given up.
  var unchanged: PoseVerdict {
    var copy = self
    if isBetter { copy.change = .notBetter }
    return copy
  }

  package enum Change: Sendable, Equatable {
    case improved
    /// Too few spots with detail are shared with other frames.
    case tooLittleDetail
    /// The new pose does not agree better with the others, or not for sure.
    case notBetter
    /// The new pose is further from the recorded one than is to be believed.
    case tooFar
  }
}

/// Compares new poses with the recorded ones, by spots of the mesh that took no part in the fit.
struct PoseJudge {
  let surfels: Surfels
  let settings: PoseRefiner.Settings

  /// What the residual of all frames has to come down to, as a share of what it was.
  private static let leastImprovement: Float = 0.9
  /// Spots that a judgement needs at least.
  private static let leastSpots = 40
  /// The share of the error that a new pose has to take away.
  private static let leastGain = 0.01
  /// Tiles that lie nearer than this share of before settle what spots leave open.
  private static let halved: Float = 0.5
  /// How many standard errors that has to be.
  private static let leastSignificance = 2.5

  /// - Parameter misses: How far each frame is off with its recorded and with its new pose, in pixels
  ///   of its image; measured here, to a pixel or two, when nil.
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

  /// How far details lie apart where the mesh is, which will carry the colours.
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

  /// Whether the frames lie nearer to one another than before.
  ///
  /// All may have wandered together to where exact poses would be, each for itself, no better.
  private static func areBetterTogether(_ verdicts: [PoseVerdict]) -> Bool {
    let known = verdicts.filter { !$0.residualBefore.isNaN && !$0.residualAfter.isNaN }
    guard !known.isEmpty else { return true }
    let before = known.map(\.residualBefore).sorted()[known.count / 2]
    let after = known.map(\.residualAfter).sorted()[known.count / 2]
    return after < leastImprovement * before
  }

  /// What the spots of one frame say.
  ///
  /// - Parameters:
  ///   - gains: What each spot's error fell by.
  ///   - loss: The sum of errors before.
  ///   - missRatio: How far the frame's tiles are off, over how far they were; nil when none were found.
  static func change(gains: [Double], loss: Double, missRatio: Float?) -> PoseVerdict.Change {
    guard gains.count >= leastSpots else { return .tooLittleDetail }
    let count = Double(gains.count)
    let mean = gains.reduce(0, +) / count
    let variance = gains.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count * (count - 1))
    // Tiles tell more than few spots, and all other frames have left this one behind.
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

  /// How well frames agree, with given poses.
  private struct Agreement {
    var rows: [Linearization.Row]
    var errors: [Float]
    var consensus: Consensus

    /// The median over parts of the picture of how far details are shifted against the others, by the
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

  /// Normal equations of a shift of the picture.
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

    /// Its length; nil where there is too little detail, or in one direction alone.
    var shift: Float? {
      let determinant = xx * yy - xy * xy
      guard count >= 12, determinant > 0.05 * (xx + yy) * (xx + yy) / 4 else { return nil }
      let x = (yy * right.x - xy * right.y) / determinant
      let y = (xx * right.y - xy * right.x) / determinant
      return (x * x + y * y).squareRoot()
    }
  }
}
