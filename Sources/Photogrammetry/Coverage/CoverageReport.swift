package import MeshPipeline
import SurfaceKernels

extension Scene {
  /// The class name of each face of all meshes, nil where a mesh has no classes; nil if none has.
  package var classNames: [String?]? {
    guard meshes.contains(where: { $0.classes != nil }) else { return nil }
    return meshes.flatMap { mesh in
      guard let classes = mesh.classes else {
        return [String?](repeating: nil, count: mesh.faceCount)
      }
      return classes.labels.map { classes.names[Int($0)] }
    }
  }
}

/// The figures of a coverage report, from points that represent equal areas.
package struct CoverageReport {
  let samples: SurfaceSamples
  /// The start of the samples in `coverage`.
  let firstSample: Int
  let coverage: PointCoverage
  /// The class name of each face; nil if there are no classes.
  let classes: [String?]?

  package init(
    samples: SurfaceSamples, firstSample: Int, coverage: PointCoverage, classes: [String?]?
  ) {
    self.samples = samples
    self.firstSample = firstSample
    self.coverage = coverage
    self.classes = classes
  }

  /// The statistics of some points.
  struct Figures {
    /// The number of points seen by 0, 1, 2, and 3 or more frames.
    var counts = [0, 0, 0, 0]
    /// The pixels per metre of the seen points.
    var resolutions: [Float] = []

    var total: Int { counts.reduce(0, +) }

    mutating func add(views: Int, resolution: Float) {
      counts[min(views, 3)] += 1
      if views > 0 { resolutions.append(resolution) }
    }

    func json(areaPerSample: Double) -> JSONValue {
      let sorted = resolutions.sorted()
      func percentile(_ share: Double) -> JSONValue {
        guard !sorted.isEmpty else { return JSONValue(.null) }
        return Double(sorted[Int(share * Double(sorted.count - 1))].rounded()).json
      }
      func share(_ count: Int) -> JSONValue {
        (Double(10_000 * count / max(total, 1)) / 10_000).json
      }
      return [
        "area": Self.rounded(Double(total) * areaPerSample),
        "unseenArea": Self.rounded(Double(counts[0]) * areaPerSample),
        "seenBy": [
          "0": share(counts[0]), "1": share(counts[1]), "2": share(counts[2]),
          "3+": share(counts[3]),
        ],
        "resolution": ["10%": percentile(0.1), "50%": percentile(0.5), "90%": percentile(0.9)],
      ]
    }

    private static func rounded(_ area: Double) -> JSONValue {
      ((area * 1000).rounded() / 1000).json
    }
  }

  /// The figures of all points, and of each class in the order of its first face.
  func figures() -> (all: Figures, classes: [(name: String, figures: Figures)]) {
    var all = Figures()
    var byClass: [(name: String, figures: Figures)] = []
    var places: [String: Int] = [:]
    for sample in 0..<samples.count {
      let views = Int(coverage.views[firstSample + sample])
      let resolution = coverage.resolutions[firstSample + sample]
      all.add(views: views, resolution: resolution)
      guard let classes else { continue }
      let name = classes[Int(samples.faces[sample])] ?? "none"
      let place = places[name] ?? byClass.count
      if place == byClass.count {
        byClass.append((name, Figures()))
        places[name] = place
      }
      byClass[place].figures.add(views: views, resolution: resolution)
    }
    return (all, byClass)
  }

  /// Adds the figures to the report: areas in square metres, resolutions in pixels per metre.
  package func write(to context: StageContext) {
    let (all, byClass) = figures()
    context.note("coverage", all.json(areaPerSample: samples.areaPerSample))
    guard classes != nil else { return }
    context.note(
      "coverageByClass",
      JSONValue(
        .object(
          byClass.map { .init($0.name, $0.figures.json(areaPerSample: samples.areaPerSample)) })))
  }
}
