import MeshPipeline

extension ChartPacker {
  /// The layout of the wanted density, or of the highest one at which the charts fit.
  func bestLayout(near wanted: Float) -> Layout? {
    if options.texelsPerUnit != nil, let layout = smallestLayout(scale: wanted) { return layout }
    return largestLayout(near: wanted)
  }

  /// The layout of the largest scale at which the charts fit on the pages, within a percent.
  private func largestLayout(near wanted: Float) -> Layout? {
    func attempt(_ scale: Float) -> Layout? {
      layout(scale: scale, pageSize: options.pageSize, maximumPages: options.maximumPages)
    }
    var scale = wanted
    var best = attempt(scale)
    var tooLarge = scale
    if best == nil {
      for _ in 0..<60 where best == nil {
        tooLarge = scale
        scale *= 0.94
        best = attempt(scale)
      }
    } else if options.texelsPerUnit == nil {
      for _ in 0..<4 {
        tooLarge = scale * 1.05
        guard let layout = attempt(tooLarge) else { break }
        best = layout
        scale = tooLarge
      }
    }
    for _ in 0..<2 where tooLarge > scale * 1.01 {
      let middle = (scale * tooLarge).squareRoot()
      if let layout = attempt(middle) {
        best = layout
        scale = middle
      } else {
        tooLarge = middle
      }
    }
    if var best, options.texelsPerUnit == nil {
      // The pages have the size that was asked for.
      best.pages = best.pages.map { _ in
        SIMD2(repeating: options.pageSize / cellSize)
      }
      return best
    }
    return best
  }

  /// The layout of a given scale on as few texels as possible.
  private func smallestLayout(scale: Float) -> Layout? {
    guard
      let full = layout(
        scale: scale, pageSize: options.pageSize, maximumPages: options.maximumPages)
    else { return nil }
    guard full.pages.count == 1 else { return full }
    let area = full.pages[0].x * full.pages[0].y * cellSize * cellSize
    var best = full
    var size = Int(Float(area).squareRoot()) / cellSize * cellSize
    for _ in 0..<6 where size < options.pageSize {
      guard let smaller = layout(scale: scale, pageSize: size, maximumPages: 1) else {
        size += max(cellSize, size / 32 / cellSize * cellSize)
        continue
      }
      best = smaller
      break
    }
    return best
  }

  /// Draws the charts at their places.
  func atlas(_ layout: Layout, vertices: [UInt32]) -> Atlas {
    let cornerTexels: [SIMD2<Int32>] = Parallel.array(count: charts.corners.count) { corner in
      let chart = charts.chartOfFace[corner / 3]
      guard chart != Atlas.noChart else { return .zero }
      return texel(of: charts.corners[corner], chart: Int(chart), layout)
    }
    var atlas = Atlas(
      pages: layout.pages.map { $0 &* cellSize }, cornerTexels: cornerTexels,
      facePages: charts.chartOfFace.map { chart in
        chart == Atlas.noChart
          ? Atlas.noPage : UInt16(truncatingIfNeeded: layout.places[Int(chart)].page)
      }, faceCharts: charts.chartOfFace, chartCount: charts.count,
      texelsPerUnit: Double(layout.scale), usedShare: 0)
    atlas.dropOverlaps()
    atlas.placeLostFaces(vertices: vertices)
    atlas.measureUse()
    return atlas
  }

  private func texel(of place: SIMD2<Float>, chart: Int, _ layout: Layout) -> SIMD2<Int32> {
    let units = Float(Atlas.unitsPerTexel)
    let local = (place - low(of: chart)) * (layout.scale * units) + margin * units
    let (x, y) = (Int32(local.x.rounded()), Int32(local.y.rounded()))
    let cell = Int32(cellSize) * Atlas.unitsPerTexel
    let place = layout.places[chart]
    let width = Int32(layout.maskSizes[chart].x) * cell
    let height = Int32(layout.maskSizes[chart].y) * cell
    let turned =
      switch place.quarterTurns {
      case 0: SIMD2(x, y)
      case 1: SIMD2(height - y, x)
      case 2: SIMD2(width - x, height - y)
      default: SIMD2(y, width - x)
      }
    return turned &+ SIMD2(Int32(place.x) * cell, Int32(place.y) * cell)
  }
}

extension Atlas {
  /// Takes the place from each face that owns a texel of a face before it.
  ///
  /// Charts are free of overlaps before they are packed; here the last ones go that come from
  /// rounding at another scale.
  fileprivate mutating func dropOverlaps() {
    var maps = pages.map { TexelMap(width: $0.x, height: $0.y) }
    for face in 0..<faceCount where faceCharts[face] != Self.noChart {
      let triangle = TexelTriangle(
        cornerTexels[3 * face], cornerTexels[3 * face + 1], cornerTexels[3 * face + 2])
      guard !maps[Int(facePages[face])].take(triangle) else { continue }
      faceCharts[face] = Self.noChart
      facePages[face] = Self.noPage
    }
  }

  /// Puts the corners of faces without a place on a corner of a face beside them.
  fileprivate mutating func placeLostFaces(vertices: [UInt32]) {
    let vertexCount = vertices.reduce(0) { max($0, Int($1) + 1) }
    var anchors = [UInt32](repeating: .max, count: vertexCount)
    var anyCorner: Int?
    for corner in vertices.indices where faceCharts[corner / 3] != Self.noChart {
      anchors[Int(vertices[corner])] = UInt32(truncatingIfNeeded: corner)
      anyCorner = anyCorner ?? corner
    }
    guard let anyCorner else { return }
    for face in 0..<faceCount where faceCharts[face] == Self.noChart {
      let corners = 3 * face..<3 * face + 3
      let anchor = corners.lazy.map { anchors[Int(vertices[$0])] }.first { $0 != .max }
      let source = anchor.map { Int($0) } ?? anyCorner
      for corner in corners { cornerTexels[corner] = cornerTexels[source] }
      facePages[face] = facePages[source / 3]
    }
  }

  fileprivate mutating func measureUse() {
    var used = 0.0
    for face in 0..<faceCount where faceCharts[face] != Self.noChart {
      let a = SIMD2<Int>(truncatingIfNeeded: cornerTexels[3 * face])
      let ab = SIMD2<Int>(truncatingIfNeeded: cornerTexels[3 * face + 1]) &- a
      let ac = SIMD2<Int>(truncatingIfNeeded: cornerTexels[3 * face + 2]) &- a
      used += Double(abs(ab.x * ac.y - ab.y * ac.x)) / 2
    }
    let room = pages.reduce(0) { $0 + $1.x * $1.y } * Int(Self.unitsPerTexel * Self.unitsPerTexel)
    usedShare = room > 0 ? used / Double(room) : 0
  }
}
