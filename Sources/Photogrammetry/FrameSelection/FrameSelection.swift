package import MeshpipeScene
import POSIX
import SurfaceKernels

/// Decides which frames of a capture to keep, with reasons.
package struct FrameSelection {
  /// The measurements of a frame.
  package struct Candidate: Sendable {
    var pose: Transform
    var tracking: Capture.Tracking?
    /// The frame's sharpness relative to its peers, as a logarithm to base 2: −1 if edges are twice
    /// as wide as expected; nil if unknown.
    package var sharpness: Float?
    /// The share of pixels that are blown out or black.
    package var clippedShare: Double
    /// The frame's views of the samples of the surface.
    var views: [FrameView]
    /// Why the image can't be read.
    var fault: String?

    package init(
      pose: Transform, tracking: Capture.Tracking? = nil, sharpness: Float? = nil,
      clippedShare: Double = 0.0, views: [FrameView] = [], fault: String? = nil
    ) {
      self.pose = pose
      self.tracking = tracking
      self.sharpness = sharpness
      self.clippedShare = clippedShare
      self.views = views
      self.fault = fault
    }
  }

  package struct Limits: Sendable {
    /// The minimum sharpness as a logarithm to base 2.
    var minimumSharpness: Float
    var maximumClipped: Double
    var acceptsLimitedTracking: Bool
    /// The minimum baseline in units of the scene.
    var minimumBaseline: Double
    /// The minimum angle in radians.
    var minimumAngle: Double
    /// The number of frames that should see each part of the surface well.
    var coverage: Int
    /// The minimum share of the surface that a frame must add.
    var minimumGain: Double
    /// The number of good frames up to which all are kept.
    var minimum: Int
    var maximum: Int?

    package init(
      minimumSharpness: Float, maximumClipped: Double, acceptsLimitedTracking: Bool,
      minimumBaseline: Double, minimumAngle: Double, coverage: Int, minimumGain: Double,
      minimum: Int, maximum: Int? = nil
    ) {
      self.minimumSharpness = minimumSharpness
      self.maximumClipped = maximumClipped
      self.acceptsLimitedTracking = acceptsLimitedTracking
      self.minimumBaseline = minimumBaseline
      self.minimumAngle = minimumAngle
      self.coverage = coverage
      self.minimumGain = minimumGain
      self.minimum = minimum
      self.maximum = maximum
    }
  }

  /// The verdict on a frame.
  package enum Verdict: Equatable {
    /// The frame adds a share of the surface; nil if all good frames are kept.
    case kept(gain: Double?)
    /// The frame is bad, but no other frame sees a share of the surface.
    case needed(Fault, gain: Double)
    case bad(Fault)
    /// The frame is too close to a sharper frame.
    case near(Int)
    /// Better frames see everything that it sees.
    case redundant

    package var isKept: Bool {
      switch self {
      case .kept, .needed: true
      case .bad, .near, .redundant: false
      }
    }
  }

  package enum Fault: Equatable {
    case unreadable(String)
    case tracking(Capture.Tracking)
    case clipped
    case blurred
  }

  package let candidates: [Candidate]
  let sampleCount: Int
  let limits: Limits

  package init(candidates: [Candidate], sampleCount: Int, limits: Limits) {
    self.candidates = candidates
    self.sampleCount = sampleCount
    self.limits = limits
  }

  /// One verdict for each candidate.
  package func verdicts() -> [Verdict] {
    var verdicts: [Verdict] = candidates.map { candidate in
      fault(of: candidate).map { .bad($0) } ?? .kept(gain: nil)
    }
    var good = candidates.indices.filter { verdicts[$0].isKept }
    for (frame, other) in duplicates(among: good) { verdicts[frame] = .near(other) }
    good = good.filter { verdicts[$0].isKept }
    if good.count > limits.minimum || good.count > limits.maximum ?? .max {
      for index in good { verdicts[index] = .redundant }
      for (frame, gain) in chosen(from: good) { verdicts[frame] = .kept(gain: gain) }
    }
    for (frame, gain) in rescued(verdicts) {
      if case .bad(let fault) = verdicts[frame] { verdicts[frame] = .needed(fault, gain: gain) }
    }
    return verdicts
  }

  private func fault(of candidate: Candidate) -> Fault? {
    if let reason = candidate.fault { return .unreadable(reason) }
    if let tracking = candidate.tracking, tracking != .normal,
      tracking == .unavailable || !limits.acceptsLimitedTracking
    {
      return .tracking(tracking)
    }
    if candidate.clippedShare > limits.maximumClipped { return .clipped }
    if let sharpness = candidate.sharpness, sharpness < limits.minimumSharpness { return .blurred }
    return nil
  }

  /// Frames from almost the same position and direction as a sharper one.
  private func duplicates(among good: [Int]) -> [(frame: Int, other: Int)] {
    let bySharpness = good.sorted {
      (candidates[$1].sharpness ?? 0, $0) < (candidates[$0].sharpness ?? 0, $1)
    }
    var kept: [Int] = []
    var result: [(frame: Int, other: Int)] = []
    let minimumCosine = cos(limits.minimumAngle)
    for frame in bySharpness {
      let pose = candidates[frame].pose
      let other = kept.first { other in
        let known = candidates[other].pose
        return (pose.translation - known.translation).length < limits.minimumBaseline
          && pose.z.normalized.dot(known.z.normalized) > minimumCosine
      }
      if let other { result.append((frame, other)) } else { kept.append(frame) }
    }
    return result
  }

  /// The good frames that are kept because of what they add.
  private func chosen(from good: [Int]) -> [(frame: Int, gain: Double?)] {
    let limit = limits.maximum ?? .max
    guard sampleCount > 0 else {
      return spread(good, limit: limit).map { ($0, nil) }
    }
    var coverage = CoverageSelection(
      views(of: good), factors: candidates.map(\.weight), sampleCount: sampleCount,
      wanted: limits.coverage)
    var chosen: [(frame: Int, gain: Double?)] =
      coverage.take(from: good, minimumGain: Float(limits.minimumGain), limit: limit)
      .map { ($0.frame, Double($0.gain)) }
    // Too few frames are useless, so those that add least are kept too.
    let rest = good.filter { frame in !chosen.contains { $0.frame == frame } }
    let missing = min(limits.minimum, limit) - chosen.count
    if missing > 0 {
      chosen += spread(rest, besides: chosen.map(\.frame), limit: missing).map { ($0, nil) }
    }
    return chosen
  }

  /// The views of some frames; an entry for each candidate, empty for the others.
  private func views(of frames: [Int]) -> [[FrameView]] {
    var views = [[FrameView]](repeating: [], count: candidates.count)
    for frame in frames { views[frame] = candidates[frame].views }
    return views
  }

  /// Farthest point sampling of frames: the first, then always the one farthest from all chosen.
  private func spread(_ frames: [Int], besides others: [Int] = [], limit: Int) -> [Int] {
    guard frames.count > limit else { return frames }
    var distances = [Double](repeating: .infinity, count: frames.count)
    var taken: [Int] = []
    func add(_ frame: Int) {
      for (index, other) in frames.enumerated() {
        distances[index] = min(distances[index], distance(frame, other))
      }
    }
    others.forEach(add)
    while taken.count < limit,
      let index = distances.indices.max(by: { distances[$0] < distances[$1] })
    {
      taken.append(frames[index])
      add(frames[index])
      distances[index] = -1
    }
    return taken.sorted()
  }

  /// Limits may be 0, which would make every distance infinite; in units of the scene, and in radians.
  private static let leastLimit = 1e-6

  /// The difference of two frames, in baselines and rotations relative to their limits.
  private func distance(_ first: Int, _ second: Int) -> Double {
    let (one, two) = (candidates[first].pose, candidates[second].pose)
    let rotation = (one.z.normalized - two.z.normalized).length
    return (one.translation - two.translation).length / max(limits.minimumBaseline, Self.leastLimit)
      + rotation / max(limits.minimumAngle, Self.leastLimit)
  }

  /// The factor by which a bad frame must add more of the surface than a good one, since its colours are worth less.
  private static let rescueFactor: Float = 2

  /// Bad frames that are the only ones to see a part of the surface, and the share of it.
  private func rescued(_ verdicts: [Verdict]) -> [(frame: Int, gain: Double)] {
    guard sampleCount > 0 else { return [] }
    var isSeen = [Bool](repeating: false, count: sampleCount)
    for frame in verdicts.indices where verdicts[frame].isKept {
      for view in candidates[frame].views { isSeen[Int(view.sample)] = true }
    }
    let usable = verdicts.indices.filter {
      verdicts[$0] == .bad(.blurred) || verdicts[$0] == .bad(.clipped)
    }
    let views = views(of: usable).map { $0.filter { !isSeen[Int($0.sample)] } }
    var coverage = CoverageSelection(
      views, factors: candidates.map(\.weight), sampleCount: sampleCount, wanted: 1)
    let room = (limits.maximum ?? .max) - verdicts.count { $0.isKept }
    return coverage.take(
      from: usable, minimumGain: Self.rescueFactor * Float(limits.minimumGain), limit: max(room, 0)
    ).map { ($0.frame, Double($0.gain)) }
  }
}

extension FrameSelection.Candidate {
  /// The weight of the frame's views: those of a sharp frame up to twice those of a blurred one.
  fileprivate var weight: Float {
    let excess = (sharpness ?? 0) + Self.sharpnessTolerance
    return min(max(1 + excess / Self.sharpnessPerWeight, Self.leastWeight), 1)
  }

  /// Differences between sharp frames within this, as a logarithm to base 2, are only measurement errors.
  private static let sharpnessTolerance: Float = 0.2
  /// Each doubling of the width of edges takes one part in this many of the weight; but none counts for less than half,
  /// since a blurred view is better than none.
  private static let sharpnessPerWeight: Float = 2
  private static let leastWeight: Float = 0.5
}
