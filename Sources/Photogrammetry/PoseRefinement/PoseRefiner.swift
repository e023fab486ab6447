package import MeshpipeScene
import POSIX

/// Moves the cameras of a capture so that all frames show the same at the same point of the mesh.
///
/// In: a mesh, which stays as it is, in units and axes of the scene; frames with approximate poses (camera to world,
/// as recorded), intrinsics and lens. Out: poses in the same frame, a factor of all focal lengths, and a warp of each
/// image. Poses change by six numbers each: rotation (axis times angle) about the camera's centre and translation,
/// both in the axes of the world (``PoseChange``).
///
/// Patches of each image are matched in others, predicted by poses and mesh (``PatchTracks``); poses are
/// bundle-adjusted (``BundleAdjuster``) and patches matched again, from coarse to fine. Each new pose is then
/// judged by details of the images that took no part (``PoseJudge``), and what poses leave unexplained is
/// corrected by a smooth warp of each image (``WarpSolver``). Details are those of the logarithm of
/// brightness, so that exposure and white balance drop out.
package struct PoseRefiner {
  let surface: ObservedSurface
  let settings: Settings

  package init(surface: ObservedSurface, settings: Settings) {
    self.surface = surface
    self.settings = settings
  }

  package struct Settings: Sendable {
    /// The approximate error of recorded cameras' positions, in units of the scene.
    var expectedShift: Double
    /// The approximate error of recorded cameras' rotations, in radians.
    var expectedTurn: Double
    /// A camera that moves further is reset to its recorded pose.
    var greatestShift: Double
    var greatestTurn: Double
    /// Whether each image gets a warp for errors that its pose does not explain.
    var findsWarps: Bool

    package init(
      expectedShift: Double, expectedTurn: Double, greatestShift: Double, greatestTurn: Double,
      findsWarps: Bool
    ) {
      self.expectedShift = expectedShift
      self.expectedTurn = expectedTurn
      self.greatestShift = greatestShift
      self.greatestTurn = greatestTurn
      self.findsWarps = findsWarps
    }

    /// The precision of a recorded pose: one over the variances of its rotation about, and its position along, each
    /// axis.
    var precision: [Double] {
      let turn = 1 / (expectedTurn * expectedTurn)
      let shift = 1 / (expectedShift * expectedShift)
      return [turn, turn, turn, shift, shift, shift]
    }

    /// Whether a camera moved further than is plausible.
    func isTooFar(_ motion: PoseChange) -> Bool {
      motion.translation.length > greatestShift || motion.rotation.length > greatestTurn
    }
  }

  /// The data of a frame that is kept in memory.
  package struct Source: Sendable {
    var frame: Capture.Frame
    var grayscale: GrayscaleImage
    var mask: ReliabilityMask
    /// The measurements of the frame's depth map; nil if they don't count.
    var depths: DepthPoints?

    package init(
      frame: Capture.Frame, grayscale: GrayscaleImage, mask: ReliabilityMask,
      depths: DepthPoints? = nil
    ) {
      self.frame = frame
      self.grayscale = grayscale
      self.mask = mask
      self.depths = depths
    }
  }

  /// The frame's new pose, and the verdict on it.
  package struct Outcome: Sendable {
    package var pose: Transform
    package var verdict: PoseVerdict
    /// The warp of the image; nil if pose and lens are sufficient.
    package var warp: ImageWarp?
  }

  /// The result for all frames.
  package struct Result: Sendable {
    package var outcomes: [Outcome]
    /// The error of the lens of every frame.
    package var lens = LensError()
  }

  /// Refines the poses of the frames, and finds an error of their lens and a warp of each image.
  ///
  /// A single frame keeps its pose, since poses are judged by other frames.
  ///
  /// - Parameter progress: Called with rising fractions up to 1; may throw to stop.
  /// - Returns: One outcome per source, in their order; poses are camera to world, in units of the scene.
  /// - Throws: What `progress` throws.
  package func refined(
    _ sources: [Source], progress: (Double) throws -> Void
  ) throws -> Result {
    let recorded = sources.map(\.frame.pose)
    guard sources.count > 1 else {
      return Result(
        outcomes: recorded.map { Outcome(pose: $0, verdict: PoseVerdict(keptWithResidual: .nan)) })
    }
    var poses = recorded
    var (lens, corrected) = (LensError(), sources)
    var images = BandPassImages(of: sources)
    switch try align(
      &poses, lens: &lens, sources: &corrected, images: &images,
      progress: { try progress(Self.alignmentShare * $0) })
    {
    case .exact(let residuals):
      return Result(
        outcomes: zip(recorded, residuals.ofFrames).map {
          Outcome(pose: $0, verdict: PoseVerdict(keptWithResidual: $1))
        })
    case .found(let before, let after):
      var outcomes = judged(
        poses, of: corrected, insteadOf: sources, in: images.reduced(by: 1), before: before,
        after: after)
      // Poses and the lens that they were found with are only valid together.
      let improved = outcomes.count(where: \.verdict.isBetter)
      guard lens.isNone || 2 * improved > outcomes.count else {
        return kept(sources, before)
      }
      if settings.findsWarps {
        let warps = self.warps(
          of: corrected, images.ofWidth(Self.warpWidth), at: outcomes.map(\.pose))
        for index in outcomes.indices { outcomes[index].warp = warps[index] }
      }
      return Result(outcomes: outcomes, lens: lens)
    case .nothing:
      return Result(
        outcomes: recorded.map { Outcome(pose: $0, verdict: PoseVerdict(keptWithResidual: .nan)) })
    }
  }

  /// The result that keeps all recorded poses.
  private func kept(_ sources: [Source], _ residuals: Misalignment) -> Result {
    Result(
      outcomes: zip(sources, residuals.ofFrames).map {
        Outcome(pose: $0.frame.pose, verdict: PoseVerdict(keptWithResidual: $1))
      })
  }

  /// Judges poses that were found by patches.
  private func judged(
    _ poses: [Transform], of sources: [Source], insteadOf present: [Source],
    in images: [BandPassImage], before: Misalignment, after: Misalignment
  ) -> [Outcome] {
    let recorded = sources.map(\.frame.pose)
    let frames = viewed(sources, at: poses, in: images)
    let landmarks = PhotometricLandmarks(of: frames, on: surface, columns: columns(sources.count))
    let verdicts = PoseJudge(landmarks: landmarks, settings: settings)
      .verdicts(
        on: poses, of: frames, insteadOf: recorded, of: viewed(present, at: recorded, in: images),
        residuals: (before.ofFrames, after.ofFrames))
    return outcomes(poses, recorded, verdicts)
  }

  private func outcomes(
    _ poses: [Transform], _ recorded: [Transform], _ verdicts: [PoseVerdict]
  ) -> [Outcome] {
    poses.indices.map { index in
      Outcome(
        pose: verdicts[index].isBetter ? poses[index] : recorded[index], verdict: verdicts[index])
    }
  }

  /// The number of judging landmarks of all frames, about: more take time without changing verdicts, fewer leave
  /// frames of a large capture without one.
  private static let mostLandmarks = 80_000.0
  private static let fewestColumns = 8
  /// The columns where ``mostLandmarks`` allows them: cells of 40 pixels in an image of the usual width of 960.
  private static let columns = 24
  /// The width of the images that warps are found in, in pixels: as exact as matching gets (``levels``).
  private static let warpWidth = 960
  /// The part of the time that patches take.
  private static let alignmentShare = 0.6

  /// Columns of the grid in which judging landmarks are chosen: few per frame are enough if many frames see each.
  private func columns(_ count: Int) -> Int {
    let most = Int((Self.mostLandmarks / Double(max(count, 1))).squareRoot())
    return max(Self.fewestColumns, min(Self.columns, most))
  }

  /// The width of the widest image.
  static func width(_ sources: [Source]) -> Int { sources.map(\.grayscale.width).max() ?? 0 }

  /// - Parameter lens: What the lens of all frames is off by.
  func viewed(
    _ sources: [Source], at poses: [Transform], in images: [BandPassImage],
    through lens: LensError = LensError()
  ) -> [ViewedFrame] {
    sources.indices.map { index in
      var frame = sources[index].frame
      frame.pose = poses[index]
      lens.correct(&frame.intrinsics, &frame.distortion)
      return ViewedFrame(
        camera: Camera(frame), image: images[index], mask: sources[index].mask)
    }
  }

  func prior(_ count: Int) -> [Double] {
    (0..<count).flatMap { _ in settings.precision }
  }
}
