/// Statistics of how well frames see some points of a surface that represent equal areas.
package struct CoverageFigures: Sendable, Equatable {
  /// The area that a point represents, in square metres.
  let areaPerSample: Double
  /// The number of points seen by 0, 1, 2, and 3 or more frames.
  package private(set) var counts = [0, 0, 0, 0]
  /// The pixels per metre of the seen points.
  private var resolutions: [Float] = []

  /// Figures of no points.
  init(areaPerSample: Double) { self.areaPerSample = areaPerSample }

  /// The number of points.
  package var total: Int { counts.reduce(0, +) }
  /// The area of all points, in square metres.
  package var area: Double { Double(total) * areaPerSample }
  /// The area that no frame sees, in square metres.
  package var unseenArea: Double { Double(counts[0]) * areaPerSample }

  /// The resolutions that some shares of the seen points are below, in pixels per metre; nil if no
  /// point is seen.
  package func resolutions(ofShares shares: [Double]) -> [Float]? {
    guard !resolutions.isEmpty else { return nil }
    let sorted = resolutions.sorted()
    return shares.map { sorted[Int($0 * Double(sorted.count - 1))] }
  }

  mutating func add(views: Int, resolution: Float) {
    counts[min(views, 3)] += 1
    if views > 0 { resolutions.append(resolution) }
  }
}

/// The figures of a surface, in total and by class.
package struct CoverageByClass: Sendable, Equatable {
  /// The figures of one class.
  package struct Part: Sendable, Equatable {
    package var name: String
    package var figures: CoverageFigures
  }

  /// The figures of all points.
  package private(set) var all: CoverageFigures
  /// In the order of their first faces; nil if there are no classes.
  package private(set) var parts: [Part]?

  /// - Parameters:
  ///   - firstSample: The start of the samples in `coverage`.
  ///   - classes: The class name of each face; nil if there are no classes.
  package init(
    _ coverage: PointCoverage, of samples: SurfaceSamples, firstSample: Int, classes: [String?]?
  ) {
    let none = CoverageFigures(areaPerSample: samples.areaPerSample)
    all = none
    var parts: [Part] = []
    var places: [String: Int] = [:]
    for sample in 0..<samples.count {
      let views = Int(coverage.views[firstSample + sample])
      let resolution = coverage.resolutions[firstSample + sample]
      all.add(views: views, resolution: resolution)
      guard let classes else { continue }
      let name = classes[Int(samples.faces[sample])] ?? "none"
      let index = places[name] ?? parts.count
      if index == parts.count {
        parts.append(Part(name: name, figures: none))
        places[name] = index
      }
      parts[index].figures.add(views: views, resolution: resolution)
    }
    if classes != nil { self.parts = parts }
  }
}
