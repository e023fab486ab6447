import MeshpipeScene

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

/// An unknown that all cameras share, after theirs: it is neither in ``ReducedNormalEquations/prior`` nor in the
/// preconditioner.
struct SharedUnknown: Sendable {
  var index: Int
  /// The precision of its prior.
  var precision: Double
  /// The distance of the unknown from the mean of its prior.
  var offset = 0.0
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

  /// Solves for some shared unknowns, too, which border the system of all others and are eliminated by its Schur
  /// complement.
  ///
  /// Up to six; those that are not listed stay.
  func solveBordered(
    _ right: [Double], _ shared: [SharedUnknown], by gradients: ConjugateGradients,
    _ preconditioner: some Preconditioner
  ) -> [Double] {
    var solution = solve(right, by: gradients, preconditioner)
    let borders = borders(shared, by: gradients, preconditioner)
    let gradient = zip(shared, borders).map { unknown, border in
      right[unknown.index] - unknown.precision * unknown.offset - dot(border.column, solution)
    }
    guard let changes = Self.solved(gradient, curvature(shared, borders)) else { return solution }
    for (place, change) in changes.enumerated() {
      for index in prior.indices { solution[index] -= change * borders[place].response[index] }
      solution[shared[place].index] = change
    }
    return solution
  }

  /// The covariance of shared unknowns while all others are unknown; nil if it can't be told.
  func covariance(
    of shared: [SharedUnknown], by gradients: ConjugateGradients,
    _ preconditioner: some Preconditioner
  ) -> [[Double]]? {
    let curvature = curvature(shared, borders(shared, by: gradients, preconditioner))
    let columns = shared.indices.compactMap { column in
      Self.solved(shared.indices.map { $0 == column ? 1 : 0 }, curvature)
    }
    return columns.count == shared.count ? columns : nil
  }

  /// Columns of the matrix, and the others' response to them.
  private func borders(
    _ shared: [SharedUnknown], by gradients: ConjugateGradients,
    _ preconditioner: some Preconditioner
  ) -> [(column: [Double], response: [Double])] {
    shared.map { unknown in
      var unit = [Double](repeating: 0, count: terms.unknownCount)
      unit[unknown.index] = 1
      let column = observationProduct(with: unit)
      return (column, solve(column, by: gradients, preconditioner))
    }
  }

  /// The Schur complement of the cameras, row by row.
  private func curvature(
    _ shared: [SharedUnknown], _ borders: [(column: [Double], response: [Double])]
  ) -> [[Double]] {
    shared.indices.map { row in
      shared.indices.map { column in
        borders[row].column[shared[column].index]
          - dot(borders[row].column, borders[column].response)
          + (row == column ? shared[row].precision : 0)
      }
    }
  }

  /// The solution of a small positive definite system; nil if it is not.
  private static func solved(_ right: [Double], _ matrix: [[Double]]) -> [Double]? {
    guard !right.isEmpty, right.allSatisfy(\.isFinite) else { return nil }
    var block = SymmetricBlock()
    for row in 0..<6 {
      guard matrix.indices.contains(row) else {
        block.add(1, row: row, column: row)
        continue
      }
      for column in 0...row { block.add(matrix[row][column], row: row, column: column) }
    }
    block.factor()
    var solution = [Double](repeating: 0, count: 6)
    block.solve(right + solution[right.count...], at: 0, into: &solution)
    let energy = right.indices.reduce(0) { $0 + right[$1] * solution[$1] }
    return energy > 0 && energy.isFinite ? Array(solution.prefix(right.count)) : nil
  }

  /// The product of two vectors, without the shared unknowns.
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
