import Foundation

/// How well the buildings of many scans agree with the made-up ones, as a row of a table.
package struct PlanAccuracy {
  package let name: String
  package var comparisons: [BuildingComparison] = []

  package init(_ name: String) { self.name = name }

  /// Whether a length is within 1 cm or .3 % of the truth.
  package static func isGood(_ pair: BuildingComparison.Pair) -> Bool {
    pair.error <= max(0.01, 0.003 * pair.truth)
  }

  private func share(
    _ list: KeyPath<BuildingComparison, [BuildingComparison.Pair]>, _ name: String? = nil,
    where isGood: (BuildingComparison.Pair) -> Bool = isGood
  ) -> String {
    let pairs = comparisons.flatMap { $0[keyPath: list] }.filter { name == nil || $0.name == name }
    guard !pairs.isEmpty else { return "–" }
    return String(format: "%.1f", 100 * Double(pairs.count(where: isGood)) / Double(pairs.count))
  }

  private func sum(_ count: (BuildingComparison) -> Int) -> Int {
    comparisons.reduce(0) { $0 + count($1) }
  }

  /// The heads of the columns, as a table of Markdown.
  package static let head = """
    | plan | sides | widths | sills | heights | areas | storeys | floors | thickness | stairs | ± covers | rooms, sides, openings missed | rooms, openings invented |
    |---|---|---|---|---|---|---|---|---|---|---|---|---|
    """

  /// Per cent of dimensions that are good, of areas within 1 %, and of truths within the stated ±.
  package var row: String {
    let cells = [
      name, share(\.sides), share(\.openingSizes, "width"), share(\.openingSizes, "sill"),
      share(\.openingSizes, "opening height"), share(\.areas) { $0.error <= 0.01 * $0.truth },
      share(\.heights), share(\.floors), share(\.thicknesses), share(\.stairSizes),
      share(\.dimensions) { $0.isCovered },
      "\(sum { $0.missedRooms }), \(sum { $0.missedSides }), \(sum { $0.missedOpenings.count })",
      "\(sum { $0.inventedRooms }), \(sum { $0.inventedOpenings.count })",
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }

  /// A line for each dimension that is not good or not covered, and for each opening that is missed or invented.
  package static func faults(_ found: BuildingComparison) -> [String] {
    let pairs = (found.dimensions + found.floors).filter { pair in
      !pair.isCovered || (pair.name != "area" && !isGood(pair))
    }
    let lines = pairs.map { pair in
      String(
        format: "%@ of %.3f found as %.3f ± %.4f, %.4f off", pair.name, pair.truth,
        pair.found.value, pair.found.uncertainty ?? 0, pair.found.value - pair.truth)
    }
    let sides = found.missedSides > 0 ? ["\(found.missedSides) sides missed"] : []
    return lines + found.stairFaults + sides + found.missedOpenings.map { "missed \($0)" }
      + found.inventedOpenings.map { "invented \($0)" }
  }
}
