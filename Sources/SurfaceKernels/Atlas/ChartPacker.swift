import MeshpipeScene

/// Packs charts on pages, the largest first, each as high up as possible.
///
/// Charts are placed by their actual shape on a coarse grid, so that small ones fill holes between
/// and inside large ones.
struct ChartPacker {
  /// The position of a chart.
  struct Place: Sendable {
    var page: Int
    /// The cell of the upper left corner of the chart's mask.
    var x: Int
    var y: Int
    var quarterTurns: Int
  }

  struct Layout: Sendable {
    var scale: Float
    var places: [Place]
    /// The cells of each chart's mask before rotation.
    var maskSizes: [SIMD2<Int>]
    /// Width and height of each page in cells.
    var pages: [SIMD2<Int>]

    var cellCount: Int { pages.reduce(0) { $0 + $1.x * $1.y } }
  }

  enum Attempt {
    case fits(Layout)
    /// The minimum factor in area; 1 if unknown.
    case tooLarge(by: Float)

    var layout: Layout? {
      if case .fits(let layout) = self { layout } else { nil }
    }
  }

  /// Masks with fewer cells are placed below the last one of the same size: there are few holes
  /// left above, and searching them is expensive.
  private static let smallMask = 256
  /// With more charts than this, all are treated so, by size in steps of four cells.
  private static let manyCharts = 1000

  let charts: ChartSet
  let members: ChartMembers
  let options: AtlasOptions
  /// The width of a cell in texels.
  let cellSize: Int
  private let boxes: [(low: SIMD2<Float>, high: SIMD2<Float>)]

  init(_ charts: ChartSet, options: AtlasOptions) {
    self.charts = charts
    self.options = options
    let members = charts.members
    self.members = members
    // A finer grid would cost more time than it saves space.
    cellSize = options.padding < 4 ? 2 : options.pageSize > 4096 ? 8 : 4
    boxes = Parallel.map(count: charts.count) { charts.box(of: members[$0]) }
  }

  /// Half of the padding, which surrounds every chart.
  var margin: Float { Float(options.padding) / 2 }

  func low(of chart: Int) -> SIMD2<Float> { boxes[chart].low }

  /// Packs at a scale.
  func attempt(scale: Float, pageSize: Int, maximumPages: Int) -> Attempt {
    let largest = boxes.reduce(Float(0)) {
      max($0, $1.high.x - $1.low.x, $1.high.y - $1.low.y)
    }
    let excess = (largest * scale + 2 * margin) / Float(pageSize)
    guard excess <= 1 else { return .tooLarge(by: excess * excess) }
    let masks = masks(scale: scale)
    let cells = pageSize / cellSize
    let neededCells = masks.reduce(0) { $0 + $1.count }
    guard neededCells <= cells * cells * maximumPages else {
      return .tooLarge(by: Float(neededCells) / Float(cells * cells * maximumPages))
    }
    let order = masks.indices.sorted {
      (masks[$1].count, masks[$1].height, $0) < (masks[$0].count, masks[$0].height, $1)
    }
    var pages: [PageOccupancy] = []
    var places = [Place](
      repeating: Place(page: 0, x: 0, y: 0, quarterTurns: 0), count: masks.count)
    var startRows: [SIMD3<Int>: Int] = [:]
    for chart in order {
      let mask = masks[chart]
      let place = place(mask, on: &pages, cells: cells, maximumPages: maximumPages, &startRows)
      guard let place else { return .tooLarge(by: 1) }
      places[chart] = place
    }
    return .fits(
      Layout(
        scale: scale, places: places, maskSizes: masks.map { SIMD2($0.width, $0.height) },
        pages: pages.map { SIMD2($0.usedWidth, $0.usedHeight) }))
  }

  private func place(
    _ mask: ChartMask, on pages: inout [PageOccupancy], cells: Int, maximumPages: Int,
    _ startRows: inout [SIMD3<Int>: Int]
  ) -> Place? {
    let isBox = mask.count == mask.width * mask.height
    let turns = isBox ? (mask.width == mask.height ? 1 : 2) : 4
    let areMany = boxes.count > Self.manyCharts
    let remembers = isBox || mask.count < Self.smallMask || areMany
    let step = !isBox && areMany ? 4 : 1
    let turned = (0..<turns).map { mask.turned(by: $0) }
    for page in 0..<maximumPages {
      if page == pages.count { pages.append(PageOccupancy(width: cells, height: cells)) }
      var best: Place?
      var limit = cells + 1
      for quarters in 0..<turns {
        let shape = turned[quarters]
        // Where a box of this size did not fit, it won't fit later either.
        let key = SIMD3(page, shape.width / step * step, shape.height / step * step)
        let start = remembers ? startRows[key] ?? 0 : 0
        guard let found = pages[page].place(for: shape, from: start, bottomBelow: limit) else {
          if remembers, limit > cells { startRows[key] = cells }
          continue
        }
        if remembers { startRows[key] = found.y }
        best = Place(page: page, x: found.x, y: found.y, quarterTurns: quarters)
        limit = found.y + shape.height
      }
      if let best {
        pages[page].take(turned[best.quarterTurns], x: best.x, y: best.y)
        return best
      }
    }
    return nil
  }

  private func masks(scale: Float) -> [ChartMask] {
    Parallel.map(count: charts.count) { chart in
      let (low, high) = boxes[chart]
      var triangles: [SIMD2<Float>] = []
      triangles.reserveCapacity(3 * members[chart].count)
      for face in members[chart] {
        for corner in 3 * Int(face)..<3 * Int(face) + 3 {
          triangles.append((charts.corners[corner] - low) * scale + margin)
        }
      }
      return ChartMask(
        triangles: triangles, size: (high - low) * scale + 2 * margin, margin: margin,
        cellSize: cellSize)
    }
  }
}
