public import MeshPipeline

/// Measures how the cameras of a capture fit the mesh, and tells when another reading of their poses
/// would fit better.
///
/// The depth maps are compared with what rays from the cameras meet: on a real corridor the right one of
/// the eight conventions put 85 % of the depths within 5 cm of the mesh, the next 40 %. Without depth
/// maps, where the poses may be in several worlds, pictures are compared by what they show of the mesh;
/// else there is only the question whether the cameras see the mesh at all.
public enum PoseFitting: CaptureFitting {
  /// What another reading must be better by.
  private static let margin = 0.2
  /// A fit below this is none.
  private static let poor = 0.25
  /// An agreement of pictures above this is one: of a phone's poses the right ones came to 0.37, and
  /// wrong ones of anything to 0.23.
  private static let agreeing = 0.3

  public static func fit(
    _ scan: inout CapturedScan, to scene: Scene, path: String, in context: CaptureReadingContext
  ) throws {
    guard var probe = try MeshProbe(scan.capture, scene, context), !probe.views.isEmpty else {
      return
    }
    if !scan.worlds.isEmpty, !probe.isMeasured { probe.readPictures(of: probe.excerpt(of: scan)) }
    let score = chooseWorld(of: &scan, scene, probe, path, context)
    report(score, context)
    for evidence in Evidence.all(for: score, probe) where evidence.isDoubtful(score) {
      guard let better = better(than: score, by: evidence, scan, scene, probe) else { continue }
      return context.warn(
        "\(path): the frames fit the mesh better with \(better.option): then "
          + "\(evidence.words(better.score)), as it is \(evidence.percent(score)) %")
    }
    tellPoorFit(score, path, context)
  }

  /// Carries the cameras to the world in which they clearly fit best.
  ///
  /// - Returns: How well they fit there.
  private static func chooseWorld(
    of scan: inout CapturedScan, _ scene: Scene, _ probe: MeshProbe, _ path: String,
    _ context: CaptureReadingContext
  ) -> MeshProbe.Score {
    let mesh = scene.coordinateSystem
    let excerpt = probe.excerpt(of: scan)
    func trial(_ world: CapturedScan.World) -> Trial {
      var moved = excerpt
      moved.move(by: world.transform)
      return Trial(
        world: world, score: probe.score(moved, metersPerUnit: mesh.metersPerUnit))
    }
    let present = trial(.init(name: "", transform: .identity))
    let others = scan.worlds.map(trial)
    let better = others.filter { $0.isClearlyBetter(than: present) }
    let most = better.map(\.fit).max() ?? 0
    // Of nearly equal ones the first, which departs least.
    guard let best = better.first(where: { $0.fit >= most - 0.02 }) else {
      let rival = others.first { $0.fit > present.fit - margin / 2 && $0.option(in: mesh) != nil }
      // Without a word on axes and units most are ARKit's.
      if mesh != .arkit, let option = rival?.option(in: mesh),
        (present.score.depth ?? present.score.seeing) > poor
      {
        context.warn(
          "\(path): the poses don't say their axes and unit, and are taken for the mesh's ('--frames-up "
            + "\(mesh.up.rawValue)' alone); they would fit as well with '\(option)': say which")
      }
      return present.score
    }
    scan.move(by: best.world.transform)
    context.report("framesWorld", JSONValue(.string(best.world.name)))
    // Depths are sure of it.
    if let option = best.option(in: mesh), best.score.depth == nil {
      context.warn(
        "\(path): the poses don't say their axes and unit, and are taken for '\(option)', with which the "
          + "pictures fit the mesh better than with its own ('--frames-up \(mesh.up.rawValue)' alone): say "
          + "which"
      )
    }
    return best.score
  }

  /// A world, and how well the cameras fit the mesh in it.
  private struct Trial {
    var world: CapturedScan.World
    var score: MeshProbe.Score

    /// Whoever stands in the wrong world sees less of a room, for he may stand outside it; but of an object
    /// he may see more.
    var fit: Double { score.depth ?? score.hits + 2 * score.agreement }

    /// Whether it is to be taken, which for axes and units that nobody spoke of takes more than a glimpse.
    func isClearlyBetter(than present: Trial) -> Bool {
      guard fit > present.fit + margin / 2 else { return false }
      if world.coordinateSystem == nil { return true }
      return score.depth.map { $0 > 0.5 }
        ?? (score.agreement > max(present.score.agreement + margin / 2, agreeing))
    }

    /// What says the axes and unit of such a world, when they are not the mesh's.
    func option(in mesh: CoordinateSystem) -> String? {
      guard let system = world.coordinateSystem else { return nil }
      // Those that are not in the unit of the mesh are in metres.
      let unit = system.metersPerUnit == mesh.metersPerUnit ? "" : " --frames-unit m"
      return "--frames-up \(system.up.rawValue)\(unit)"
    }
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
        "\(path): the frames hardly fit the mesh: \(Evidence.depth.words(score)); are they of another "
          + "scan?")
    }
  }

  /// What tells how well frames fit.
  private enum Evidence {
    case depth, pictures, seeing

    /// The kinds that there are, the surest first.
    static func all(for score: MeshProbe.Score, _ probe: MeshProbe) -> [Evidence] {
      if score.depth != nil { return [.depth] }
      return probe.pictures == nil ? [.seeing] : [.pictures, .seeing]
    }

    func value(_ score: MeshProbe.Score) -> Double {
      switch self {
      case .depth: score.depth ?? 0
      case .pictures: score.agreement
      case .seeing: score.seeing
      }
    }

    /// Whether another reading is to be looked for.
    func isDoubtful(_ score: MeshProbe.Score) -> Bool {
      switch self {
      case .depth: value(score) < 0.75
      case .pictures: value(score) < agreeing
      // Any camera in a room sees the room: nothing but blindness tells.
      case .seeing: score.seeing < 0.1
      }
    }

    /// What another reading must reach at least.
    var threshold: Double { self == .pictures ? 0.35 : 0.5 }

    func words(_ score: MeshProbe.Score) -> String {
      switch self {
      case .depth: "\(percent(score)) % of the measured depths lie on it"
      case .pictures: "the pictures agree on what is on it by \(percent(score)) %"
      case .seeing: "\(percent(score)) % of the frames see it"
      }
    }

    func percent(_ score: MeshProbe.Score) -> Int { Int((value(score) * 100).rounded()) }
  }

  // MARK: Other readings

  private typealias Reading = (option: String, score: MeshProbe.Score)

  /// The reading that fits clearly better than the present one, when there is one.
  private static func better(
    than score: MeshProbe.Score, by evidence: Evidence, _ scan: CapturedScan, _ scene: Scene,
    _ probe: MeshProbe
  ) -> Reading? {
    let readings =
      conventions(scan, scene, probe) + systems(scan, scene, probe)
    let most = readings.map { evidence.value($0.score) }.max() ?? 0
    // Of equal ones the first, which departs least.
    let best = readings.first { evidence.value($0.score) >= most - 0.02 }
    return most > max(evidence.value(score) + margin, evidence.threshold) ? best : nil
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
      let score = probe.score(other, metersPerUnit: scene.coordinateSystem.metersPerUnit)
      return ("--frames-convention \(convention.text)", score)
    }
  }

  /// The mesh with another axis upwards or in another unit, or the poses when nothing says theirs.
  private static func systems(
    _ scan: CapturedScan, _ scene: Scene, _ probe: MeshProbe
  ) -> [Reading] {
    guard let back = scan.placement.inverse else { return [] }
    let mesh = scene.coordinateSystem
    func reading(_ option: String, _ move: Transform, _ unit: Double) -> Reading {
      var other = probe.excerpt(of: scan)
      other.move(by: move * back)
      return (option, probe.score(other, metersPerUnit: unit))
    }
    let input = others(than: mesh, "--input").map { other in
      reading(
        other.option, (scan.coordinateSystem ?? .arkit).transform(to: other.system),
        other.system.metersPerUnit)
    }
    // A layout that says what its poses are in is believed.
    guard scan.coordinateSystem == nil else { return input }
    return input
      + others(than: mesh, "--frames").map { other in
        reading(other.option, other.system.transform(to: mesh), mesh.metersPerUnit)
      }
  }

  private static let units: [(name: String, meters: Double)] = [
    ("m", 1), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254), ("ft", 0.3048),
  ]

  /// Systems with another axis up or another unit, and the options that say them.
  private static func others(
    than present: CoordinateSystem, _ subject: String
  ) -> [(option: String, system: CoordinateSystem)] {
    [present.up, .y, .z].flatMap { up in
      units.compactMap { unit in
        var options: [String] = []
        if up != present.up { options.append("\(subject)-up \(up.rawValue)") }
        if unit.meters != present.metersPerUnit { options.append("\(subject)-unit \(unit.name)") }
        guard !options.isEmpty else { return nil }
        let system = present.reread(
          up: up == present.up ? nil : up, metersPerUnit: unit.meters)
        return (options.joined(separator: " "), system)
      }
    }
  }
}

extension MeshProbe {
  /// The frames of the views alone.
  func excerpt(of scan: CapturedScan) -> CapturedScan {
    var excerpt = scan
    excerpt.capture = Capture(frames: views.map { scan.capture.frames[$0.frame] })
    return excerpt
  }
}
