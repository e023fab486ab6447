import MeshpipeBase
import MeshpipeScene

/// Files may declare how a program moved the poses: then the mesh is either where it was recorded, or was moved, too.
/// What fits decides, and what is declared where nothing does.
extension FitCheck {
  /// Whether files of the capture declare other worlds than that of the poses.
  var isMovedByFile: Bool { scan.worlds.contains { $0.declared != nil } }

  /// The part of the most agreement, and of the most frames that see the mesh, that a world must have to be compared by
  /// how well what it compares agrees.
  private static let leastShare = 0.5

  /// Moves the cameras to the world in which patches of the images agree best.
  ///
  /// Those of a camera that only turns agree somewhat in any world: correlations were .60 in a wrong one, .99 in the
  /// right one.
  /// - Returns: Whether one fits better than what else could be meant.
  mutating func chooseByPatterns() -> Bool {
    let present = CapturedScan.World(name: "", transform: .identity)
    var trials = ([present] + scan.worlds).map { world in
      var trial = trial(world)
      var moved = scan
      moved.move(by: world.transform)
      (trial.score.agreement, trial.score.support) = patternAgreement(of: moved)
      return trial
    }
    let support = trials.map(\.score.support).max() ?? 0
    let seeing = trials.map(\.score.seeing).max() ?? 0
    let current = trials[0]
    let declared = trials.first { $0.world.declared != nil }
    trials.removeAll {
      $0.score.support < Self.leastShare * support || $0.score.seeing < Self.leastShare * seeing
    }
    let most = trials.map(\.score.agreement).max() ?? 0
    guard most >= Evidence.patterns.leastValue(insteadOf: 0) else { return false }
    let best = trials.filter { $0.score.agreement >= most - Self.tie }
    // In the order of the list, which begins with what deviates least.
    guard let first = best.first else { return false }
    if let declared, first.world.name.isEmpty {
      guard !best.contains(where: { $0.world.declared != nil }) else { return false }
      reportKept(
        "the images agree on the mesh by \(percent(most)) as they are, and by "
          + percent(declared.score.agreement), not: declared.world)
      return true
    }
    adopt(
      first,
      because: "the images agree on the mesh by \(percent(most)), and by "
        + "\(percent(current.score.agreement)) as the poses are")
    return true
  }

  private func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }

  /// Keeps the world of the poses if they fit the mesh better in it than in what their files declare; nothing else fits
  /// better.
  mutating func keepWorld(_ present: Trial, _ others: [Trial]) {
    guard let declared = others.filter({ $0.world.declared != nil }).max(by: { $0.fit < $1.fit })
    else { return }
    guard present.fit > declared.fit + Self.worldMargin else { return settleWorld() }
    let evidence = present.evidence
    reportKept(
      "as they are \(evidence.description(present.score)), and \(evidence.percent(declared.score)) %",
      not: declared.world)
  }

  /// - Parameter world: The declared one that fits less.
  private mutating func reportKept(_ reason: String, not world: CapturedScan.World) {
    scan.settledWorld = .init(name: "of its file", reason: reason)
    context.advise(
      "\(path): the poses are used as their file has them, since the mesh has been moved with them: \(reason) in the world "
        + "\(world.name)")
  }

  /// Moves the cameras to the world that their files declare, where nothing shows another.
  mutating func settleWorld() {
    guard scan.coordinateSystem == nil,
      let world = scan.worlds.first(where: { $0.declared == .original })
    else { return }
    let best = trial(world)
    guard best.score.seeing > 0 else { return }
    adopt(best, because: "that is what the file declares")
    scan.settledWorld = .init(name: world.name, reason: nil)
    context.warn(
      "\(path): the poses are moved to the world \(world.name), as their file declares; nothing measured shows whether the "
        + "mesh is there ('--frames-up \(scene.coordinateSystem.up.rawValue)' takes them as they are)"
    )
  }

  /// Warns of a world in which a metre has another length.
  func reportLength(in world: CapturedScan.World) {
    let factor = scene.coordinateSystem.metersPerUnit / world.lengthOfMeter
    guard abs(factor - 1) > 1e-3 else { return }
    context.warn(
      "\(path): the mesh is in the world \(world.name), which is not at true scale: 'transform scale="
        + "\(NumberText.fixed(1 / world.lengthOfMeter, digits: 4))' makes its unit that of the capture"
    )
  }
}
