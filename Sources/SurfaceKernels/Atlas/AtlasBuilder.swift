package import MeshpipeScene

/// Lays out the faces of a mesh on the pages of a texture.
package enum AtlasBuilder {
  /// Rounds of cutting charts that the caller has laid out, which overlap but do not fold; in the last each face becomes
  /// a chart.
  private static let separatingRounds = 6
  /// The share of a page that charts are expected to cover: what packing reaches on scans.
  private static let expectedUse = 0.8

  /// Divides a mesh into nearly flat charts and packs them.
  ///
  /// Faces that share positions are neighbours, whether or not they share vertices. Charts are regions of faces
  /// with similar normals (``ChartGrowth``), laid out in the plane and cut further where needed (``ChartCutting``).
  ///
  /// - Parameter indices: Three vertices per face, each below `positions.count`.
  /// - Throws: ``AtlasError`` if there are too many charts for the pages.
  package static func unwrapped(
    positions: [Vector3], indices: [UInt32], options: AtlasOptions
  ) throws(AtlasError) -> Atlas {
    let surface = ChartSurface(
      positions: positions, indices: indices, regions: options.regions)
    let cutting = ChartCutting(surface, flattens: options.flattensCharts)
    var charts = cutting.laidOut(ChartGrowth(surface))
    cutting.cut(&charts, scale: likelyScale(charts, options))
    if !options.detail.isEmpty { charts.scale(byDetail: options.detail) }
    return try packed(charts, vertices: surface.vertices, options: options)
  }

  /// Packs charts that the caller has parameterised.
  ///
  /// - Parameters:
  ///   - indices: Three vertices per face.
  ///   - chartOfFace: A chart for each face, below `chartCount`, or ``Atlas/noChart``.
  ///   - corners: The position of each corner in its chart, in units of
  ///     ``AtlasOptions/texelsPerUnit``; with a density of 1 they are texels.
  /// - Throws: ``AtlasError`` if there are too many charts for the pages.
  package static func packed(
    indices: [UInt32], chartOfFace: [UInt32], chartCount: Int, corners: [SIMD2<Float>],
    options: AtlasOptions
  ) throws(AtlasError) -> Atlas {
    precondition(
      corners.count == indices.count && chartOfFace.count * 3 == indices.count,
      "a place for each corner and a chart for each face")
    var charts = ChartSet(chartOfFace: chartOfFace, count: chartCount, corners: corners)
    for face in chartOfFace.indices {
      let area = charts.area(ofFace: face)
      if !(area > 0 && area.isFinite) { charts.chartOfFace[face] = Atlas.noChart }
    }
    let scale = likelyScale(charts, options)
    let neighbors = ChartSurface.neighbors(
      vertices: indices, vertexCount: indices.reduce(0) { max($0, Int($1) + 1) },
      areas: chartOfFace.indices.map { Float(charts.area(ofFace: $0)) })
    for round in 1...separatingRounds {
      let overlapping = ChartOverlaps.faces(in: charts, charts.members, scale: scale)
      guard !overlapping.isEmpty else { break }
      _ = charts.separate(overlapping, neighbors, oneByOne: round == separatingRounds)
    }
    return try packed(charts, vertices: indices, options: options)
  }

  /// The scale at which charts are checked for overlaps, before the packing scale is known.
  private static func likelyScale(_ charts: ChartSet, _ options: AtlasOptions) -> Float {
    let area = charts.totalArea
    let room = Double(options.pageSize * options.pageSize * options.maximumPages)
    let largest = area > 0 ? (expectedUse * room / area).squareRoot() : 1
    return Float(min(options.texelsPerUnit ?? largest, largest))
  }

  /// Packs charts that are free of overlaps at approximately the final scale.
  private static func packed(
    _ charts: ChartSet, vertices: [UInt32], options: AtlasOptions
  ) throws(AtlasError) -> Atlas {
    guard charts.chartOfFace.contains(where: { $0 != Atlas.noChart }) else {
      return Atlas.empty(faceCount: charts.chartOfFace.count)
    }
    var (charts, scale, options) = (charts.compacted(), likelyScale(charts, options), options)
    if options.turnsCharts { charts = charts.turnedToSmallestBoxes(charts.members) }
    var mayCut = true
    for round in 0..<3 {
      var packing = ChartPacking.best(charts, near: scale, options, mayCut: mayCut)
      while packing == nil, options.padding > 1 {
        // The padding of this many charts fills the pages.
        options.padding /= 2
        packing = ChartPacking.best(charts, near: scale, options, mayCut: mayCut)
      }
      guard let packing else { break }
      var atlas = packing.packer.atlas(packing.layout)
      let overlapping = atlas.overlappingFaces()
      guard !overlapping.isEmpty, round < 2 else {
        atlas.finish(without: overlapping, vertices: vertices)
        return atlas
      }
      // Rounding at this scale made faces overlap: they get charts of their own.
      (charts, scale) = (packing.packer.charts, packing.layout.scale)
      let alone: [UInt32] = []
      _ = charts.separate(overlapping, alone, oneByOne: true)
      charts = charts.compacted()
      mayCut = false
    }
    throw .tooManyCharts(
      count: charts.count, pageSize: options.pageSize, maximumPages: options.maximumPages)
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
