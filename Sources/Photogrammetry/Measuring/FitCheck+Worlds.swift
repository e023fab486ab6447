import MeshPipeline

extension FitCheck {
  /// The margin by which another world or interpretation must be better.
  static let margin = 0.2
  /// The share below which depths don't fit, or frames don't see the mesh.
  private static let poor = 0.25
  /// The minimum agreement of colours: the right poses of a phone reached 0.37, wrong ones of any
  /// kind up to 0.23.
  static let agreeing = 0.3

  /// Transforms the cameras to the world in which they clearly fit best.
  mutating func chooseWorld() {
    guard !scan.worlds.isEmpty else { return }
    if !probe.isMeasured {
      // Colours of a place may agree by chance, patches don't.
      guard !doPicturesAgree else { return }
      probe.readPictures(of: probe.excerpt(of: scan))
    }
    let mesh = scene.coordinateSystem
    let present = trial(.init(name: "", transform: .identity))
    score = present.score
    let others = scan.worlds.map(trial)
    let better = others.filter { $0.isClearlyBetter(than: present) }
    let most = better.map(\.fit).max() ?? 0
    // The first of nearly equal ones, which deviates least.
    guard let best = better.first(where: { $0.fit >= most - 0.02 }) else {
      return tellRival(of: present, among: others)
    }
    scan.move(by: best.world.transform)
    score = best.score
    comparePictures()
    findings.world = best.world.name
    // Depths are conclusive.
    guard let option = best.option(in: mesh), best.score.depth == nil else { return }
    context.warn(
      "\(path): the poses don't specify axes and unit; assuming '\(option)', with which the "
        + "images fit the mesh better than with its own ('--frames-up \(mesh.up.rawValue)' only); specify "
        + "which")
  }

  private func trial(_ world: CapturedScan.World) -> Trial {
    var moved = probe.excerpt(of: scan)
    moved.move(by: world.transform)
    return Trial(
      world: world,
      score: probe.score(moved, metersPerUnit: scene.coordinateSystem.metersPerUnit))
  }

  private func tellRival(of present: Trial, among others: [Trial]) {
    let mesh = scene.coordinateSystem
    let rival = others.first {
      $0.fit > present.fit - Self.margin / 2 && $0.option(in: mesh) != nil
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
  private struct Trial {
    var world: CapturedScan.World
    var score: MeshProbe.Score

    /// In a wrong world frame a camera usually sees less of a room (it may be outside), but may see
    /// more of an object.
    var fit: Double { score.depth ?? score.hits + 2 * score.agreement }

    /// Whether it is convincing; with unspecified axes and units that requires more than a glimpse.
    func isClearlyBetter(than present: Trial) -> Bool {
      guard fit > present.fit + margin / 2 else { return false }
      if world.coordinateSystem == nil { return true }
      return score.depth.map { $0 > 0.5 }
        ?? (score.agreement > max(present.score.agreement + margin / 2, agreeing))
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
