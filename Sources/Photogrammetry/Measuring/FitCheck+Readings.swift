import MeshpipeScene

/// The kinds of evidence for how well frames fit.
enum Evidence {
  case depth, colors, patterns
  /// The share of the cameras' rays that hit the mesh, where nothing else can be compared.
  case rays

  func value(_ score: MeshProbe.Score) -> Double {
    switch self {
    case .depth: score.depth ?? 0
    case .colors, .patterns: score.agreement
    case .rays: score.hits
    }
  }

  /// The value that another interpretation must reach: more than half of the depths, or a quarter where there is hardly
  /// any; and more than chance gives to colours (wrong poses reached 0.23) and to patches (``FrameConsensus``).
  func leastValue(insteadOf present: Double) -> Double {
    switch self {
    case .depth: present < 0.05 ? 0.25 : 0.5
    case .colors: 0.35
    case .patterns: 0.3
    case .rays: max(0.3, 2.5 * present)
    }
  }

  /// Whether another interpretation fits clearly better than the present one, by the values of both.
  func isClear(_ other: Double, over present: Double) -> Bool {
    other > max(present + FitCheck.margin, leastValue(insteadOf: present))
  }

  /// Whether the evidence counts how much can be compared, too.
  var needsSupport: Bool { self == .colors || self == .patterns }

  func description(_ score: MeshProbe.Score) -> String {
    let percent = percent(score)
    return switch self {
    case .depth: "\(percent) % of the measured depths are on it"
    case .colors, .patterns: "the images agree on its colours by \(percent) %"
    case .rays: "the mesh fills \(percent) % of their images"
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
  /// Whether the cameras come nearer to the mesh, or farther from it.
  var isRescaled = false
}

extension FitCheck {
  /// Reports an alternative that fits clearly better than the present interpretation.
  ///
  /// - Returns: Whether there is one.
  mutating func reportBetterReading(_ depths: DepthFit) throws -> Bool {
    for evidence in doubts() {
      guard let better = betterReading(by: evidence) else { continue }
      let text =
        "the frames fit the mesh better with \(better.option): then \(evidence.description(better.score)); now it "
        + "is \(evidence.percent(better.present)) %"
      let seesNothing = score.seeing < Self.littleSeen || score.hits < Self.nearlyNothing
      if depths.isBroken || score.seeing == 0 || consensus.isBroken || evidence == .patterns
        || evidence == .rays && seesNothing || (score.depth ?? 1) < Self.poor
      {
        try refuse(text)
      } else {
        context.warn("\(path): \(text)")
      }
      return true
    }
    return false
  }

  /// The share of depths on the mesh above which no other interpretation is tried: the right one of a real corridor
  /// reached 0.85, the next 0.4.
  static let convincingDepth = 0.75
  /// The mean correlation of images above which no other interpretation is tried.
  ///
  /// A nearly symmetric room that was turned by 90 degrees reached 0.53, and 0.97 as it should be. Right captures with
  /// less only take the time of the search.
  private static let convincingCorrelation = 0.7
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

  /// The share of the rays that hit the mesh, and of the frames that see it, below which the mesh may be elsewhere.
  private static let (littleHit, littleSeen) = (0.2, 0.5)
  /// The share of the rays below which it certainly is, or very small.
  private static let nearlyNothing = 0.05
  /// The share of the rays below which the mesh is a speck in the images, as of cameras in another unit.
  private static let speck = 0.005

  /// Whether images contradict one another, or too little of the mesh is seen to compare them.
  private var isLost: Bool {
    consensus.isBroken || score.seeing < Self.leastSeeingForColors || score.hits < Self.speck
  }

  /// The evidence that makes the present interpretation doubtful, the most conclusive first.
  private func doubts() -> [Evidence] {
    if let depth = score.depth { return depth < Self.convincingDepth ? [.depth] : [] }
    if doImagesAgree {
      return (pairs.meanCorrelation ?? 0) < Self.convincingCorrelation ? [.patterns] : []
    }
    var doubts: [Evidence] = []
    if isLost {
      doubts = [.patterns]
    } else if probe.images != nil, score.agreement < Self.agreeing {
      doubts = [.colors]
    }
    if score.hits < Self.littleHit || score.seeing < Self.littleSeen { doubts.append(.rays) }
    return doubts
  }

  func betterReading(
    by evidence: Evidence
  ) -> (option: String, score: MeshProbe.Score, present: MeshProbe.Score)? {
    var present = score
    if evidence == .patterns { (present.agreement, present.support) = patternAgreement(of: scan) }
    var readings: [(option: String, score: MeshProbe.Score)] = []
    for reading in otherReadings() where !reading.isRescaled || mayBeRescaled(by: evidence) {
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
    guard evidence.isClear(most, over: evidence.value(present)) else { return nil }
    guard
      !evidence.needsSupport
        || best.score.support > Self.leastSupportGrowth * present.support
    else { return nil }
    return (best.option, best.score, present)
  }

  /// Whether another unit may be the better one.
  ///
  /// In the middle of a mesh that is too large, all rays hit it; and where all cameras are in one position, what is far
  /// away agrees whatever the mesh.
  private func mayBeRescaled(by evidence: Evidence) -> Bool {
    switch evidence {
    case .depth, .colors: true
    case .patterns: isLost
    case .rays: false
    }
  }

  /// The number of frames that are compared with others to test an interpretation: dozens are tested, and
  /// each takes as long as these.
  private static let anchorCount = 12

  /// The agreement of image patches with the cameras in another interpretation.
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

  /// The mesh, or the poses, with another up axis or unit.
  private func otherSystems(_ back: Transform) -> [OtherReading] {
    let mesh = scene.coordinateSystem
    let poses = scan.coordinateSystem ?? mesh
    let toOrigin = Transform(translation: -scene.origin)
    func reading(
      _ other: (option: String, system: CoordinateSystem), insteadOf present: CoordinateSystem,
      _ move: Transform, _ unit: Double
    ) -> OtherReading {
      var moved = scan
      moved.move(by: toOrigin * move * back)
      return OtherReading(
        option: other.option, scan: moved, metersPerUnit: unit,
        isRescaled: other.system.metersPerUnit != present.metersPerUnit)
    }
    return Self.others(than: mesh, "--input").map { other in
      reading(
        other, insteadOf: mesh, (scan.coordinateSystem ?? .arkit).transform(to: other.system),
        other.system.metersPerUnit)
    }
      + Self.others(than: poses, "--frames").map { other in
        reading(other, insteadOf: poses, other.system.transform(to: mesh), mesh.metersPerUnit)
      }
  }

  private static let units: [(name: String, meters: Double)] = [
    ("m", 1), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254), ("ft", 0.3048),
  ]

  /// Systems with another up axis or unit, and the options for them.
  private static func others(
    than present: CoordinateSystem, _ subject: String
  ) -> [(option: String, system: CoordinateSystem)] {
    let axes: [SignedAxis] = [.y, .z]
    return ([present.up] + axes.filter { $0 != present.up }).flatMap { up in
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
