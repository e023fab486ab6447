import MeshPipeline

extension FitCheck {
  /// What another world or reading must be better by.
  static let margin = 0.2
  /// A share below which depths don't fit, or frames don't see the mesh.
  private static let poor = 0.25
  /// An agreement of colours above this is one: of a phone's poses the right ones came to 0.37, and
  /// wrong ones of anything to 0.23.
  static let agreeing = 0.3

  /// Carries the cameras to the world in which they clearly fit best.
  mutating func chooseWorld() {
    guard !scan.worlds.isEmpty else { return }
    if !probe.isMeasured {
      // Colours of a place may come to agree by chance, patterns don't.
      guard !doPicturesAgree else { return }
      probe.readPictures(of: probe.excerpt(of: scan))
    }
    let mesh = scene.coordinateSystem
    let present = trial(.init(name: "", transform: .identity))
    score = present.score
    let others = scan.worlds.map(trial)
    let better = others.filter { $0.isClearlyBetter(than: present) }
    let most = better.map(\.fit).max() ?? 0
    // Of nearly equal ones the first, which departs least.
    guard let best = better.first(where: { $0.fit >= most - 0.02 }) else {
      return tellRival(of: present, among: others)
    }
    scan.move(by: best.world.transform)
    score = best.score
    comparePictures()
    context.report("framesWorld", JSONValue(.string(best.world.name)))
    // Depths are sure of it.
    guard let option = best.option(in: mesh), best.score.depth == nil else { return }
    context.warn(
      "\(path): the poses don't say their axes and unit, and are taken for '\(option)', with which the "
        + "pictures fit the mesh better than with its own ('--frames-up \(mesh.up.rawValue)' alone): say "
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
    // Without a word on axes and units most are ARKit's.
    guard mesh != .arkit, let option = rival?.option(in: mesh),
      (present.score.depth ?? present.score.seeing) > Self.poor
    else { return }
    context.warn(
      "\(path): the poses don't say their axes and unit, and are taken for the mesh's ('--frames-up "
        + "\(mesh.up.rawValue)' alone); they would fit as well with '\(option)': say which")
  }

  /// A world, and how well the cameras fit the mesh in it.
  private struct Trial {
    var world: CapturedScan.World
    var score: MeshProbe.Score

    /// Whoever stands in the wrong world sees less of a room, for he may stand outside it; but of an object
    /// he may see more.
    var fit: Double { score.depth ?? score.hits + 2 * score.agreement }

    /// Whether it is to be taken, which for axes and units that nobody spoke of takes more than a glimpse.
    func isClearlyBetter(than present: Trial) -> Bool {
      guard fit > present.fit + margin / 2 else { return false }
      if world.coordinateSystem == nil { return true }
      return score.depth.map { $0 > 0.5 }
        ?? (score.agreement > max(present.score.agreement + margin / 2, agreeing))
    }

    /// What says the axes and unit of such a world, when they are not the mesh's.
    func option(in mesh: CoordinateSystem) -> String? {
      guard let system = world.coordinateSystem else { return nil }
      // Those that are not in the unit of the mesh are in metres.
      let unit = system.metersPerUnit == mesh.metersPerUnit ? "" : " --frames-unit m"
      return "--frames-up \(system.up.rawValue)\(unit)"
    }
  }
}
