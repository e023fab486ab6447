package import MeshpipeScene
import NativeLibraries
import SurfaceKernels

/// Moves the cameras of depth maps so that all measure the same surface in the same position.
///
/// In: a surface near the true one, in units and axes of the scene, and depth maps with approximate poses, some of which
/// may be fixed since photographs have refined them. All others are solved together: point to plane between all frames
/// that measured the same point (``DepthTerms``), however far apart in time; with the recorded poses as a prior, and
/// corrections that change slowly over time, of a size that is estimated (``PosePrior``). Each new pose is judged by
/// parts of its depth map that took no part in the fit (``DepthJudge``).
package struct DepthPoseRefiner {
  let surface: ObservedSurface
  let settings: PoseRefiner.Settings
  let sampleCount: Int?

  /// - Parameter sampleCount: The number of points at which depth maps are compared; nil for one that follows from the
  ///   surface's area.
  package init(
    surface: ObservedSurface, settings: PoseRefiner.Settings, sampleCount: Int? = nil
  ) {
    self.surface = surface
    self.settings = settings
    self.sampleCount = sampleCount
  }

  /// A frame with its depth map.
  package struct Source: Sendable {
    /// Nil if it can't be read, or nothing was measured.
    var points: DepthPoints?
    var recorded: Transform
    /// Where the refinement starts, and what the frame keeps if it does not help.
    var pose: Transform
    var time: SessionTime?
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
      time = SessionTime(frame.timestamp, session: frame.session)
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
  private static let chunkSize = 1024
  private static let gradients = ConjugateGradients(relativeTolerance: 1e-6)
  /// The solver for estimates from a few random vectors, which need not be exact.
  private static let roughGradients = ConjugateGradients(relativeTolerance: 1e-3)

  /// Refines the poses of depth maps that are not fixed.
  ///
  /// - Parameter progress: Called with rising fractions up to 1; may throw to stop.
  /// - Returns: One outcome per source, in their order; poses are camera to world, in units of the scene.
  /// - Throws: What `progress` throws.
  package func refined(
    _ sources: [Source], progress: (Double) throws -> Void
  ) throws -> [Outcome] {
    let samples =
      sampleCount.map { SurfaceSamples(of: surface, count: $0) }
      ?? .forDepths(of: surface, frames: sources.count)
    var poses = sources.map(\.pose)
    var prior = PosePrior(
      recorded: sources.map(\.recorded), times: sources.map(\.time),
      isFixed: sources.map(\.isFixed), settings: settings)
    // The judge's part is about that of two steps.
    let parts = Double(Self.reaches.count * Self.steps + 2)
    for (round, reach) in Self.reaches.enumerated() {
      let landmarks = DepthLandmarks(
        of: sources.map(\.points), at: poses, on: samples,
        reach: surface.scale.units(meters: reach))
      guard landmarks.count > 0 else { break }
      for step in 0..<Self.steps {
        try progress(Double(round * Self.steps + step) / parts)
        self.step(&poses, of: sources, landmarks: landmarks, prior: &prior)
      }
    }
    try progress(1 - 2 / parts)
    let judge = DepthJudge(
      frames: sources.map(\.points), samples: samples, settings: settings, scale: surface.scale)
    let outcomes = judge.outcomes(
      of: poses, insteadOf: sources.map(\.pose), recorded: sources.map(\.recorded),
      isFixed: sources.map(\.isFixed))
    try progress(1)
    return outcomes
  }

  private func step(
    _ poses: inout [Transform], of sources: [Source], landmarks: DepthLandmarks,
    prior: inout PosePrior
  ) {
    let depths = DepthTerms(landmarks, at: poses, unknownCount: 6 * poses.count)
    let expected = prior.terms(PoseChange.motions(from: prior.recorded, to: poses))
    let precision = expected.held(prior.isFixed)
    let equations = ReducedNormalEquations(
      terms: JointTerms(first: depths, second: expected.drift), prior: precision,
      chunkSize: Self.chunkSize)
    var blocks = [SymmetricBlock](repeating: SymmetricBlock(), count: poses.count)
    for index in blocks.indices { blocks[index].addDiagonal(precision[6 * index..<6 * index + 6]) }
    depths.add(to: &blocks)
    expected.drift.add(to: &blocks)
    let preconditioner = BlockPreconditioner(blocks)
    let anchors = sources.map { $0.isFixed ? $0.pose : $0.recorded }
    let right = equations.rightHandSide(offsets: PoseChange.motions(from: anchors, to: poses))
    let moved = poses.moved(bySteps: equations.solve(right, by: Self.gradients, preconditioner))
    for index in poses.indices where !sources[index].isFixed { poses[index] = moved[index] }
    prior.estimateShare(PoseChange.motions(from: prior.recorded, to: poses)) {
      equations.solve($0, by: Self.roughGradients, preconditioner)
    }
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
