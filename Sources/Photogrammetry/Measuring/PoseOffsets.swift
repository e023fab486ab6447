import MeshpipeBase
import MeshpipeScene
import NativeLibraries

/// The offsets of cameras from where their depth maps lie on the mesh.
///
/// Poses of a phone that lost its way drift, and a mesh may have been moved or scaled without them.
/// Each depth map is moved onto the mesh by itself: projective iterative closest point (Rusinkiewicz and Levoy 2001),
/// point to plane, with weights that forget what is elsewhere (Geman and McClure). Motions that the depths don't show,
/// as along a bare corridor, stay near zero.
struct PoseOffsets {
  /// A frame's measured motion onto the mesh.
  struct Offset: Sendable {
    /// The frame's index in the capture.
    var frame: Int
    /// The motion of the camera.
    var change: PoseChange
    /// The length of the motion in metres.
    var meters: Double
    /// The shares of its depths on the mesh, as recorded and after the motion.
    var before: Double
    var after: Double

    /// Whether the depths are on the mesh after the motion.
    var isGood: Bool { after >= PoseOffsets.leastShare && meters <= PoseOffsets.longest }

    /// Whether the depths are on the mesh only after the motion.
    var isNeeded: Bool {
      isGood && meters > PoseOffsets.shortest && after > before + PoseOffsets.leastGain
    }
  }

  /// The offsets in the order of the frames; those whose depths tell nothing are left out.
  let offsets: [Offset]
  /// The number of all frames with a depth map.
  private let measuredCount: Int

  /// The robust scale in metres, step by step: from the error of a bad pose to that of depths.
  private static let scales: [Float] = [0.4, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.04, 0.03, 0.03]
  /// With fewer rays on the mesh, of 300, a frame is left out: they may all lie in one plane.
  private static let leastRays = 60
  /// The stiffness against motions that nothing shows, per ray.
  private static let stiffness = 0.01
  /// The share of depths that must be on the mesh at the end, and by how much it must have grown to need the motion.
  static let leastShare = 0.6
  private static let leastGain = 0.15
  /// Motions in metres: shorter ones are within the error of good poses, longer ones lead anywhere.
  private static let (shortest, longest) = (0.04, 0.6)

  /// - Parameter starts: For each frame, a motion to start with; those that its depths don't show remain of it.
  init(
    _ probe: MeshProbe, _ frames: [Capture.Frame], metersPerUnit: Double,
    startingWith starts: [Int: PoseChange] = [:]
  ) {
    measuredCount = probe.measured.count
    offsets = Parallel.map(count: measuredCount) { index -> Offset? in
      let view = probe.measured[index]
      return Self.offset(
        of: view, recorded: frames[view.frame].pose, start: starts[view.frame] ?? .none,
        tracer: probe.tracer, unit: Float(metersPerUnit))
    }.compactMap(\.self)
  }

  /// Whether depths are off the mesh in enough frames that their poses may be, or the mesh: most captures are good, and
  /// motions take ten times as long.
  static func mayBeOff(
    _ probe: MeshProbe, _ frames: [Capture.Frame], metersPerUnit: Double
  ) -> Bool {
    let areOff = Parallel.map(count: probe.measured.count) { index in
      let view = probe.measured[index]
      return DepthResiduals(
        of: view, from: frames[view.frame].pose, on: probe.tracer, unit: Float(metersPerUnit)
      ).share < 1 - leastGain
    }
    // More than half of the fewest decide a median.
    return 2 * areOff.count { $0 } > fewest
  }

  /// The least number of frames, and the shares of those with depths on the mesh that must end on it, and that need it, to
  /// believe that the poses are off.
  private static let fewest = 3
  private static let (leastGood, leastNeeded) = (0.8, 0.2)

  /// Whether the poses are off: most depths can be moved onto the mesh, and many need it.
  var areConvincing: Bool {
    let needed = offsets.count(where: \.isNeeded)
    return needed >= Self.fewest && 2 * offsets.count >= measuredCount
      && Double(needed) >= Self.leastNeeded * Double(offsets.count)
      && Double(offsets.count(where: \.isGood)) >= Self.leastGood * Double(offsets.count)
  }

  /// The share of depths on the mesh, in the median of the frames, below which it is not what they measured.
  private static let leastFit = 0.4

  /// The share of depths on the mesh, as recorded, in the median of the frames, if it is low; nil with few frames.
  var misfit: Double? {
    guard offsets.count >= Self.fewest, let share = offsets.map(\.before).median(),
      share < Self.leastFit
    else { return nil }
    return share
  }

  /// The mean of a share over all frames.
  func mean(of share: (Offset) -> Double) -> Double {
    offsets.reduce(0) { $0 + share($1) } / Double(max(offsets.count, 1))
  }

  private static func offset(
    of view: MeshProbe.View, recorded: Transform, start: PoseChange, tracer: RayTracer, unit: Float
  ) -> Offset? {
    let before = DepthResiduals(of: view, from: recorded, on: tracer, unit: unit)
    var pose = recorded.moved(by: start)
    var residuals =
      start == .none ? before : DepthResiduals(of: view, from: pose, on: tracer, unit: unit)
    guard min(before.rays.count, residuals.rays.count) >= leastRays else { return nil }
    for scale in scales {
      pose = pose.moved(by: residuals.step(scale, stiffness: stiffness))
      residuals = DepthResiduals(of: view, from: pose, on: tracer, unit: unit)
      guard residuals.rays.count >= leastRays else { return nil }
    }
    let change = PoseChange(from: recorded, to: pose)
    return Offset(
      frame: view.frame, change: change, meters: change.translation.length * Double(unit),
      before: before.share, after: residuals.share)
  }
}

extension PoseOffsets {
  /// The cause of the motions that were measured.
  enum Cause: Equatable {
    /// All by the same: the mesh lies elsewhere.
    case moved
    /// Away from a point, or towards it: the positions are scaled.
    case scaled
    /// Slowly from frame to frame: the tracking drifted.
    case drifted
    /// Each by another.
    case scattered

    /// A guess for messages; nil if nothing is likely.
    var guess: String? {
      switch self {
      case .moved: "the mesh seems to have been moved without them"
      case .scaled: "their positions seem to have been scaled"
      case .drifted: "the tracking seems to have drifted"
      case .scattered: nil
      }
    }
  }

  /// The part of what a cause must explain that it may leave.
  private static let (leastCommon, leastScaled, leastSteady) = (0.35, 0.5, 0.4)

  /// The simplest cause that explains most of the motions.
  ///
  /// - Parameters:
  ///   - frames: As recorded.
  ///   - times: Theirs.
  func cause(_ frames: [Capture.Frame], at times: [Double]) -> Cause {
    let good = offsets.filter(\.isGood).sorted { times[$0.frame] < times[$1.frame] }
    let (motions, places) = (
      good.map(\.change.translation), good.map { frames[$0.frame].pose.translation }
    )
    let count = Double(max(good.count, 1))
    let (meanMotion, meanPlace) = (
      motions.reduce(.zero, +) / count, places.reduce(.zero, +) / count
    )
    let deviations = motions.map { $0 - meanMotion }
    let spread = Self.size(deviations)
    if spread < Self.leastCommon * Self.size(motions) { return .moved }
    let arms = places.map { $0 - meanPlace }
    let square = arms.reduce(0) { $0 + $1.dot($1) }
    let scale = square > 0 ? zip(arms, deviations).reduce(0) { $0 + $1.0.dot($1.1) } / square : 0
    let unscaled = zip(arms, deviations).map { $1 - scale * $0 }
    if Self.size(unscaled) < Self.leastScaled * spread { return .scaled }
    let steps = zip(motions, motions.dropFirst()).map { $1 - $0 }
    return Self.size(steps) < Self.leastSteady * 2.0.squareRoot() * spread ? .drifted : .scattered
  }

  /// The root of the mean square of lengths.
  private static func size(_ vectors: [SIMD3<Double>]) -> Double {
    (vectors.reduce(0) { $0 + $1.dot($1) } / Double(max(vectors.count, 1))).squareRoot()
  }
}
