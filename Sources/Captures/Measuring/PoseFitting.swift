public import MeshPipeline

/// Measures how the cameras of a capture fit the mesh, and tells when another reading of their poses
/// would fit better.
///
/// The depth maps are compared with what rays from the cameras meet: on a real corridor the right one of
/// the eight conventions put 85 % of the depths within 5 cm of the mesh, the next 40 %. Without depth
/// maps there is only the question whether the cameras see the mesh at all.
public enum PoseFitting: CaptureFitting {
  /// What another reading must be better by.
  private static let margin = 0.2
  /// A fit below this is none.
  private static let poor = 0.25

  public static func fit(
    _ scan: inout CapturedScan, to scene: Scene, path: String, in context: CaptureReadingContext
  ) throws {
    guard let probe = try MeshProbe(scan.capture, scene, context), !probe.views.isEmpty else {
      return
    }
    let unit = scene.coordinateSystem.metersPerUnit
    var score = probe.score(probe.poses(of: scan), metersPerUnit: unit)
    for world in scan.worlds {
      var other = probe.excerpt(of: scan)
      other.move(by: world.transform)
      let otherScore = probe.score(other.capture.frames.map(\.pose), metersPerUnit: unit)
      // Whoever stands in the wrong world sees less of a room, for he may stand outside it.
      guard otherScore.depth ?? otherScore.hits > (score.depth ?? score.hits) + margin / 2 else {
        continue
      }
      score = otherScore
      scan.move(by: world.transform)
      context.report("framesWorld", JSONValue(.string(world.name)))
      break
    }
    report(score, context)
    if score.value < 0.75, let better = better(than: score, scan, scene, probe) {
      return context.warn(
        "\(path): the frames fit the mesh better with \(better.option): then "
          + "\(words(better.score)), as it is \(percent(score)) %")
    }
    tellPoorFit(score, path, context)
  }

  private static func report(_ score: MeshProbe.Score, _ context: CaptureReadingContext) {
    if let depth = score.depth {
      context.report("framesDepthOnMesh", JSONValue(.number((depth * 1000).rounded() / 1000)))
    }
    context.report("framesSeeingMesh", JSONValue(.number((score.seeing * 1000).rounded() / 1000)))
  }

  private static func tellPoorFit(
    _ score: MeshProbe.Score, _ path: String, _ context: CaptureReadingContext
  ) {
    if score.seeing == 0 {
      context.warn(
        "\(path): no frame sees the mesh: the cameras stand elsewhere, or look elsewhere; are they of "
          + "another scan?")
    } else if let depth = score.depth, depth < poor {
      context.warn(
        "\(path): the frames hardly fit the mesh: \(words(score)); are they of another scan?")
    }
  }

  private static func words(_ score: MeshProbe.Score) -> String {
    score.depth == nil
      ? "\(percent(score)) % of the frames see it"
      : "\(percent(score)) % of the measured depths lie on it"
  }

  private static func percent(_ score: MeshProbe.Score) -> Int {
    Int((score.value * 100).rounded())
  }

  // MARK: Other readings

  private typealias Reading = (option: String, score: MeshProbe.Score)

  /// The reading that fits clearly better than the present one, when there is one.
  private static func better(
    than score: MeshProbe.Score, _ scan: CapturedScan, _ scene: Scene, _ probe: MeshProbe
  ) -> Reading? {
    let readings =
      conventions(scan, scene, probe) + systems(scan, scene, probe)
    // Of equal ones the first, which departs least.
    guard let best = readings.max(by: { $0.score.value < $1.score.value }) else { return nil }
    let first = readings.first { $0.score.value >= best.score.value - 0.02 } ?? best
    // Without depths any camera in a room sees the room: nothing but blindness tells.
    let isTelling = score.depth != nil || score.seeing < 0.1
    return isTelling && first.score.value > max(score.value + margin, 0.5) ? first : nil
  }

  private static func conventions(
    _ scan: CapturedScan, _ scene: Scene, _ probe: MeshProbe
  ) -> [Reading] {
    guard let back = scan.placement.inverse else { return [] }
    return PoseConvention.all.filter { $0 != scan.convention }.map { convention in
      var other = probe.excerpt(of: scan)
      other.move(by: back)
      other.reread(as: convention)
      other.move(by: scan.placement)
      let score = probe.score(
        other.capture.frames.map(\.pose), metersPerUnit: scene.coordinateSystem.metersPerUnit)
      return ("--frames-convention \(convention.text)", score)
    }
  }

  /// The mesh with another axis upwards or in another unit.
  private static func systems(
    _ scan: CapturedScan, _ scene: Scene, _ probe: MeshProbe
  ) -> [Reading] {
    guard let back = scan.placement.inverse else { return [] }
    let present = scene.coordinateSystem
    let units: [(String, Double)] = [
      ("m", 1), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254), ("ft", 0.3048),
    ]
    var readings: [Reading] = []
    for up in [present.up, .y, .z] {
      for (name, unit) in units {
        let system = present.reread(up: up, metersPerUnit: unit)
        guard system != present, up != present.up || unit != present.metersPerUnit else { continue }
        var options: [String] = []
        if up != present.up { options.append("--input-up \(up.rawValue)") }
        if unit != present.metersPerUnit { options.append("--input-unit \(name)") }
        var other = probe.excerpt(of: scan)
        other.move(by: (scan.coordinateSystem ?? .arkit).transform(to: system) * back)
        let score = probe.score(other.capture.frames.map(\.pose), metersPerUnit: unit)
        readings.append((options.joined(separator: " "), score))
      }
    }
    return readings
  }
}

extension MeshProbe {
  /// The frames of the views alone.
  func excerpt(of scan: CapturedScan) -> CapturedScan {
    var excerpt = scan
    excerpt.capture = Capture(frames: views.map { scan.capture.frames[$0.frame] })
    return excerpt
  }

  func poses(of scan: CapturedScan) -> [Transform] {
    views.map { scan.capture.frames[$0.frame].pose }
  }
}
