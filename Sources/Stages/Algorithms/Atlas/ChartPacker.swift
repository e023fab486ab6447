import MeshPipeline

/// Lays charts out on pages, the largest first, each as high up as it goes.
///
/// Charts are placed by the true shape of their cells on a coarse grid, so that small ones fill the
/// holes between and inside large ones.
struct ChartPacker {
  /// Where a chart lies.
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
    /// The cells of each chart's mask before it was turned.
    var maskSizes: [SIMD2<Int>]
    /// Width and height of each page in cells.
    var pages: [SIMD2<Int>]
  }

  let charts: ChartSet
  let members: ChartMembers
  let options: AtlasOptions
  /// The width of a cell, in texels.
  let cellSize: Int
  private let boxes: [(low: SIMD2<Float>, high: SIMD2<Float>)]

  init(_ charts: ChartSet, options: AtlasOptions) {
    self.charts = charts
    self.options = options
    let members = charts.members
    self.members = members
    cellSize = 4
    boxes = Parallel.map(count: charts.count) { charts.box(of: members[$0]) }
  }

  /// Half the padding, which surrounds every chart.
  var margin: Float { Float(options.padding) / 2 }

  func low(of chart: Int) -> SIMD2<Float> { boxes[chart].low }

  /// Packs at a scale, or returns nil when the pages do not suffice.
  func layout(scale: Float, pageSize: Int, maximumPages: Int) -> Layout? {
    let masks = masks(scale: scale)
    let cells = pageSize / cellSize
    let order = masks.indices.sorted {
      (masks[$1].count, masks[$1].height, $0) < (masks[$0].count, masks[$0].height, $1)
    }
    var pages: [PageOccupancy] = []
    var places = [Place](
      repeating: Place(page: 0, x: 0, y: 0, quarterTurns: 0), count: masks.count)
    var startRows: [SIMD3<Int>: Int] = [:]
    for chart in order {
      let mask = masks[chart]
      guard mask.width <= cells, mask.height <= cells else { return nil }
      let place = place(mask, on: &pages, cells: cells, maximumPages: maximumPages, &startRows)
      guard let place else { return nil }
      places[chart] = place
    }
    return Layout(
      scale: scale, places: places, maskSizes: masks.map { SIMD2($0.width, $0.height) },
      pages: pages.map { SIMD2($0.usedWidth, $0.usedHeight) })
  }

  private func place(
    _ mask: ChartMask, on pages: inout [PageOccupancy], cells: Int, maximumPages: Int,
    _ startRows: inout [SIMD3<Int>: Int]
  ) -> Place? {
    let isBox = mask.count == mask.width * mask.height
    let turns = isBox ? (mask.width == mask.height ? 1 : 2) : 4
    let turned = (0..<turns).map { mask.turned(by: $0) }
    for page in 0..<maximumPages {
      if page == pages.count { pages.append(PageOccupancy(width: cells, height: cells)) }
      var best: Place?
      var limit = cells + 1
      for quarters in 0..<turns {
        let shape = turned[quarters]
        // What a box of this size found no place in has only become fuller since.
        let key = SIMD3(page, shape.width, shape.height)
        let start = isBox ? startRows[key] ?? 0 : 0
        guard let found = pages[page].place(for: shape, from: start, bottomBelow: limit) else {
          continue
        }
        if isBox { startRows[key] = found.y }
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
