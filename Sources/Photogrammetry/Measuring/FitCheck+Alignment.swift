import MeshPipeline

extension FitCheck {
  /// Moves cameras that are off the mesh, as their depth maps show, onto it: all together, so that they stay consistent.
  ///
  /// - Parameter isMeshAfloat: Whether the mesh lies before or behind the depth maps of all frames alike: then it is the
  ///   mesh that is wrong, unless one number explains it.
  /// - Returns: The fit of the depth maps afterwards; nil if no camera was moved.
  mutating func alignCameras(isMeshAfloat: Bool) -> DepthFit? {
    let (frames, unit) = (scan.capture.frames, scene.coordinateSystem.metersPerUnit)
    let first = PoseOffsets(probe, frames, metersPerUnit: unit)
    guard first.areConvincing || first.misfit != nil else { return nil }
    // Where all moves alike, as before a flat mesh, a shift can't be told from a scale.
    let isShifted = isMeshAfloat && first.cause(frames) == .moved
    if !isShifted, correctScale(aligned: first) { return refit() }
    guard first.areConvincing, !isMeshAfloat else {
      if !isMeshAfloat { reportMisfit(first) }
      return nil
    }
    // What a frame's own depths don't show is likely to be as in those before and after it.
    let times = Self.times(of: frames)
    let starts = first.offsets.indices.map { place in
      let others = first.offsets.enumerated().filter { $0.offset != place && $0.element.isGood }
      let change = Self.drift(of: others.map(\.element), frames, times)
        .correction(at: times[first.offsets[place].frame])
      return (first.offsets[place].frame, change ?? .none)
    }
    let found = PoseOffsets(
      probe, frames, metersPerUnit: unit,
      startingWith: Dictionary(starts) { earlier, _ in earlier })
    guard found.areConvincing else { return nil }
    let good = found.offsets.filter(\.isGood)
    let drift = Self.drift(of: good, frames, times)
    let own = Dictionary(good.map { ($0.frame, $0.change) }) { earlier, _ in earlier }
    for index in frames.indices {
      guard let change = own[index] ?? drift.correction(at: times[index]) else { continue }
      scan.capture.frames[index].pose = frames[index].pose.moved(by: change)
    }
    _ = drift.correct(&scan.capture.depthFrames)
    compareImages()
    report(found, of: frames)
    return refit()
  }

  private mutating func refit() -> DepthFit {
    let unit = scene.coordinateSystem.metersPerUnit
    score = probe.score(probe.excerpt(of: scan), metersPerUnit: unit)
    return DepthFit(probe, scan.capture.frames, metersPerUnit: unit)
  }

  /// By how much one number for all frames must raise the share of depths on the mesh, and the part of what motions
  /// frame by frame would reach that it must.
  private static let (leastScaleGain, leastPartOfMotions) = (0.2, 0.9)
  /// Smaller errors are those of good captures.
  private static let leastScaleError = 0.01

  /// Corrects the focal length, or the size of the poses, if this one number explains what would else be a motion of
  /// each frame.
  private mutating func correctScale(aligned: PoseOffsets) -> Bool {
    let best = DepthScaleSearch(
      probe, scan.capture.frames, metersPerUnit: scene.coordinateSystem.metersPerUnit
    ).best()
    guard abs(best.scale - 1) > Self.leastScaleError,
      best.share > aligned.mean(of: \.before) + Self.leastScaleGain,
      best.share > Self.leastPartOfMotions * aligned.mean(of: \.after)
    else { return false }
    switch best.quantity {
    case .focalLength: correctFocalLength(by: best.scale, because: "the depth maps")
    case .positions:
      let scale = best.scale
      for index in scan.capture.frames.indices {
        scan.capture.frames[index].pose.translation *= scale
      }
      for index in scan.capture.depthFrames.indices {
        scan.capture.depthFrames[index].pose.translation *= scale
      }
      findings.positionScale = scale
      context.warn(
        "\(path): poses and mesh are not of one size: the depth maps fit the mesh with the positions of the frames "
          + "times \(NumberText.fixed(scale, digits: 3)), which is used")
      compareImages()
    }
    return true
  }

  /// Seconds, or numbers of frames if some have no timestamp.
  private static func times(of frames: [Capture.Frame]) -> [Double] {
    let times = frames.compactMap(\.timestamp).filter(\.isFinite)
    return times.count == frames.count ? times : frames.indices.map(Double.init)
  }

  private static func drift(
    of offsets: [PoseOffsets.Offset], _ frames: [Capture.Frame], _ times: [Double]
  ) -> PoseDrift {
    PoseDrift(
      of: offsets.map { offset in
        var frame = frames[offset.frame]
        frame.timestamp = times[offset.frame]
        return (frame, frame.pose.moved(by: offset.change))
      })
  }

  private mutating func report(_ found: PoseOffsets, of frames: [Capture.Frame]) {
    let moved = found.offsets.filter(\.isNeeded)
    guard let worst = moved.max(by: { $0.meters < $1.meters }) else { return }
    findings.movedFrames = moved.count
    findings.greatestShift = worst.meters
    let millimeters = NumberText.fixed(1000 * worst.meters, digits: 0)
    context.warn(
      "\(path): the poses of \(moved.count) of \(frames.count) frames are off by up to \(millimeters) mm "
        + "('\(frames[worst.frame].name)') from where their depth maps lie on the mesh, and all frames are moved onto it"
        + (found.cause(frames).guess.map { ": \($0)" } ?? ""))
  }

  /// Warns of a mesh that is not what the depth maps measured, wherever the cameras are.
  private func reportMisfit(_ offsets: PoseOffsets) {
    guard let share = offsets.misfit else { return }
    context.warn(
      "\(path): of the median frame only \(Int((100 * share).rounded())) % of the measured depths are on the mesh; a mesh "
        + "made from the depth maps fits them better")
  }
}
