/// Lays charts out, and cuts out of them what is folded or overlaps.
struct ChartCutting {
  /// Each round finds what the one before left; in the last ``lonelyRounds`` each face becomes a chart, so that they
  /// end.
  private static let rounds = 8
  private static let lonelyRounds = 3
  /// The share of its faces that a chart must lose to be flattened again: then they had bent it.
  private static let freeingShare = 0.05

  private let surface: ChartSurface
  private let untangling: ChartUntangling
  /// Whether charts are flattened, and not only projected.
  private let flattens: Bool

  init(_ surface: ChartSurface, flattens: Bool) {
    self.surface = surface
    self.flattens = flattens
    untangling = ChartUntangling(surface)
  }

  /// The charts that have grown, in their planes; they may fold and overlap.
  func laidOut(_ growth: ChartGrowth) -> ChartSet {
    var charts = ChartProjection.project(
      surface, chartOfFace: growth.chartOfFace, count: growth.count)
    guard flattens else { return charts }
    // Folded faces would be turned the wrong way.
    _ = untangling.untangle(&charts)
    ChartFlattening.flatten(surface, Array(0..<charts.count), charts.members, in: &charts)
    return charts
  }

  /// Cuts until nothing is folded or overlaps.
  ///
  /// - Parameter scale: Texels per unit, at which faces may overlap.
  func cut(_ charts: inout ChartSet, scale: Float) {
    for round in 1...Self.rounds {
      let folded = folded(in: &charts)
      let misplaced =
        folded.isEmpty ? ChartOverlaps.faces(in: charts, charts.members, scale: scale) : folded
      guard !misplaced.isEmpty else { return }
      let isLate = round > Self.rounds - Self.lonelyRounds
      let separation = charts.separate(
        misplaced, surface.neighbors, oneByOne: isLate || flattens && !folded.isEmpty)
      let members = charts.members
      ChartProjection.project(surface, separation.parts, members, in: &charts)
      guard flattens else { continue }
      let freed = isLate ? [] : freed(by: separation, members)
      ChartFlattening.flatten(surface, freed + separation.parts, members, in: &charts)
    }
  }

  /// The faces that are folded over, and stay so if charts are untangled.
  ///
  /// Untangling stretches what is around a fold: flat charts have few folds, and are left alone.
  private func folded(in charts: inout ChartSet) -> [UInt32] {
    flattens ? untangling.folded(in: charts) : untangling.untangle(&charts)
  }

  /// The charts that lost enough faces to be flattened again, in ascending order.
  private func freed(by separation: ChartSet.Separation, _ members: ChartMembers) -> [Int] {
    var losses: [Int: Int] = [:]
    for chart in separation.origins.values { losses[Int(chart), default: 0] += 1 }
    return losses.filter { chart, loss in
      Double(loss) >= Self.freeingShare * Double(loss + members[chart].count)
    }.keys.sorted()
  }
}
