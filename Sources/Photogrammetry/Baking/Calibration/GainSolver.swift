import MeshpipeBase
import MeshpipeScene
import SurfaceKernels

/// Separates observations of the same vertices into a part of the vertex and a part of the frame.
///
/// In logarithms: value(vertex, frame) = vertex + frame + slope(group of the vertex) · obliquity, by
/// robust least squares (iteratively reweighted) with a Gaussian prior for the frames and the slopes: the
/// gain compensation of Brown and Lowe, "Automatic panoramic image stitching" (2007), over vertices instead
/// of pairs of images. Frames are the cameras and vertices the landmarks of ``ReducedNormalEquations``;
/// memory is linear in the observations.
struct GainSolver: Sendable {
  /// A logarithm as observed by one frame; a weight of 0 excludes it.
  struct Observation: Sendable {
    var frame: Int32
    var value: Float
    var weight: Float
    /// The obliquity of the frame's view of the vertex, by which the slope of the vertex's group is multiplied.
    var obliquity: Float = 0
  }

  /// The strengths with which the frames and the slopes are drawn to 0.
  ///
  /// Many thousand vertices in one frame share its systematic errors, so their number says little
  /// about how well they determine its level. Strengths are therefore relative to the precision of
  /// the observations, whatever their number.
  struct Prior {
    /// The precision of each frame's prior as a multiple of the precision of its observations.
    var strengths: [Float]
    /// The precision of each slope's prior, as a multiple of the mean precision of the frames' observations.
    var slopeStrength: Float = .infinity

    /// Just enough to fix unknowns that no observation determines.
    static func weak(frameCount: Int) -> Prior {
      Prior(strengths: [Float](repeating: weakStrength, count: frameCount))
    }

    /// Pulls a frame by one part in ten thousand of what its observations say.
    private static let weakStrength: Float = 1e-4
  }

  struct Solution {
    /// The part of each frame.
    var levels: [Float]
    /// The effect of obliquity on the vertices of each group.
    var slopes: [Float]
  }

  fileprivate let offsets: [Int]
  /// The group of each vertex; empty if there are no slopes.
  fileprivate let groups: [UInt8]
  fileprivate let groupCount: Int
  fileprivate let observations: [Observation]
  fileprivate let frameCount: Int
  /// Residuals larger than this get smaller weights (Cauchy's weight function).
  private let scale: Float

  /// Nearly exact: unknowns are few, and each round of reweighting starts from the last solution.
  private static let gradients = ConjugateGradients(
    relativeTolerance: 1e-10, absoluteTolerance: 1e-18)
  /// Added to the diagonal that conditions the system, which is 0 for frames without observations.
  private static let leastDiagonal = 1e-6

  /// - Parameters:
  ///   - offsets: Where the observations of each vertex begin, and the end of the last.
  ///   - groups: The group of each vertex, whose vertices share a slope; empty to estimate none.
  ///   - scale: The residual at which an observation has half its weight.
  init(
    offsets: [Int], groups: [UInt8] = [], observations: [Observation], frameCount: Int, scale: Float
  ) {
    self.offsets = offsets
    self.groups = groups
    groupCount = groups.max().map { Int($0) + 1 } ?? 0
    self.observations = observations
    self.frameCount = frameCount
    self.scale = scale
  }

  /// The number of times that weights are made from residuals: they settle after some rounds.
  private static let reweightingRounds = 6
  /// The greatest strength of the slopes' prior, so that an infinite one stays finite in the matrix: slopes are 0.
  private static let greatestStrength = 1e6

  /// The parts of the frames, with a mean of 0 when weighted by how much they see, and the slopes.
  func solve(_ prior: Prior) -> Solution {
    var unknowns = [Double](repeating: 0, count: frameCount + groupCount)
    var robust = observations.map(\.weight)
    for round in 0..<Self.reweightingRounds {
      unknowns = solved(robust, prior, from: unknowns)
      guard round + 1 < Self.reweightingRounds else { break }
      forEachVertex { vertex, range in
        let residuals = residuals(of: vertex, range, unknowns, robust)
        for (index, residual) in zip(range, residuals) {
          let ratio = Float(residual) / scale
          robust[index] = observations[index].weight / (1 + ratio * ratio)
        }
      }
    }
    return Solution(
      levels: anchored(Array(unknowns[..<frameCount]), robust),
      slopes: unknowns[frameCount...].map { Float($0) })
  }

  private func anchored(_ levels: [Double], _ weights: [Float]) -> [Float] {
    var sums = [Double](repeating: 0, count: frameCount)
    for (observation, weight) in zip(observations, weights) {
      sums[Int(observation.frame)] += Double(weight)
    }
    let total = sums.reduce(0, +)
    guard total > 0 else { return [Float](repeating: 0, count: frameCount) }
    let mean = zip(sums, levels).reduce(0) { $0 + $1.0 * $1.1 } / total
    return levels.indices.map { sums[$0] > 0 ? Float(levels[$0] - mean) : 0 }
  }

  @inline(__always)
  private func forEachVertex(_ body: (Int, Range<Int>) -> Void) {
    for vertex in 0..<offsets.count - 1 { body(vertex, offsets[vertex]..<offsets[vertex + 1]) }
  }

  /// The model's value of an observation for these unknowns, without the part of its vertex.
  @inline(__always)
  fileprivate func predicted(_ index: Int, of vertex: Int, _ unknowns: [Double]) -> Double {
    let observation = observations[index]
    let level = unknowns[Int(observation.frame)]
    guard groupCount > 0 else { return level }
    return level + unknowns[frameCount + Int(groups[vertex])] * Double(observation.obliquity)
  }

  /// The residuals of a vertex's observations, whose weighted mean is the part of the vertex.
  private func residuals(
    of vertex: Int, _ range: Range<Int>, _ unknowns: [Double], _ weights: [Float]
  ) -> [Double] {
    var (sum, total) = (0.0, 0.0)
    let values = range.map { index in
      let value = Double(observations[index].value) - predicted(index, of: vertex, unknowns)
      sum += Double(weights[index]) * value
      total += Double(weights[index])
      return value
    }
    guard total > 0 else { return values }
    return values.map { $0 - sum / total }
  }

  /// The unknowns for weights of the observations.
  private func solved(_ weights: [Float], _ prior: Prior, from start: [Double]) -> [Double] {
    let terms = GainTerms(solver: self, weights: weights)
    let precisions = terms.precisions()
    let priors = priorPrecisions(precisions, prior)
    let equations = ReducedNormalEquations(terms: terms, prior: priors)
    let diagonal = zip(precisions, priors).map { $0 + $1 + Self.leastDiagonal }
    return equations.solve(
      equations.rightHandSide(), from: start, by: Self.gradients,
      DiagonalPreconditioner(diagonal: diagonal))
  }

  /// The precision of the prior of each unknown.
  private func priorPrecisions(_ precisions: [Double], _ prior: Prior) -> [Double] {
    let mean = precisions[..<frameCount].reduce(0, +) / Double(max(1, frameCount))
    return precisions.indices.map { index in
      index < frameCount
        ? Double(prior.strengths[index]) * precisions[index]
        : min(Double(prior.slopeStrength), Self.greatestStrength) * mean
    }
  }
}

/// The observations with their present weights.
///
/// A vertex has one unknown of its own, the weighted mean of
/// what its frames leave unexplained.
private struct GainTerms: LandmarkTerms {
  let solver: GainSolver
  let weights: [Float]

  var landmarkCount: Int { solver.offsets.count - 1 }
  var unknownCount: Int { solver.frameCount + solver.groupCount }

  func addProduct(of landmark: Int, with vector: [Double], to sums: inout [Double]) {
    add(landmark, to: &sums) { solver.predicted($0, of: landmark, vector) }
  }

  func addRightHandSide(of landmark: Int, to sums: inout [Double]) {
    add(landmark, to: &sums) { Double(solver.observations[$0].value) }
  }

  /// Adds the values of a vertex's observations, minus their mean, times their weights.
  @inline(__always)
  private func add(_ vertex: Int, to sums: inout [Double], _ value: (_ index: Int) -> Double) {
    let range = solver.offsets[vertex]..<solver.offsets[vertex + 1]
    var (sum, total) = (0.0, 0.0)
    for index in range {
      sum += Double(weights[index]) * value(index)
      total += Double(weights[index])
    }
    guard total > 0 else { return }
    let mean = sum / total
    for index in range {
      let observation = solver.observations[index]
      let part = Double(weights[index]) * (value(index) - mean)
      sums[Int(observation.frame)] += part
      if solver.groupCount > 0 {
        sums[solver.frameCount + Int(solver.groups[vertex])] +=
          part * Double(observation.obliquity)
      }
    }
  }

  /// The diagonal of the reduced matrix: the precision of each unknown from the observations alone.
  func precisions() -> [Double] {
    var result = [Double](repeating: 0, count: unknownCount)
    for vertex in 0..<landmarkCount {
      let range = solver.offsets[vertex]..<solver.offsets[vertex + 1]
      var (total, first, second) = (0.0, 0.0, 0.0)
      for index in range {
        let (weight, slant) = (
          Double(weights[index]), Double(solver.observations[index].obliquity)
        )
        total += weight
        first += weight * slant
        second += weight * slant * slant
      }
      guard total > 0 else { continue }
      for index in range {
        let weight = Double(weights[index])
        result[Int(solver.observations[index].frame)] += weight * (1 - weight / total)
      }
      if solver.groupCount > 0 {
        result[solver.frameCount + Int(solver.groups[vertex])] += second - first * first / total
      }
    }
    return result
  }
}
