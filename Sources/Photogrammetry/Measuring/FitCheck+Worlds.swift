import MeshpipeScene

extension FitCheck {
  /// The margin by which another interpretation must be better: right and wrong ones were at least 0.22 apart (the
  /// colours of a real chair; the depths of a real corridor 0.45).
  static let margin = 0.2
  /// The margin by which another world must be better: half of the above, since few are tried, and files that don't
  /// specify theirs are likely to be in one of them.
  static let worldMargin = margin / 2
  /// The share below which depths don't fit, or frames don't see the mesh.
  static let poor = 0.25
  /// The minimum agreement of colours: the right poses of a phone reached 0.37, wrong ones of any
  /// kind up to 0.23.
  static let agreeing = 0.3
  /// The weight of colours against the share of rays that hit the mesh.
  ///
  /// From within a table more rays hit it than from beside it: the wrong world had up to 0.23 more. Colours of a real
  /// chair agreed by 0.22 less in a wrong one, those of synthetic scenes by at least 0.53.
  private static let agreementWeight = 2.0

  /// Transforms the cameras to the world in which they clearly fit best.
  mutating func chooseWorld() {
    guard !scan.worlds.isEmpty else { return }
    if !probe.isMeasured {
      if isMovedByFile, chooseByPatterns() { return }
      // Colours of a point may agree by chance, patches don't.
      guard !doImagesAgree else { return settleWorld() }
      probe.readImages(of: probe.excerpt(of: scan))
    }
    let present = trial(.init(name: "", transform: .identity))
    score = present.score
    let others = scan.worlds.map(trial)
    let better = others.filter { $0.isClearlyBetter(than: present) }
    let most = better.map(\.fit).max() ?? 0
    // The first of nearly equal ones, which deviates least.
    guard let best = better.first(where: { $0.fit >= most - Self.tie }) else {
      return isMovedByFile ? keepWorld(present, others) : reportRival(of: present, among: others)
    }
    let evidence = best.evidence
    adopt(
      best,
      because:
        "\(evidence.description(best.score)), and \(evidence.percent(present.score)) % as they are")
  }

  /// Moves the cameras to a world.
  mutating func adopt(_ best: Trial, because reason: String) {
    let mesh = scene.coordinateSystem
    scan.move(by: best.world.transform)
    if best.world.lengthOfMeter != 1 { scaleDepths(by: best.world.lengthOfMeter) }
    score = best.score
    compareImages()
    findings.world = best.world.name
    if let declared = best.world.declared {
      findings.worldReason = reason
      scan.settledWorld = .init(name: best.world.name, reason: reason)
      if declared == .derived { reportLength(in: best.world) }
    }
    // Depths are conclusive.
    guard let option = best.option(in: mesh), best.score.depth == nil else { return }
    context.warn(
      "\(path): the poses don't specify axes and unit; assuming '\(option)', with which the "
        + "images fit the mesh better than with its own ('--frames-up \(mesh.up.rawValue)' only); specify "
        + "which")
  }

  func trial(_ world: CapturedScan.World) -> Trial {
    var moved = probe.excerpt(of: scan)
    moved.move(by: world.transform)
    return Trial(
      world: world,
      score: probe.score(
        moved, metersPerUnit: scene.coordinateSystem.metersPerUnit / world.lengthOfMeter))
  }

  private func reportRival(of present: Trial, among others: [Trial]) {
    let mesh = scene.coordinateSystem
    let rival = others.first {
      $0.fit > present.fit - Self.worldMargin && $0.option(in: mesh) != nil
    }
    // Without specified axes and units most are ARKit's.
    guard mesh != .arkit, let option = rival?.option(in: mesh),
      (present.score.depth ?? present.score.seeing) > Self.poor
    else { return }
    context.warn(
      "\(path): the poses don't specify axes and unit; assuming the mesh's ('--frames-up "
        + "\(mesh.up.rawValue)' only); they would fit as well with '\(option)'; specify which")
  }

  /// A world, and how well the cameras fit the mesh in it.
  struct Trial {
    var world: CapturedScan.World
    var score: MeshProbe.Score

    /// In a wrong world frame a camera usually sees less of a room (it may be outside), but may see
    /// more of an object.
    var fit: Double { score.depth ?? score.hits + FitCheck.agreementWeight * score.agreement }

    /// The evidence by which the fit was measured.
    var evidence: Evidence { score.depth == nil ? .colors : .depth }

    /// Whether the trial is convincing; with unspecified axes and units that requires more than a glimpse.
    func isClearlyBetter(than present: Trial) -> Bool {
      guard fit > present.fit + FitCheck.worldMargin else { return false }
      if world.coordinateSystem == nil { return true }
      return score.depth.map { $0 > Evidence.depth.leastValue(insteadOf: present.score.depth ?? 0) }
        ?? (score.agreement > max(present.score.agreement + FitCheck.worldMargin, FitCheck.agreeing))
    }

    /// The options for the axes and unit of such a world, if they are not the mesh's.
    func option(in mesh: CoordinateSystem) -> String? {
      guard let system = world.coordinateSystem else { return nil }
      // Worlds that are not in the mesh's unit are in metres.
      let unit = system.metersPerUnit == mesh.metersPerUnit ? "" : " --frames-unit m"
      return "--frames-up \(system.up.rawValue)\(unit)"
    }
  }
}
