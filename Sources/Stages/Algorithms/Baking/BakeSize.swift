import MeshPipeline

/// How large a texture has to be to hold what the frames show.
enum BakeSize {
  /// Texels per metre that hold the best view of three quarters of the seen surface.
  ///
  /// Nil when no frame sees anything.
  static func density(_ blending: FrameBlending) -> Float? {
    let cells = blending.cells
    let table = blending.table
    let best: [Float] = Parallel.array(count: table.vertexCount) { vertex in
      var best: Float = 0
      for index in table.range(of: vertex) {
        let sighting = table.views[index].sighting
        if sighting.trust > 0.2 { best = max(best, sighting.resolution) }
      }
      return best
    }
    // By area: a histogram in steps of 5 %.
    var areas = [Double](repeating: 0, count: 400)
    for cell in 0..<cells.cellCount {
      let (a, b, c) = cells.vertices(ofCell: cell)
      let resolution = (best[a] + best[b] + best[c]) / 3
      let area = cells.area(ofCell: cell)
      guard resolution > 0, area.isFinite else { continue }
      var (bin, value) = (0, resolution)
      while value > 1, bin < 399 {
        value /= 1.05
        bin += 1
      }
      areas[bin] += area
    }
    let total = areas.reduce(0, +)
    guard total > 0 else { return nil }
    var (sum, density) = (0.0, Float(1))
    for area in areas {
      sum += area
      if sum >= 0.75 * total { break }
      density *= 1.05
    }
    return density
  }

  /// The power of two, 256…8192, for pages that hold `area` at a density.
  static func pageSize(area: Double, texelsPerUnit: Double, pages: Int) -> Int {
    let texels = (area * texelsPerUnit * texelsPerUnit / (0.8 * Double(pages))).squareRoot()
    var size = 256
    // The nearest in steps of doubling: a third too coarse beats four times too large.
    while size < 8192, Double(size) * 1.25 < texels { size *= 2 }
    return size
  }
}

extension CellSurface {
  func area(ofCell cell: Int) -> Double {
    let (a, b, c) = vertices(ofCell: cell)
    let origin = positions[a].simd
    return Double((positions[b].simd - origin).cross(positions[c].simd - origin).length) / 2
  }

  /// The area of all cells, in squared units; cells that are not finite have none.
  var area: Double {
    (0..<cellCount).reduce(0) { sum, cell in
      let area = area(ofCell: cell)
      return area.isFinite ? sum + area : sum
    }
  }
}
