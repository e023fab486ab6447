import MeshpipeScene

extension ChartPacker {
  /// The steps by which the scale grows while everything fits, and their number: the first guess is rarely further off.
  private static let growth: (factor: Float, steps: Int) = (1.05, 4)
  /// Scales are halved in between until they are this near, at most ``bisections`` times.
  private static let precision: Float = 1.01
  private static let bisections = 2
  /// The least step by which a scale that does not fit shrinks.
  private static let shrinking: Float = 0.94
  /// The texels per chart below which only padding is left to fit, with padding and without.
  private static let fewestTexels = (padded: 4.0, unpadded: 0.25)

  /// The layout at the requested density, or at the highest one that fits.
  func bestLayout(near wanted: Float) -> Layout? {
    if options.texelsPerUnit != nil, let layout = smallestLayout(scale: wanted) { return layout }
    return largestLayout(near: wanted)
  }

  /// The layout at the largest scale at which the charts fit on the pages, within one percent.
  private func largestLayout(near wanted: Float) -> Layout? {
    func attempt(_ scale: Float) -> Attempt {
      self.attempt(
        scale: scale, pageSize: options.pageSize, maximumPages: options.maximumPages)
    }
    guard var (best, tooLarge) = firstFit(near: wanted, attempt) else { return nil }
    let isDensityGiven = options.texelsPerUnit != nil
    if tooLarge == nil, !isDensityGiven {
      for _ in 0..<Self.growth.steps where tooLarge == nil {
        let larger = best.scale * Self.growth.factor
        if let layout = attempt(larger).layout { best = layout } else { tooLarge = larger }
      }
    }
    for _ in 0..<Self.bisections {
      guard let limit = tooLarge, limit > best.scale * Self.precision else { break }
      let middle = (best.scale * limit).squareRoot()
      if let layout = attempt(middle).layout { best = layout } else { tooLarge = middle }
    }
    if !isDensityGiven {
      // The pages have the requested size.
      best.pages = best.pages.map { _ in SIMD2(repeating: options.pageSize / cellSize) }
    }
    return best
  }

  /// The first layout found while scaling down, and the previous scale, which was too large.
  private func firstFit(
    near wanted: Float, _ attempt: (Float) -> Attempt
  ) -> (best: Layout, tooLarge: Float?)? {
    var scale = wanted
    var tooLarge: Float?
    let perChart = options.padding > 1 ? Self.fewestTexels.padded : Self.fewestTexels.unpadded
    let fewest = Double(charts.count) * perChart
    let least = Float((fewest / max(charts.totalArea, 1e-30)).squareRoot())
    while scale >= least {
      switch attempt(scale) {
      case .fits(let layout): return (layout, tooLarge)
      case .tooLarge(let factor):
        tooLarge = scale
        scale *= min(Self.shrinking, 1 / factor.squareRoot())
      }
    }
    return nil
  }

  /// The layout at a given scale on as few texels as possible.
  private func smallestLayout(scale: Float) -> Layout? {
    guard
      let full = attempt(
        scale: scale, pageSize: options.pageSize, maximumPages: options.maximumPages
      ).layout
    else { return nil }
    guard full.pages.count == 1 else { return full }
    let area = full.pages[0].x * full.pages[0].y * cellSize * cellSize
    var best = full
    var size = Int(Float(area).squareRoot()) / cellSize * cellSize
    for _ in 0..<6 where size < options.pageSize {
      guard let smaller = attempt(scale: scale, pageSize: size, maximumPages: 1).layout else {
        size += max(cellSize, size / 32 / cellSize * cellSize)
        continue
      }
      best = smaller
      break
    }
    return best
  }

  /// Places the charts.
  func atlas(_ layout: Layout) -> Atlas {
    let cornerTexels: [SIMD2<Int32>] = Parallel.array(count: charts.corners.count) { corner in
      let chart = charts.chartOfFace[corner / 3]
      guard chart != Atlas.noChart else { return .zero }
      return texel(of: charts.corners[corner], chart: Int(chart), layout)
    }
    return Atlas(
      pages: layout.pages.map { $0 &* cellSize }, cornerTexels: cornerTexels,
      facePages: charts.chartOfFace.map { chart in
        chart == Atlas.noChart
          ? Atlas.noPage : UInt16(truncatingIfNeeded: layout.places[Int(chart)].page)
      }, faceCharts: charts.chartOfFace, chartCount: charts.count,
      texelsPerUnit: Double(layout.scale), usedShare: 0, padding: options.padding)
  }

  private func texel(of position: SIMD2<Float>, chart: Int, _ layout: Layout) -> SIMD2<Int32> {
    let units = Float(Atlas.unitsPerTexel)
    let local = (position - low(of: chart)) * (layout.scale * units)
    let margin = Int32(self.margin * units)
    let (x, y) = (Int32(local.x.rounded()) + margin, Int32(local.y.rounded()) + margin)
    let cell = Int32(cellSize) * Atlas.unitsPerTexel
    let position = layout.places[chart]
    let width = Int32(layout.maskSizes[chart].x) * cell
    let height = Int32(layout.maskSizes[chart].y) * cell
    let turned =
      switch position.quarterTurns {
      case 0: SIMD2(x, y)
      case 1: SIMD2(height - y, x)
      case 2: SIMD2(width - x, height - y)
      default: SIMD2(y, width - x)
      }
    return turned &+ SIMD2(Int32(position.x) * cell, Int32(position.y) * cell)
  }
}
