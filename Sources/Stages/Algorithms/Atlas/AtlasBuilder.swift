import MeshPipeline

/// Lays the faces of a mesh out on the pages of a texture.
enum AtlasBuilder {
  /// Divides a mesh into nearly flat charts and packs them.
  ///
  /// Faces are neighbours where they share positions, whether or not they share vertices.
  ///
  /// - Parameter indices: Three vertices per face, each below `positions.count`.
  /// - Throws: ``AtlasError`` when there are too many charts for the pages.
  static func unwrapped(
    positions: [Vector3], indices: [UInt32], options: AtlasOptions = AtlasOptions()
  ) throws(AtlasError) -> Atlas {
    let surface = ChartSurface(positions: positions, indices: indices)
    let growth = ChartGrowth(surface)
    var chartOfFace = growth.chartOfFace
    var count = growth.count
    var charts = ChartProjection.project(surface, chartOfFace: chartOfFace, count: count)
    let scale = likelyScale(charts, options)
    for round in 0..<6 {
      let overlapping = ChartOverlaps.faces(in: charts, charts.members, scale: scale)
      guard !overlapping.isEmpty else { break }
      separate(
        overlapping, into: &chartOfFace, &count, surface.neighbors, oneByOne: round == 5)
      charts = ChartProjection.project(surface, chartOfFace: chartOfFace, count: count)
    }
    return try packed(charts, vertices: surface.vertices, options: options)
  }

  /// Packs charts that the caller has drawn.
  ///
  /// - Parameters:
  ///   - indices: Three vertices per face.
  ///   - chartOfFace: A chart for each face, below `chartCount`, or ``Atlas/noChart``.
  ///   - corners: The place of each corner in its chart, in units of ``AtlasOptions/texelsPerUnit``;
  ///     where a density of 1 is asked for, they are texels.
  /// - Throws: ``AtlasError`` when there are too many charts for the pages.
  static func packed(
    indices: [UInt32], chartOfFace: [UInt32], chartCount: Int, corners: [SIMD2<Float>],
    options: AtlasOptions = AtlasOptions()
  ) throws(AtlasError) -> Atlas {
    precondition(
      corners.count == indices.count && chartOfFace.count * 3 == indices.count,
      "a place for each corner and a chart for each face")
    var charts = ChartSet(chartOfFace: chartOfFace, count: chartCount, corners: corners)
    for face in chartOfFace.indices where !(charts.area(ofFace: face) > 0) {
      charts.chartOfFace[face] = Atlas.noChart
    }
    let scale = likelyScale(charts, options)
    let neighbors = [UInt32](repeating: ChartSurface.none, count: indices.count)
    for round in 0..<6 {
      let overlapping = ChartOverlaps.faces(in: charts, charts.members, scale: scale)
      guard !overlapping.isEmpty else { break }
      separate(
        overlapping, into: &charts.chartOfFace, &charts.count, neighbors, oneByOne: round == 5)
    }
    return try packed(charts, vertices: indices, options: options)
  }

  /// The scale at which charts are checked for overlaps, before it is known at which they fit.
  private static func likelyScale(_ charts: ChartSet, _ options: AtlasOptions) -> Float {
    let area = (0..<charts.chartOfFace.count).reduce(0.0) { sum, face in
      charts.chartOfFace[face] == Atlas.noChart ? sum : sum + charts.area(ofFace: face)
    }
    let room = Double(options.pageSize * options.pageSize * options.maximumPages)
    let largest = area > 0 ? (0.8 * room / area).squareRoot() : 1
    return Float(min(options.texelsPerUnit ?? largest, largest))
  }

  /// Puts faces into charts of their own, together with those neighbours that go there too.
  private static func separate(
    _ faces: [UInt32], into chartOfFace: inout [UInt32], _ count: inout Int,
    _ neighbors: [UInt32], oneByOne: Bool
  ) {
    let pending = UInt32.max - 1
    var oldCharts: [UInt32: UInt32] = [:]
    for face in faces {
      oldCharts[face] = chartOfFace[Int(face)]
      chartOfFace[Int(face)] = pending
    }
    for face in faces where chartOfFace[Int(face)] == pending {
      let chart = UInt32(truncatingIfNeeded: count)
      count += 1
      var stack = [face]
      chartOfFace[Int(face)] = chart
      while let face = stack.popLast(), !oneByOne {
        for corner in 3 * Int(face)..<3 * Int(face) + 3 {
          let neighbor = neighbors[corner]
          guard neighbor != ChartSurface.none, chartOfFace[Int(neighbor)] == pending,
            oldCharts[neighbor] == oldCharts[face]
          else { continue }
          chartOfFace[Int(neighbor)] = chart
          stack.append(neighbor)
        }
      }
    }
  }

  private static func packed(
    _ charts: ChartSet, vertices: [UInt32], options: AtlasOptions
  ) throws(AtlasError) -> Atlas {
    guard charts.count > 0 else { return Atlas.empty(faceCount: charts.chartOfFace.count) }
    var charts = charts
    if options.turnsCharts { charts = charts.turnedToSmallestBoxes(charts.members) }
    let wanted = likelyScale(charts, options)
    let limit = (Float(options.pageSize) - 2 * Float(options.padding)) / (1.05 * wanted)
    let cut = charts.cut(longerThan: limit, charts.members)
    if cut.count > charts.count {
      charts = options.turnsCharts ? cut.turnedToSmallestBoxes(cut.members) : cut
    }
    let packer = ChartPacker(charts, options: options)
    guard let layout = packer.bestLayout(near: wanted) else {
      throw .tooManyCharts(
        count: charts.count, pageSize: options.pageSize, maximumPages: options.maximumPages)
    }
    return packer.atlas(layout, vertices: vertices)
  }
}

extension Atlas {
  fileprivate static func empty(faceCount: Int) -> Atlas {
    Atlas(
      pages: [], cornerTexels: Array(repeating: .zero, count: 3 * faceCount),
      facePages: Array(repeating: noPage, count: faceCount),
      faceCharts: Array(repeating: noChart, count: faceCount), chartCount: 0, texelsPerUnit: 0,
      usedShare: 0)
  }
}
