package import MeshPipeline
import POSIX

/// Moves the cameras of a capture so that all frames show the same at the same point of the mesh.
///
/// After Zhou and Koltun, "Color map optimization for 3D reconstruction with consumer depth
/// cameras" (2014): spots of the mesh have one appearance each, which all frames share, and poses
/// minimise the difference. Beyond that: details of the logarithm instead of brightness, so that
/// exposure and white balance drop out; all poses in one system with the appearances eliminated,
/// which also removes slow drifts; spots may leave an inaccurate mesh slightly; coarse to fine;
/// robust weights by frame and by sighting; and held-out spots, by which each new pose is judged.
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
    /// Steps at each scale.
    var steps: Int
    /// Columns of the grid over each image in which spots are chosen.
    var columns: Int
    /// Whether each image gets a warp for errors that its pose does not explain.
    var findsWarps: Bool

    package init(
      expectedShift: Double, expectedTurn: Double, greatestShift: Double, greatestTurn: Double,
      steps: Int = 6, columns: Int = 40, findsWarps: Bool = true
    ) {
      self.expectedShift = expectedShift
      self.expectedTurn = expectedTurn
      self.greatestShift = greatestShift
      self.greatestTurn = greatestTurn
      self.steps = steps
      self.columns = columns
      self.findsWarps = findsWarps
    }
  }

  /// The data of a frame that is kept in memory.
  package struct Source: Sendable {
    var frame: Capture.Frame
    var grey: GreyPicture
    var view: CleanView

    package init(frame: Capture.Frame, grey: GreyPicture, view: CleanView) {
      self.frame = frame
      self.grey = grey
      self.view = view
    }
  }

  /// The frame's new pose, and the verdict on it.
  package struct Outcome: Sendable {
    package var pose: Transform
    package var verdict: PoseVerdict
    /// Nil if pose and lens are sufficient.
    package var warp: ImageWarp?
  }

  /// The result for all frames.
  package struct Result: Sendable {
    package var outcomes: [Outcome]
    /// The factor of the focal length of every frame.
    package var focalScale = 1.0
  }

  /// - Parameter progress: Called with rising fractions up to 1; may throw to stop.
  package func refined(
    _ sources: [Source], progress: (Double) throws -> Void
  ) throws -> Result {
    let recorded = sources.map(\.frame.pose)
    var poses = recorded
    var focal = 0.0
    var pictures = DetailPictures(of: sources)
    switch try align(&poses, &focal, sources, &pictures, progress: { try progress(0.6 * $0) }) {
    case .exact(let misses):
      return Result(
        outcomes: zip(recorded, misses.ofFrames).map {
          Outcome(pose: $0, verdict: PoseVerdict(keptWithMiss: $1))
        })
    case .found(let before, let after):
      var outcomes = judged(poses, focal, sources, pictures.reduced(by: 1), before, after)
      // Poses and the focal length that they were found with are only valid together.
      let improved = outcomes.count(where: \.verdict.isBetter)
      guard focal == 0 || 2 * improved > outcomes.count else { return kept(sources, before) }
      if settings.findsWarps {
        let warps = self.warps(
          of: sources, pictures.ofWidth(960), at: outcomes.map(\.pose), focal: focal)
        for index in outcomes.indices { outcomes[index].warp = warps[index] }
      }
      return Result(outcomes: outcomes, focalScale: exp(focal))
    case .nothing:
      return Result(outcomes: try followed(sources, &pictures, progress: progress))
    }
  }

  /// All recorded poses.
  private func kept(_ sources: [Source], _ misses: Misses) -> Result {
    Result(
      outcomes: zip(sources, misses.ofFrames).map {
        Outcome(pose: $0.frame.pose, verdict: PoseVerdict(keptWithMiss: $1))
      })
  }

  /// Judges poses that were found by tiles.
  private func judged(
    _ poses: [Transform], _ focal: Double, _ sources: [Source], _ pictures: [DetailPicture],
    _ before: Misses, _ after: Misses
  ) -> [Outcome] {
    let recorded = sources.map(\.frame.pose)
    let frames = viewed(sources, poses, pictures, focal)
    // A part of the spots that a fit needs is enough for a verdict.
    let cells = min(cells(sources.count), 24)
    let surfels = Surfels(of: frames, on: surface, cells: cells)
    let verdicts = PoseJudge(surfels: surfels, settings: settings)
      .verdicts(
        on: poses, of: frames, insteadOf: recorded, of: viewed(sources, recorded, pictures),
        misses: (before.ofFrames, after.ofFrames))
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

  /// Columns of cells in which spots are chosen: few per frame are enough if many frames see each.
  private func cells(_ count: Int) -> Int {
    max(8, min(settings.columns, Int((80_000 / Double(max(count, 1))).squareRoot())))
  }

  /// Follows the gradients of the images, from coarse to fine: where tiles are too similar to each
  /// other, or too few.
  private func followed(
    _ sources: [Source], _ pictures: inout DetailPictures, progress: (Double) throws -> Void
  ) throws -> [Outcome] {
    let recorded = sources.map(\.frame.pose)
    var poses = recorded
    var meshError = 0.005 * surface.unitsPerMeter
    let factors = self.factors(sources)
    for (level, factor) in factors.enumerated() {
      let pictures = pictures.reduced(by: factor)
      var surfels = Surfels(
        of: viewed(sources, poses, pictures), on: surface, cells: cells(sources.count))
      var errors = [Float](repeating: Consensus.initialError, count: sources.count)
      for step in 0..<settings.steps {
        let part = (Double(level) + Double(step) / Double(settings.steps)) / Double(factors.count)
        try progress(0.6 + 0.4 * part)
        move(
          &poses, from: recorded, by: &surfels, viewed(sources, poses, pictures), &errors,
          &meshError)
      }
      guard level == factors.count - 1 else { continue }
      let verdicts = PoseJudge(surfels: surfels, settings: settings)
        .verdicts(
          on: poses, of: viewed(sources, poses, pictures),
          insteadOf: recorded, of: viewed(sources, recorded, pictures), misses: nil)
      return outcomes(poses, recorded, verdicts)
    }
    return []
  }

  static let coarsest = 100

  /// The width of the widest image.
  static func width(_ sources: [Source]) -> Int { sources.map(\.grey.width).max() ?? 0 }

  /// The numbers of pixels of the grey images that become one, from coarse to fine.
  private func factors(_ sources: [Source]) -> [Int] {
    let width = Self.width(sources)
    var factors = [1]
    while width / factors[0] >= Self.coarsest { factors.insert(factors[0] * 2, at: 0) }
    return factors
  }

  /// - Parameter focal: The logarithm of the factor of focal lengths.
  func viewed(
    _ sources: [Source], _ poses: [Transform], _ pictures: [DetailPicture], _ focal: Double = 0
  ) -> [ViewedFrame] {
    sources.indices.map { index in
      var frame = sources[index].frame
      frame.pose = poses[index]
      if focal != 0 { frame.intrinsics.focalLength *= exp(focal) }
      return ViewedFrame(
        camera: Camera(frame), picture: pictures[index], view: sources[index].view)
    }
  }

  /// Takes one step of all poses.
  ///
  /// - Parameters:
  ///   - errors: The typical error of each frame, which the step estimates again.
  ///   - meshError: The error of the mesh, likewise.
  private func move(
    _ poses: inout [Transform], from recorded: [Transform], by surfels: inout Surfels,
    _ frames: [ViewedFrame], _ errors: inout [Float], _ meshError: inout Float
  ) {
    let rows = Linearization(surfels, in: frames).rows
    for _ in 0..<2 {
      errors = Consensus(rows, surfels, errors: errors).errors(surfels, frames: frames.count)
    }
    let consensus = Consensus(rows, surfels, errors: errors)
    let solver = PoseSolver(
      surfels: surfels, rows: rows, weights: consensus.weights, meshError: meshError,
      frameCount: frames.count, prior: prior(frames.count))
    let step = solver.step(
      residuals: consensus.residuals, moved: PoseChange.motions(from: recorded, to: poses))
    let found = solver.estimatedMeshError(residuals: consensus.residuals)
    // The estimate lacks what the fit absorbs: three times as much worked best for meshes of known
    // error, and never less than half a millimetre.
    let unit = surface.unitsPerMeter
    meshError = min(max(3 * found, 0.0005 * unit), 0.02 * unit)
    surfels.offsets = solver.offsets(after: step, residuals: consensus.residuals)
    poses = poses.moved(bySteps: step)
  }

  func prior(_ count: Int) -> [Double] {
    let turn = 1 / (settings.expectedTurn * settings.expectedTurn)
    let shift = 1 / (settings.expectedShift * settings.expectedShift)
    return (0..<count).flatMap { _ in [turn, turn, turn, shift, shift, shift] }
  }
}
