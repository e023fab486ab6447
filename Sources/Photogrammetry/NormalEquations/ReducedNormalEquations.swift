import MeshPipeline

/// The linearised observations of a least-squares problem, landmark by landmark.
///
/// Each observation depends on the unknowns of one camera, on a few that all cameras share, and on those
/// of one landmark. With J its Jacobian by cameras' and shared unknowns, L that by the landmark's own, W
/// the weights and r the residuals, all of one landmark, E = Lᵀ W L is a small matrix that is inverted
/// directly.
protocol LandmarkTerms: Sendable {
  var landmarkCount: Int { get }
  /// The number of unknowns that remain: those of all cameras, then shared ones.
  var unknownCount: Int { get }

  /// Adds a landmark's part of the reduced matrix times a vector: Jᵀ W (J x − L E⁻¹ Lᵀ W J x).
  func addProduct(of landmark: Int, with vector: [Double], to sums: inout [Double])
  /// Adds its part of the right-hand side, the negative gradient: −Jᵀ W (r − L E⁻¹ Lᵀ W r).
  func addRightHandSide(of landmark: Int, to sums: inout [Double])
}

/// The normal equations of cameras and landmarks, with the landmarks eliminated by their Schur complement,
/// and Gaussian priors for the cameras.
///
/// There are many landmarks and few cameras, and landmarks depend on one another only by way of cameras:
/// so eliminating them costs one small inverse each, and leaves a system of the cameras alone (Brown 1958;
/// Triggs et al., "Bundle adjustment – a modern synthesis", 2000, section 6.1). Its matrix is never formed:
/// conjugate gradients need only its products with vectors, which are sums over landmarks (Agarwal et al.,
/// "Bundle adjustment in the large", 2010).
struct ReducedNormalEquations<Terms: LandmarkTerms>: Sendable {
  let terms: Terms
  /// The precision of each unknown's prior: one over its variance.
  ///
  /// The last unknowns may have none.
  let prior: [Double]
  /// The number of landmarks that are summed by themselves.
  ///
  /// Sums of chunks are added in order, so that
  /// they are equal on any number of threads.
  var chunkSize = Int.max

  /// The right-hand side.
  ///
  /// - Parameter offsets: The distance of each unknown from the mean of its prior; empty for 0.
  func rightHandSide(offsets: [Double] = []) -> [Double] {
    var right = gathered { landmark, sums in terms.addRightHandSide(of: landmark, to: &sums) }
    for index in offsets.indices { right[index] -= prior[index] * offsets[index] }
    return right
  }

  /// The matrix of the observations alone, without the prior, times a vector.
  func observationProduct(with vector: [Double]) -> [Double] {
    gathered { landmark, sums in terms.addProduct(of: landmark, with: vector, to: &sums) }
  }

  /// The matrix times a vector.
  func product(with vector: [Double]) -> [Double] {
    var result = observationProduct(with: vector)
    for index in prior.indices { result[index] += prior[index] * vector[index] }
    return result
  }

  func solve(
    _ right: [Double], from start: [Double]? = nil, by gradients: ConjugateGradients,
    _ preconditioner: some Preconditioner
  ) -> [Double] {
    gradients.solve(right, from: start, preconditioner) { product(with: $0) }
  }

  /// Solves for one more unknown, which borders the system of all others and is eliminated by its Schur
  /// complement: the last one, which has no place in ``prior`` and in the preconditioner.
  ///
  /// - Parameters:
  ///   - precision: The precision of its prior.
  ///   - offset: Its distance from the mean of its prior.
  func solveBordered(
    _ right: [Double], precision: Double, offset: Double, by gradients: ConjugateGradients,
    _ preconditioner: some Preconditioner
  ) -> [Double] {
    var solution = solve(right, by: gradients, preconditioner)
    let last = prior.count
    let (border, response) = border(by: gradients, preconditioner)
    let gradient = right[last] - precision * offset - dot(border, solution)
    let curvature = border[last] + precision - dot(border, response)
    guard curvature > 0, gradient.isFinite else { return solution }
    let change = gradient / curvature
    for index in prior.indices { solution[index] -= change * response[index] }
    solution[last] = change
    return solution
  }

  /// What observations and the others' priors say of the last unknown, while all others are unknown: one over its
  /// variance.
  func informationOnLast(
    by gradients: ConjugateGradients, _ preconditioner: some Preconditioner
  ) -> Double {
    let (border, response) = border(by: gradients, preconditioner)
    return border[prior.count] - dot(border, response)
  }

  /// The last column of the matrix, and the others' response to it.
  private func border(
    by gradients: ConjugateGradients, _ preconditioner: some Preconditioner
  ) -> (column: [Double], response: [Double]) {
    var unit = [Double](repeating: 0, count: prior.count + 1)
    unit[prior.count] = 1
    let column = observationProduct(with: unit)
    return (column, solve(column, by: gradients, preconditioner))
  }

  /// The product of two vectors, without the last unknown.
  private func dot(_ a: [Double], _ b: [Double]) -> Double {
    prior.indices.reduce(0) { $0 + a[$1] * b[$1] }
  }

  private func gathered(
    _ add: @Sendable (_ landmark: Int, _ sums: inout [Double]) -> Void
  ) -> [Double] {
    guard terms.landmarkCount > chunkSize else { return sums(0..<terms.landmarkCount, add) }
    let parts = Parallel.mapChunks(of: terms.landmarkCount, chunkSize: chunkSize) { sums($0, add) }
    var total = [Double](repeating: 0, count: terms.unknownCount)
    for part in parts { for index in total.indices { total[index] += part[index] } }
    return total
  }

  private func sums(
    _ landmarks: Range<Int>, _ add: (_ landmark: Int, _ sums: inout [Double]) -> Void
  ) -> [Double] {
    var sums = [Double](repeating: 0, count: terms.unknownCount)
    for landmark in landmarks { add(landmark, &sums) }
    return sums
  }
}
