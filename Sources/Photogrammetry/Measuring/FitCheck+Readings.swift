import MeshPipeline

/// The kinds of evidence for how well frames fit.
enum Evidence {
  case depth, colors, patterns

  func value(_ score: MeshProbe.Score) -> Double {
    switch self {
    case .depth: score.depth ?? 0
    case .colors, .patterns: score.agreement
    }
  }

  /// The value that another interpretation must reach: more than half of the depths; and more than chance gives to
  /// colours (wrong poses reached 0.23) and to patches (``FrameConsensus``).
  var leastValue: Double {
    switch self {
    case .depth: 0.5
    case .colors: 0.35
    case .patterns: 0.3
    }
  }

  func description(_ score: MeshProbe.Score) -> String {
    let percent = percent(score)
    return switch self {
    case .depth: "\(percent) % of the measured depths are on it"
    case .colors, .patterns: "the images agree on its colours by \(percent) %"
    }
  }

  func percent(_ score: MeshProbe.Score) -> Int { Int((value(score) * 100).rounded()) }
}

/// An alternative interpretation of the coordinates of poses or mesh.
struct OtherReading {
  /// The option for it on the command line.
  var option: String
  var scan: CapturedScan
  var metersPerUnit: Double
}

extension FitCheck {
  /// Reports an alternative that fits clearly better than the present interpretation.
  ///
  /// - Returns: Whether there is one.
  mutating func reportBetterReading(_ depths: DepthFit) throws -> Bool {
    guard let evidence = doubt(), let better = betterReading(by: evidence) else { return false }
    let text =
      "the frames fit the mesh better with \(better.option): then \(evidence.description(better.score)); now it "
      + "is \(evidence.percent(score)) %"
    if depths.isBroken || score.seeing == 0 || consensus.isBroken {
      try refuse(text)
    } else {
      context.warn("\(path): \(text)")
    }
    return true
  }

  /// The share of depths on the mesh above which no other interpretation is tried: the right one of a real corridor
  /// reached 0.85, the next 0.4.
  private static let convincingDepth = 0.75
  /// The share of the frames that see the mesh below which colours are not evidence, since too few can be compared.
  private static let leastSeeingForColors = 0.1
  /// The share of the present frames that must still see the mesh in another interpretation, and of all frames, unless
  /// depths are the evidence.
  ///
  /// Losing frames makes the fit worse, however well the rest agree: a false reading of a real capture, in which half
  /// of the frames saw the mesh, raised the agreement of colours from 0.23 to 0.54.
  private static let (leastKeptShare, leastSeeing) = (0.9, 0.5)
  /// Values that differ by less than this count as equal; the reading that deviates least from the present one is
  /// preferred then.
  static let tie = 0.02
  /// The factor by which what agrees in all must grow with another interpretation, for the same reason.
  private static let leastSupportGrowth = 1.2

  /// What makes the present interpretation doubtful.
  private func doubt() -> Evidence? {
    if let depth = score.depth { return depth < Self.convincingDepth ? .depth : nil }
    if doImagesAgree { return nil }
    if consensus.isBroken || score.seeing < Self.leastSeeingForColors { return .patterns }
    return probe.images != nil && score.agreement < Self.agreeing ? .colors : nil
  }

  private func betterReading(
    by evidence: Evidence
  ) -> (option: String, score: MeshProbe.Score)? {
    var present = score
    if evidence == .patterns { (present.agreement, present.support) = patternAgreement(of: scan) }
    var readings: [(option: String, score: MeshProbe.Score)] = []
    for reading in otherReadings() {
      var other = probe.score(
        probe.excerpt(of: reading.scan), metersPerUnit: reading.metersPerUnit)
      guard other.seeing >= Self.leastKeptShare * present.seeing,
        evidence == .depth || other.seeing > Self.leastSeeing
      else { continue }
      if evidence == .patterns {
        (other.agreement, other.support) = patternAgreement(of: reading.scan)
      }
      readings.append((reading.option, other))
    }
    let most = readings.map { evidence.value($0.score) }.max() ?? 0
    // The first of equal ones, which deviates least.
    guard let best = readings.first(where: { evidence.value($0.score) >= most - Self.tie }) else {
      return nil
    }
    guard most > max(evidence.value(present) + Self.margin, evidence.leastValue) else { return nil }
    return evidence == .depth || best.score.support > Self.leastSupportGrowth * present.support
      ? best : nil
  }

  /// The number of frames that are compared with others to test an interpretation: dozens are tested, and
  /// each takes as long as these.
  private static let anchorCount = 12

  /// How well image patches agree with the cameras in another interpretation.
  func patternAgreement(of other: CapturedScan) -> (agreement: Double, support: Double) {
    let count = scan.capture.frames.count
    let anchors = min(count, Self.anchorCount)
    let pairs = comparison.pairs(
      of: other.capture.frames, anchors: (0..<anchors).map { $0 * count / anchors })
    return (max(pairs.meanCorrelation ?? 0, 0), pairs.support)
  }

  private func otherReadings() -> [OtherReading] {
    guard let back = scan.placement.inverse else { return [] }
    return otherConventions(back) + otherSystems(back)
  }

  private func otherConventions(_ back: Transform) -> [OtherReading] {
    PoseConvention.all.filter { $0 != scan.convention }.map { convention in
      var other = scan
      other.move(by: back)
      other.reread(as: convention)
      other.move(by: scan.placement)
      return OtherReading(
        option: "--frames-convention \(convention.text)", scan: other,
        metersPerUnit: scene.coordinateSystem.metersPerUnit)
    }
  }

  /// The mesh with another up axis or unit, or the poses if they don't specify theirs.
  private func otherSystems(_ back: Transform) -> [OtherReading] {
    let mesh = scene.coordinateSystem
    func reading(_ option: String, _ move: Transform, _ unit: Double) -> OtherReading {
      var other = scan
      other.move(by: move * back)
      return OtherReading(option: option, scan: other, metersPerUnit: unit)
    }
    let input = Self.others(than: mesh, "--input").map { other in
      reading(
        other.option, (scan.coordinateSystem ?? .arkit).transform(to: other.system),
        other.system.metersPerUnit)
    }
    // A layout that specifies the axes of its poses is trusted.
    guard scan.coordinateSystem == nil else { return input }
    return input
      + Self.others(than: mesh, "--frames").map { other in
        reading(other.option, other.system.transform(to: mesh), mesh.metersPerUnit)
      }
  }

  private static let units: [(name: String, meters: Double)] = [
    ("m", 1), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254), ("ft", 0.3048),
  ]

  /// Systems with another up axis or unit, and the options for them.
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
  /// The frames of the views.
  func excerpt(of scan: CapturedScan) -> CapturedScan {
    var excerpt = scan
    excerpt.capture = Capture(frames: views.map { scan.capture.frames[$0.frame] })
    return excerpt
  }
}
