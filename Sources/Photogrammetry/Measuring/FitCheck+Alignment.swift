import MeshpipeBase
import MeshpipeScene

extension FitCheck {
  /// Corrects poses that depth maps show off the mesh: by one number for all frames if that explains it, else by a motion of
  /// each frame.
  ///
  /// - Parameter isMeshAfloat: Whether the mesh lies before or behind the depth maps as a whole. If all frames would move
  ///   alike, it is the mesh that is wrong.
  /// - Returns: The fit of the depth maps afterwards; nil if nothing was changed.
  mutating func alignCameras(isMeshAfloat: Bool) throws -> DepthFit? {
    let (frames, unit) = (scan.capture.frames, scene.coordinateSystem.metersPerUnit)
    guard PoseOffsets.mayBeOff(probe, frames, metersPerUnit: unit) else { return nil }
    let (times, areTimed) = self.times
    let first = PoseOffsets(probe, frames, metersPerUnit: unit)
    misfit = first.misfit
    guard first.areConvincing || misfit != nil,
      !isMeshAfloat || first.cause(frames, at: times) != .moved
    else { return nil }
    try context.checkCancellation()
    if let best = scale(insteadOf: first) {
      guard let fit = correct(best) else { return nil }
      misfit = nil
      return fit
    }
    guard first.areConvincing else { return nil }
    // What a frame's own depths don't show is likely to be as in those before and after it.
    let near = PoseDrift(
      first.offsets.filter(\.isGood).map { (SessionTime(seconds: times[$0.frame]), $0.change) })
    let starts = first.offsets.map { offset in
      let time = SessionTime(seconds: times[offset.frame])
      return (offset.frame, near.correction(at: time, skipsOwn: true) ?? .none)
    }
    let found = PoseOffsets(
      probe, frames, metersPerUnit: unit,
      startingWith: Dictionary(starts) { earlier, _ in earlier })
    guard found.areConvincing else { return nil }
    let good = found.offsets.filter(\.isGood)
    let drift = PoseDrift(good.map { (SessionTime(seconds: times[$0.frame]), $0.change) })
    let own = Dictionary(good.map { ($0.frame, $0.change) }) { earlier, _ in earlier }
    let fit = changed { scan in
      for index in frames.indices {
        let time = SessionTime(seconds: times[index])
        guard let change = own[index] ?? drift.correction(at: time) else { continue }
        scan.capture.frames[index].pose = frames[index].pose.moved(by: change)
      }
      // Nothing says how far the cameras of others are off.
      if areTimed {
        _ = drift.correct(&scan.capture.depthFrames)
      } else {
        scan.capture.depthFrames = []
      }
    }
    guard let fit else { return nil }
    misfit = nil
    report(found, of: frames, cause: found.cause(frames, at: times))
    return fit
  }

  /// The loss of agreement of the images on the mesh that is allowed after a change that depth maps ask for.
  private static let leastAgreementLoss = 0.05

  /// Changes the cameras, unless the user keeps poses that don't fit, or images agree less then.
  ///
  /// - Returns: The fit of the depth maps; nil if images contradict the change, so that it was undone.
  mutating func changed(_ change: (inout CapturedScan) -> Void) -> DepthFit? {
    let (present, agreement) = (scan, pairs.meanCorrelation)
    change(&scan)
    compareImages()
    if let agreement, (pairs.meanCorrelation ?? 0) < agreement - Self.leastAgreementLoss {
      scan = present
      compareImages()
      return nil
    }
    if misfits == .kept {
      scan = present
      compareImages()
    }
    return refit()
  }

  /// The fit of the depth maps with the present cameras.
  mutating func refit() -> DepthFit {
    let unit = scene.coordinateSystem.metersPerUnit
    score = probe.score(probe.excerpt(of: scan), metersPerUnit: unit)
    return DepthFit(probe, scan.capture.frames, metersPerUnit: unit)
  }

  // MARK: One number

  /// By how much one number for all frames must raise the share of depths on the mesh, and the part of what motions
  /// frame by frame would gain that it must.
  private static let (leastScaleGain, leastPartOfMotions) = (0.1, 0.9)
  /// Smaller errors are those of good captures.
  private static let leastScaleError = 0.01

  /// The number that explains what would else be a motion of each frame; nil if there is none.
  private func scale(insteadOf motions: PoseOffsets) -> DepthScaleSearch.Found? {
    let search = DepthScaleSearch(
      probe, scan.capture.frames, metersPerUnit: scene.coordinateSystem.metersPerUnit)
    let gain = motions.mean(of: \.after) - motions.mean(of: \.before)
    let present = search.present
    guard let best = search.best(), abs(best.scale - 1) > Self.leastScaleError,
      best.share >= PoseOffsets.leastShare,
      best.share - present > max(Self.leastScaleGain, Self.leastPartOfMotions * gain)
    else { return nil }
    return best
  }

  private mutating func correct(_ found: DepthScaleSearch.Found) -> DepthFit? {
    let scale = found.scale
    guard found.quantity == .positions else {
      correctFocalLength(by: scale, because: "the depth maps")
      return refit()
    }
    let fit = changed { scan in
      for index in scan.capture.frames.indices {
        scan.capture.frames[index].pose.translation *= scale
      }
      for index in scan.capture.depthFrames.indices {
        scan.capture.depthFrames[index].pose.translation *= scale
      }
    }
    guard let fit else { return nil }
    findings.positionScale = scale
    context.warn(
      "\(path): poses and mesh differ in scale: the depth maps fit the mesh if the positions of the frames are "
        + "multiplied by \(NumberText.fixed(scale, digits: 3)), which \(misfits == .kept ? "should be" : "is") done"
    )
    return fit
  }

  // MARK: Motions

  /// Seconds, or numbers of frames if a frame or a depth map has no timestamp of its own.
  private var times: (times: [Double], areTimestamps: Bool) {
    let frames = scan.capture.frames
    let times = frames.compactMap(\.timestamp).filter(\.isFinite)
    let others = scan.capture.depthFrames.compactMap(\.timestamp).filter(\.isFinite)
    let areKnown =
      Set(times).count == frames.count && others.count == scan.capture.depthFrames.count
    return areKnown ? (times, true) : (frames.indices.map(Double.init), false)
  }

  private mutating func report(
    _ found: PoseOffsets, of frames: [Capture.Frame], cause: PoseOffsets.Cause
  ) {
    let moved = found.offsets.filter(\.isNeeded)
    guard let worst = moved.max(by: { $0.meters < $1.meters }) else { return }
    findings.framesOffMesh = moved.count
    findings.greatestShift = worst.meters
    let millimeters = NumberText.fixed(1000 * worst.meters, digits: 0)
    context.warn(
      "\(path): the poses of \(moved.count) of \(frames.count) frames are off by up to \(millimeters) mm "
        + "('\(frames[worst.frame].name)') from where their depth maps lie on the mesh, and all frames "
        + "\(misfits == .kept ? "should be" : "are") moved onto it"
        + (cause.guess.map { ": \($0)" } ?? ""))
  }

  /// Warns of a mesh that is not what the depth maps measured, wherever the cameras are.
  func reportMisfit() {
    guard let misfit else { return }
    context.warn(
      "\(path): in half of the frames at most \(Int((100 * misfit).rounded())) % of the measured depths that meet the "
        + "mesh agree with it; a mesh made from the depth maps fits them better")
  }
}
