import MeshpipeBase
package import MeshpipeScene

/// The steps of checking frames against the mesh, from the coarsest mistake to the finest.
///
/// Three things are measured: the distance of depth maps from the mesh along rays of the cameras
/// (on a real corridor the right one of the eight conventions put 85 % of the depths within 5 cm of
/// the mesh, the next one 40 %); the agreement of image pairs at the same points of the mesh; and
/// whether the cameras see the mesh at all.
package struct FitCheck {
  /// The capture, with what was corrected so far.
  package internal(set) var scan: CapturedScan
  /// The findings so far.
  package internal(set) var findings = FitFindings()
  let scene: Scene
  let path: String
  /// The treatment of frames that don't fit.
  let misfits: Misfits
  var probe: MeshProbe
  let context: any MeasuringContext
  let comparison: ImageCorrelation
  var consensus: FrameConsensus
  var pairs: [ImageCorrelation.Pair]
  /// The fit of all frames.
  var score: MeshProbe.Score
  /// The errors that were found of the lens, reported at the end.
  var lens = LensCorrection()
  /// The share of depths on the mesh in the median frame, if it is low and no motion of the cameras raises it.
  var misfit: Double?

  /// - Parameters:
  ///   - path: The capture's path, for messages.
  ///   - misfits: What happens to frames that don't fit.
  /// - Returns: Nil if there is nothing to compare.
  package init?(
    _ scan: CapturedScan, against scene: Scene, path: String, misfits: Misfits,
    in context: any MeasuringContext
  ) throws {
    guard let probe = try MeshProbe(scan.capture, scene, context), !probe.views.isEmpty else {
      return nil
    }
    self.scan = scan
    self.scene = scene
    self.path = path
    self.misfits = misfits
    self.probe = probe
    self.context = context
    comparison = try ImageCorrelation(of: scan.capture.frames, on: probe.tracer, context)
    pairs = comparison.pairs(of: scan.capture.frames)
    consensus = FrameConsensus(pairs, count: scan.capture.frames.count)
    score = probe.score(
      probe.excerpt(of: scan), metersPerUnit: scene.coordinateSystem.metersPerUnit)
  }

  /// Takes the steps of the check, which correct ``scan`` and record ``findings``.
  ///
  /// - Throws: When the frames clearly don't fit the mesh, if misfits are refused.
  package mutating func run() throws {
    chooseWorld()
    try context.checkCancellation()
    guard try followMesh() else { return recordFit() }
    var depths = rescaledDepthFit()
    recordFit()
    if try reportBetterReading(depths) { return }
    try context.checkCancellation()
    if let aligned = try alignCameras(isMeshAfloat: depths.offset?.isContradiction == true)
      ?? moveOntoMesh()
    {
      depths = aligned
      recordFit()
    }
    do {
      try refuseMisfit(depths)
    } catch {
      reportLens()
      throw error
    }
    try context.checkCancellation()
    let isMeshAfloat = depths.offset?.isContradiction == true
    // Images on a mesh that floats agree best with a wrong lens.
    if !isMeshAfloat {
      if mendLens() {
        depths = refit()
        recordFit()
      } else if !depths.isBroken {
        reportMisfit()
      }
    }
    reportLens()
    try context.checkCancellation()
    reportOffset(depths)
    reportDrift()
    removeOutliers(depths)
  }

  /// Whether enough images could be compared, and agree.
  var doImagesAgree: Bool {
    consensus.judged.count >= FrameConsensus.leastJudged && !consensus.isBroken
  }

  mutating func compareImages() {
    pairs = comparison.pairs(of: scan.capture.frames)
    consensus = FrameConsensus(pairs, count: scan.capture.frames.count)
  }

  private mutating func recordFit() {
    findings.depthOnMesh = score.depth
    findings.seeingMesh = score.seeing
    findings.imageCorrelation = pairs.meanCorrelation
  }

  /// Warns of a mesh that floats before or behind its depth maps, which tolerances for noise don't show.
  ///
  /// Depths that fit nothing say nothing of it.
  private mutating func reportOffset(_ depths: DepthFit) {
    guard !depths.isBroken else { return }
    findings.depthOffset = depths.offset?.median
    guard let offset = depths.offset, offset.isContradiction else { return }
    func text(_ meters: Double) -> String { NumberText.fixed(1000 * abs(meters), digits: 0) }
    context.warn(
      "\(path): the mesh lies \(text(offset.median)) mm \(offset.median > 0 ? "before" : "behind") the "
        + "measured depths, of about \(text(offset.depth)) mm; a mesh made from the depth maps fits them better"
    )
  }

  /// The minimum number of frames to conclude that nothing fits: one or two may be those that are wrong.
  private static let fewestToRefuse = 3

  /// Throws, or warns if misfits are not refused.
  func refuse(_ reason: String) throws {
    guard misfits == .refused, scan.capture.frames.count >= Self.fewestToRefuse else {
      return context.warn("\(path): \(reason)")
    }
    throw CaptureError(
      path, "\(reason); --force-poses uses them anyway, '--frames none' ignores them")
  }

  /// Images in another order are looked for when more than one in this many is isolated, or more than these few are
  /// outliers: they may be the only symptom of an order that is off by one.
  ///
  /// The search takes as long as comparing 130 frames.
  private static let isolatedPerJudged = 20
  private static let mostStrayOutliers = 2

  // MARK: Depth maps

  /// The fit of the depth maps, after correcting those in another unit.
  private mutating func rescaledDepthFit() -> DepthFit {
    let unit = scene.coordinateSystem.metersPerUnit
    let fit = DepthFit(probe, scan.capture.frames, metersPerUnit: unit)
    guard let ratio = fit.constantRatio else { return fit }
    let known = DepthFit.unit(forRatio: ratio)
    // Only images can show whether the cameras are wrong instead, unless the ratio is that of a
    // unit.
    guard known != nil || doImagesAgree else { return fit }
    let factor = known?.factor ?? ratio
    scaleDepths(by: 1 / factor)
    let text = NumberText.fixed(factor, digits: factor < 1 ? 4 : factor < 10 ? 2 : 0)
    context.warn(
      "\(path): the measured depths are \(text) times the distance to the mesh, and are "
        + "scaled to fit: "
        + (known.map { "the unit of the depth maps is probably \($0.description)" }
          ?? "is the mesh in another unit than it seems?"))
    return refit()
  }

  /// Scales all depth maps.
  mutating func scaleDepths(by factor: Double) {
    for index in scan.capture.frames.indices {
      let depth = scan.capture.frames[index].depth
      scan.capture.frames[index].depth = depth?.scaled(by: factor)
    }
    for index in scan.capture.depthFrames.indices {
      let depth = scan.capture.depthFrames[index].depth
      scan.capture.depthFrames[index].depth = depth.scaled(by: factor)
    }
    probe.scaleDepths(by: factor)
  }

  // MARK: Misfits

  /// Whether most frames see nothing of the mesh, and the others next to nothing: some rays of wrong cameras meet it by
  /// chance.
  private var seesNearlyNothing: Bool { score.seeing < 0.5 && score.hits < 0.02 }

  /// Rejects a capture that does not fit its mesh in any way.
  private mutating func refuseMisfit(_ depths: DepthFit) throws {
    if score.seeing == 0 || seesNearlyNothing && !depths.isConfirmed && !doImagesAgree {
      let problem =
        score.seeing == 0
        ? "no frame sees the mesh"
        : "most frames see nothing of the mesh, and the others next to nothing"
      return try refuse(
        "\(problem): the cameras are elsewhere, or look elsewhere; are they of another "
          + "scan, or in another unit (--frames-unit)?")
    }
    if depths.isBroken {
      guard consensus.isSure(of: scan.capture.frames.count) else {
        return try refuse(
          "the frames hardly fit the mesh: \(Evidence.depth.description(score)); are they of another scan?"
        )
      }
      context.warn(
        "\(path): the depth maps are not used: the images agree on the mesh, but "
          + "\(Evidence.depth.description(score)) alone")
      for index in scan.capture.frames.indices { scan.capture.frames[index].depth = nil }
      scan.capture.depthFrames = []
    }
    try refuseWrongImages(depths)
  }

  /// Rejects images most of which contradict the others, or which would fit better in another
  /// order.
  private func refuseWrongImages(_ depths: DepthFit) throws {
    let (isolated, judged) = (consensus.isolated.count, consensus.judged.count)
    guard
      consensus.isBroken || Self.isolatedPerJudged * isolated > judged
        || consensus.outliers.count > Self.mostStrayOutliers
    else { return }
    let correction = ImageCorrection.best(for: self, focal: consensus.isBroken)
    guard consensus.isBroken || correction != nil else { return }
    try refuse(
      "the images don't fit: \(isolated) of \(judged) that can be compared show something else than "
        + "the other frames at the same places of the mesh; "
        + (correction.map { "they fit \($0.description)" }
          ?? (depths.median == nil
            ? "is it the mesh of another scan?" : "are they images of another scan?"))
    )
  }

  // MARK: Outliers

  private mutating func removeOutliers(_ depths: DepthFit) {
    let outliers = consensus.isBroken ? [] : consensus.outliers
    if !outliers.isEmpty {
      let correction = ImageCorrection.best(for: self, frames: outliers)
      reportOutliers(
        outliers,
        "its image contradicts those of other frames at the same places of the mesh"
          + (correction.map {
            outliers.count == 1 ? "; it fits \($0.description)" : "; they fit \($0.description)"
          } ?? ""))
    }
    // Before a mesh that floats, depths are off it in frames that look at it askew.
    let floats = depths.offset?.isContradiction == true
    let elsewhere = floats ? [] : depths.outliers.filter { !outliers.contains($0) }
    let seen = elsewhere.filter { consensus.agrees[$0] }
    for index in seen { scan.capture.frames[index].depth = nil }
    if !seen.isEmpty {
      let names = FrameNames(seen.map { scan.capture.frames[$0].name }).text
      context.warn(
        "\(path): \(names): the depth map is not used: the image fits the mesh, the depths don't")
    }
    let lost = elsewhere.filter { !consensus.agrees[$0] }
    if !lost.isEmpty {
      reportOutliers(
        lost, "less than a quarter of the measured depths are on the mesh, unlike other frames'")
    }
    guard misfits == .refused else { return }
    let gone = Set(outliers + lost)
    let frames = scan.capture.frames
    scan.capture.frames = frames.indices.filter { !gone.contains($0) }.map { frames[$0] }
    findings.leftOut = gone.sorted().map { frames[$0].name }
  }

  private func reportOutliers(_ outliers: [Int], _ reason: String) {
    let names = FrameNames(outliers.map { scan.capture.frames[$0].name }).text
    let verb = misfits != .refused ? "should be" : outliers.count == 1 ? "is" : "are"
    context.warn("\(path): \(names) \(verb) left out: \(reason)")
  }
}

extension Capture.DepthSource {
  /// The depth source with its depths times a factor.
  fileprivate func scaled(by factor: Double) -> Capture.DepthSource {
    var scaled = self
    guard case .png16(let metersPerUnit) = encoding else {
      scaled.scale *= factor
      return scaled
    }
    scaled.encoding = .png16(metersPerUnit: metersPerUnit * factor)
    return scaled
  }
}
