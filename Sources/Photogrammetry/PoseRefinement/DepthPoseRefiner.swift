package import MeshPipeline
import NativeLibraries
import SurfaceKernels

/// Moves the cameras of depth maps so that all measure the same surface at the same place.
///
/// In: a surface near the true one, in units and axes of the scene, and depth maps with approximate poses, some of which
/// may be fixed since photographs have refined them. All others are solved together: point to plane between all frames
/// that measured the same place (``DepthTerms``), however far apart in time; with the recorded poses as a prior, and
/// corrections that change slowly over time (``DriftTerms``). Each new pose is judged by parts of its depth map that
/// took no part in the fit (``DepthJudge``).
package struct DepthPoseRefiner {
  let surface: ObservedSurface
  let settings: PoseRefiner.Settings

  package init(surface: ObservedSurface, settings: PoseRefiner.Settings) {
    self.surface = surface
    self.settings = settings
  }

  /// A frame with its depth map.
  package struct Source: Sendable {
    /// Nil if it can't be read, or nothing was measured.
    var points: DepthPoints?
    var recorded: Transform
    /// Where the refinement starts, and what the frame keeps if it does not help.
    var pose: Transform
    var time: Double?
    /// Whether the pose is known.
    package var isFixed: Bool

    /// Reads the depth map.
    ///
    /// - Parameter frame: With the pose that the refinement starts from.
    package init(
      _ frame: Capture.DepthFrame, recorded: Transform, isFixed: Bool, _ scale: MetricScale
    ) {
      let points = frame.depth.readable().map.flatMap {
        $0.width > 0 && $0.height > 0 ? DepthPoints($0, frame, scale) : nil
      }
      self.points = points?.isEmpty == false ? points : nil
      self.recorded = recorded
      pose = frame.pose
      time = frame.timestamp
      self.isFixed = isFixed
    }
  }

  /// The frame's new pose, and whether it is better than that at the start.
  package struct Outcome: Sendable {
    package var pose: Transform
    package var change: PoseVerdict.Change
    /// The median distance of the frame's depths from what other frames measured, with its pose at the start and with
    /// the new one, in units of the scene; NaN if unknown.
    package var residualBefore: Float
    package var residualAfter: Float
    /// The distance of the new camera from the recorded one, in units of the scene.
    package var shift: Double
  }

  /// The largest distance in metres of measurements from the surface, round by round: from a surface that was fused with
  /// the recorded poses to the error of depths.
  private static let reaches: [Float] = [0.06, 0.04, 0.03, 0.03]
  /// Gauss–Newton steps for each choice of what is compared.
  private static let steps = 2
  /// The error of the surface in metres: large, since only frames that agree with each other matter.
  static let surfaceError: Float = 0.02
  /// The precision of a fixed pose over that of a recorded one.
  private static let fixed = 1e8
  private static let chunkSize = 1024
  private static let gradients = ConjugateGradients(relativeTolerance: 1e-6)

  /// - Parameter progress: Called with rising fractions up to 1; may throw to stop.
  package func refined(
    _ sources: [Source], progress: (Double) throws -> Void
  ) throws -> [Outcome] {
    let samples = SurfaceSamples.forDepths(of: surface, frames: sources.count)
    var poses = sources.map(\.pose)
    for (round, reach) in Self.reaches.enumerated() {
      try progress(Double(round) / Double(Self.reaches.count + 1))
      let landmarks = DepthLandmarks(
        of: sources.map(\.points), at: poses, on: samples,
        reach: surface.scale.units(meters: reach))
      guard landmarks.count > 0 else { break }
      for _ in 0..<Self.steps { step(&poses, sources, landmarks) }
    }
    try progress(Double(Self.reaches.count) / Double(Self.reaches.count + 1))
    let judge = DepthJudge(
      frames: sources.map(\.points), samples: samples, settings: settings, scale: surface.scale)
    return judge.outcomes(
      of: poses, insteadOf: sources.map(\.pose), recorded: sources.map(\.recorded),
      isFixed: sources.map(\.isFixed))
  }

  private func step(
    _ poses: inout [Transform], _ sources: [Source], _ landmarks: DepthLandmarks
  ) {
    let terms = JointTerms(
      first: DepthTerms(
        landmarks, at: poses, surfaceError: surface.scale.units(meters: Self.surfaceError),
        unknownCount: 6 * poses.count),
      second: DriftTerms(
        sources.map(\.time), PoseChange.motions(from: sources.map(\.recorded), to: poses),
        expected: (settings.expectedTurn, settings.expectedShift)))
    let prior = prior(sources)
    let equations = ReducedNormalEquations(terms: terms, prior: prior, chunkSize: Self.chunkSize)
    let anchors = sources.map { $0.isFixed ? $0.pose : $0.recorded }
    let right = equations.rightHandSide(offsets: PoseChange.motions(from: anchors, to: poses))
    var blocks = [SymmetricBlock](repeating: SymmetricBlock(), count: poses.count)
    for index in blocks.indices { blocks[index].addDiagonal(prior[6 * index..<6 * index + 6]) }
    terms.first.add(to: &blocks)
    terms.second.add(to: &blocks)
    let step = equations.solve(right, by: Self.gradients, BlockPreconditioner(blocks))
    let moved = poses.moved(bySteps: step)
    for index in poses.indices where !sources[index].isFixed { poses[index] = moved[index] }
  }

  private func prior(_ sources: [Source]) -> [Double] {
    let precision = settings.precision
    return sources.flatMap { $0.isFixed ? precision.map { $0 * Self.fixed } : precision }
  }
}

extension SurfaceSamples {
  /// Points per square metre: some for each cell of a depth map at 2 m (``DepthLandmarks/columns``).
  private static let density = 200.0
  private static let fewest = 4_000.0
  private static let most = 60_000.0
  /// More frames see each point more often, and need no more observations in all.
  private static let fullFrames = 300.0

  /// Points at which to compare depth maps.
  static func forDepths(of surface: ObservedSurface, frames: Int) -> SurfaceSamples {
    let area = (0..<surface.faceCount).reduce(0.0) { sum, face in
      let area = surface.areaVector(ofFace: face).length / 2
      return area.isFinite ? sum + area : sum
    }
    let wanted = density * surface.scale.squareMeters(area)
    let bounded = min(most, wanted) * min(1, fullFrames / Double(max(frames, 1)))
    return SurfaceSamples(of: surface, count: Int(max(fewest, bounded)))
  }
}
