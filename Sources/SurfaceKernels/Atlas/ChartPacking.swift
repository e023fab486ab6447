import MeshpipeScene

/// Charts, cut to sizes that pack well, and their layout.
struct ChartPacking {
  let packer: ChartPacker
  let layout: ChartPacker.Layout

  /// The candidate limits of chart length, as fractions of a page; each cut costs a seam.
  private static let chartLengths: [Float] = [0.98, 0.7, 0.5, 0.4, 0.32, 0.25]
  /// The page coverage beyond which no further cuts are tried.
  private static let goodUse = 0.8
  /// The least length of a piece as a fraction of a page: smaller ones would consist mostly of padding.
  private static let leastChartLength: Float = 0.1
  /// The growth of the density that is worth the seams of cuts.
  private static let worthwhileGrowth: Float = 1.05
  /// The factor by which texels have to shrink, at the same density, for the same.
  private static let worthwhileShrinking = 0.9

  /// The packing with the highest density up to the requested one, on the fewest texels.
  ///
  /// A few large charts can waste much of a page; they are cut if that gains at least a twentieth
  /// of the density or a tenth of the texels.
  static func best(
    _ charts: ChartSet, near wanted: Float, _ options: AtlasOptions, mayCut: Bool
  ) -> ChartPacking? {
    let area = charts.totalArea
    var best: ChartPacking?
    var tried = 0
    for length in mayCut ? chartLengths : [.infinity] {
      let limit = length * Float(options.pageSize) - 2 * Float(options.padding)
      guard limit > leastChartLength * Float(options.pageSize) else { break }
      var cut = charts.cut(longerThan: limit / wanted, charts.members)
      guard cut.count > tried else { continue }
      tried = cut.count
      if cut.count > charts.count, options.turnsCharts {
        cut = cut.turnedToSmallestBoxes(cut.members)
      }
      let packer = ChartPacker(cut, options: options)
      let start = options.texelsPerUnit == nil ? best?.layout.scale ?? wanted : wanted
      guard let layout = packer.bestLayout(near: start) else { continue }
      let packing = ChartPacking(packer: packer, layout: layout)
      if best.map(packing.isWorthItsCuts(against:)) ?? true { best = packing }
      guard let best, best.use(area: area) < goodUse else { break }
    }
    return best
  }

  private func isWorthItsCuts(against other: ChartPacking) -> Bool {
    if layout.scale > Self.worthwhileGrowth * other.layout.scale { return true }
    return layout.scale >= other.layout.scale
      && Double(layout.cellCount) < Self.worthwhileShrinking * Double(other.layout.cellCount)
  }

  /// The share of the pages' texels covered by charts of an area.
  private func use(area: Double) -> Double {
    let texels = Double(layout.cellCount * packer.cellSize * packer.cellSize)
    return area * Double(layout.scale) * Double(layout.scale) / max(texels, 1)
  }
}
