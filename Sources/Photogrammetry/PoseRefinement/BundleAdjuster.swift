import MeshpipeBase
import MeshpipeScene
import SurfaceKernels

/// Bundle adjustment of camera poses and landmarks, with the landmarks on the mesh up to its error.
///
/// In: m poses, and n landmarks in units of the scene with k observations in pixels of their frames' images
/// (``PatchTracks``). Unknowns: six of each camera (``PoseChange``), three of each landmark, and perhaps parts of the
/// lens that all frames share (``LensPart``). Minimised: reprojection errors in pixels over their typical size, the
/// landmarks' distances from the mesh over its error, and the poses' distances from the recorded ones over theirs.
///
/// Each landmark may slide along the mesh freely and leave it slightly. Landmarks are eliminated and poses
/// solved together (``ReducedNormalEquations``), so that the first and the last frame of a loop meet
/// (Triggs et al., "Bundle adjustment – a modern synthesis", 2000). Observations are reweighted by their
/// residuals (Geman–McClure) at each Gauss–Newton step.
struct BundleAdjuster {
  let tracks: PatchTracks
  /// The depth measurements of the same frames; empty if they don't count.
  var depths = DepthLandmarks()
  /// The precision of the recorded poses: one over their variances, six per frame.
  let prior: [Double]
  /// The error in pixels that all observations may share.
  let commonError: Double
  /// The unit of the poses.
  let scale: MetricScale
  /// The parts of the lens that are solved together with the poses.
  var lens: [LensPart] = []

  /// Gauss–Newton steps: matching begins again after them, so that more would refine what changes anyhow.
  private static let steps = 6
  /// Landmarks whose terms are summed by themselves.
  private static let chunkSize = 1024
  /// The precision of a number of the lens: one over the square of its usual size.
  ///
  /// Focal length: 1 %, the error of a phone's calibration with autofocus; without it, plane scenes exchange focal length
  /// and distance. Radial distortion: k1 and k2 of phones' lenses are up to 0.1 and 0.2.
  private static let lensPrior = [1 / (0.01 * 0.01), 1 / (0.1 * 0.1), 1 / (0.2 * 0.2)]
  /// The part of ``commonError`` that has the shape of a radial distortion.
  private static let commonRadialShare = 0.4
  /// More exact solutions are of no use: the next step linearises again.
  private static let gradients = ConjugateGradients(relativeTolerance: 1e-6)

  /// The mesh's error in metres: at first, and the least and the greatest that are estimated.
  ///
  /// From an exact mesh to what ``FrameObserver/Limits/meshError`` assumes.
  private static let initialMeshError: Float = 0.005
  private static let leastMeshError: Float = 0.0005
  private static let greatestMeshError: Float = 0.02
  /// Tied to the mesh, landmarks come out too close to it: three times their typical distance is best for
  /// exact meshes, and even more for those that deviate by more than ``leastMeshError``.
  ///
  /// Measured on fused rooms: 2 to 20 instead of 3 change nothing beyond noise.
  private static let meshErrorPerDistance: Float = 3
  private static let meshErrorPerExcess: Float = 8

  /// Moves poses so that landmarks project to where they were found.
  func solve(
    _ poses: inout [Transform], recorded: [Transform], viewed: ([Transform]) -> [ViewedFrame]
  ) {
    var known = LensError()
    solve(&poses, &known, recorded: recorded) { poses, _ in viewed(poses) }
  }

  /// Moves poses, and corrects the lens, so that landmarks project to where they were found.
  ///
  /// - Parameter error: The error of the lens.
  func solve(
    _ poses: inout [Transform], _ error: inout LensError, recorded: [Transform],
    viewed: ([Transform], LensError) -> [ViewedFrame]
  ) {
    guard tracks.count > 0 else { return }
    var positions = tracks.positions.map(\.simd)
    // Of the landmarks from the mesh, along its normal.
    var distances = [Float](repeating: 0, count: tracks.count)
    var meshError = scale.units(meters: Self.initialMeshError)
    for _ in 0..<Self.steps {
      let terms = BundleTerms(
        tracks, positions, distances, in: viewed(poses, error), meshError: meshError)
      let step = step(
        joint(terms, at: poses), offsets: PoseChange.motions(from: recorded, to: poses), error)
      for landmark in 0..<tracks.count {
        let motion = terms.motion(of: landmark, after: step)
        guard motion.x.isFinite, motion.y.isFinite, motion.z.isFinite else { continue }
        positions[landmark] += motion
        distances[landmark] += motion.dot(tracks.normals[landmark].simd)
      }
      meshError = estimatedMeshError(distances)
      poses = poses.moved(bySteps: step)
      for part in lens {
        for number in 0..<part.count {
          error[part].value[number] += step[prior.count + part.first + number]
        }
      }
    }
    let terms = BundleTerms(
      // Colours will be on the mesh, so misalignment there counts.
      tracks, positions, distances, in: viewed(poses, error),
      meshError: scale.units(meters: Self.leastMeshError))
    for part in lens { estimateDeviations(of: part, in: &error, joint(terms, at: poses)) }
    fixGauge(of: &poses, to: recorded, terms)
  }

  /// The standard deviation of a normal distribution over its median absolute deviation.
  private static let deviationPerMedian: Float = 1.48
  /// The greatest autocorrelation from frame to frame: 200 frames that drift then count as one.
  private static let greatestAutocorrelation = 0.99
  /// The least variance of the mean of poses, as a share of the prior's variance, so that it is not 0.
  private static let leastVariance = 1e-3

  /// The error of the mesh, in units of the scene.
  private func estimatedMeshError(_ distances: [Float]) -> Float {
    let typical = (distances.map(abs).median() ?? 0) * Self.deviationPerMedian
    let least = scale.units(meters: Self.leastMeshError)
    let weak = Self.meshErrorPerExcess * (typical - least)
    return min(
      max(Self.meshErrorPerDistance * typical, weak, least),
      scale.units(meters: Self.greatestMeshError))
  }

  /// The next step of all poses, six numbers each, followed by those of the lens.
  private func step(
    _ terms: JointTerms<BundleTerms, DepthTerms>, offsets: [Double], _ error: LensError
  ) -> [Double] {
    let equations = equations(terms)
    let right = equations.rightHandSide(offsets: offsets)
    var blocks = terms.first.blocks(prior: prior)
    terms.second.add(to: &blocks)
    let preconditioner = BlockPreconditioner(blocks)
    let shared = lens.flatMap { part in
      (0..<part.count).map { sharedUnknown(part.first + $0, offset: error[part].value[$0]) }
    }
    return equations.solveBordered(right, shared, by: Self.gradients, preconditioner)
  }

  /// - Parameters:
  ///   - number: Its index among the numbers of the lens.
  ///   - weight: That of its prior.
  private func sharedUnknown(
    _ number: Int, offset: Double = 0, weight: Double = 1
  ) -> SharedUnknown {
    SharedUnknown(
      index: prior.count + number, precision: Self.lensPrior[number] * weight, offset: offset)
  }

  /// Estimates the standard deviations of a part of the lens while the others are unknown, if all observations share an
  /// error of ``commonError``, and all recorded poses one of theirs.
  ///
  /// Observations are many, so that their own errors hardly count. Those that they share do, such as of a rolling shutter
  /// or a mesh that lies elsewhere: focal length, for one, is as uncertain as they can move it, which is little where near
  /// and far things are seen, and much before a wall.
  private func estimateDeviations(
    of part: LensPart, in error: inout LensError, _ terms: JointTerms<BundleTerms, DepthTerms>
  ) {
    let common = commonError * (part == .radialDistortion ? Self.commonRadialShare : 1)
    let scale = 1 / (terms.first.totalWeight * common * common)
    let shared = 6 / Double(prior.count) / scale
    let weak = prior.map { $0 * shared }
    let equations = ReducedNormalEquations(terms: terms, prior: weak, chunkSize: Self.chunkSize)
    var blocks = terms.first.blocks(prior: weak)
    terms.second.add(to: &blocks)
    let own = (0..<part.count).map { sharedUnknown(part.first + $0, weight: 0) }
    let others = lens.filter { $0 != part }.flatMap { other in
      (0..<other.count).map { sharedUnknown(other.first + $0, weight: 1 / scale) }
    }
    guard
      let covariance = equations.covariance(
        of: own + others, by: Self.gradients, BlockPreconditioner(blocks))
    else { return }
    for number in 0..<part.count {
      error[part].deviation[number] = (covariance[number][number] / scale).squareRoot()
    }
    guard part.count == 2 else { return }
    error[part].correlation =
      covariance[0][1] / (covariance[0][0] * covariance[1][1]).squareRoot()
  }

  private func equations<Terms: LandmarkTerms>(_ terms: Terms) -> ReducedNormalEquations<Terms> {
    ReducedNormalEquations(terms: terms, prior: prior, chunkSize: Self.chunkSize)
  }

  private func joint(
    _ terms: BundleTerms, at poses: [Transform]
  ) -> JointTerms<BundleTerms, DepthTerms> {
    JointTerms(
      first: terms,
      second: DepthTerms(depths, at: poses, unknownCount: terms.unknownCount))
  }

  /// Fixes the gauge: moves all poses together towards the recorded ones, as far as images allow.
  ///
  /// The relative poses of cameras are well determined, their common position hardly: an error of a
  /// fraction of a pixel that all observations share moves all cameras by millimetres. Recorded poses
  /// with independent errors have a much more precise mean; those that drift do not.
  private func fixGauge(of poses: inout [Transform], to recorded: [Transform], _ terms: BundleTerms)
  {
    let weight = terms.totalWeight
    guard weight > 0 else { return }
    let equations = equations(terms)
    let center = poses.reduce(SIMD3<Double>.zero) { $0 + $1.translation } / Double(poses.count)
    let lensAtRest = [Double](repeating: 0, count: terms.unknownCount - prior.count)
    let modes = (0..<6).map { mode in
      poses.flatMap { pose -> [Double] in
        var (turn, shift) = (SIMD3<Double>.zero, SIMD3<Double>.zero)
        if mode < 3 { turn[mode] = 1 } else { shift[mode - 3] = 1 }
        shift += turn.cross(pose.translation - center)
        return [turn.x, turn.y, turn.z, shift.x, shift.y, shift.z]
      } + lensAtRest
    }
    let moved = PoseChange.motions(from: recorded, to: poses)
    let precision = Self.precisionOfMean(moved, prior)
    let scale = 1 / (weight * commonError * commonError)
    var block = SymmetricBlock()
    var right = [Double](repeating: 0, count: 6)
    for row in 0..<6 {
      let seen = equations.observationProduct(with: modes[row])
      for index in moved.indices {
        right[row] -= modes[row][index] * precision[index % 6] * moved[index]
      }
      for column in 0...row {
        var sum = 0.0
        for index in moved.indices {
          sum +=
            modes[column][index]
            * (scale * seen[index] + precision[index % 6] * modes[row][index])
        }
        block.add(sum, row: row, column: column)
      }
    }
    block.factor()
    var solution = right
    block.solve(right, at: 0, into: &solution)
    var step = [Double](repeating: 0, count: moved.count)
    for mode in 0..<6 {
      for index in step.indices { step[index] += solution[mode] * modes[mode][index] }
    }
    poses = poses.moved(bySteps: step)
  }

  /// Each frame's contribution to the precision of the mean of the recorded poses: six numbers.
  ///
  /// From how far frames moved on their own, and how much each moved like the one before.
  private static func precisionOfMean(_ moved: [Double], _ prior: [Double]) -> [Double] {
    let count = moved.count / 6
    guard count > 3 else { return Array(prior.prefix(6)) }
    let means = (0..<6).map { axis in
      stride(from: axis, to: moved.count, by: 6).reduce(0) { $0 + moved[$1] } / Double(count)
    }
    let own = moved.indices.map { moved[$0] - means[$0 % 6] }
    var (shared, all) = (0.0, 0.0)
    for index in 6..<own.count { shared += prior[index] * own[index] * own[index - 6] }
    for index in own.indices { all += prior[index] * own[index] * own[index] }
    // A first-order autoregression: the more similar neighbours are, the fewer frames count.
    let autocorrelation = all > 0 ? min(max(shared / all, 0), greatestAutocorrelation) : 0
    let share = (1 - autocorrelation) / (1 + autocorrelation)
    return (0..<6).map { axis in
      let variance =
        stride(from: axis, to: own.count, by: 6).reduce(0) { $0 + own[$1] * own[$1] }
        / Double(count)
      return share / (variance + leastVariance / prior[axis])
    }
  }
}

extension PoseChange {
  /// The motion from some poses to others: rotation and translation of each, six numbers.
  static func motions(from recorded: [Transform], to poses: [Transform]) -> [Double] {
    zip(recorded, poses).flatMap { old, new -> [Double] in
      let change = PoseChange(from: old, to: new)
      let (turn, shift) = (change.rotation, change.translation)
      return [turn.x, turn.y, turn.z, shift.x, shift.y, shift.z]
    }
  }
}

extension [Transform] {
  /// Poses after six numbers of motion each.
  func moved(bySteps step: [Double]) -> [Transform] {
    indices.map { index in
      let part = step[6 * index..<6 * index + 6].map(\.self)
      return self[index].moved(
        by: PoseChange(
          rotation: SIMD3(part[0], part[1], part[2]),
          translation: SIMD3(part[3], part[4], part[5])))
    }
  }
}
