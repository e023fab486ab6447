/// An approximate inverse of a system's matrix, which conjugate gradients need fewer iterations with.
protocol Preconditioner {
  func apply(_ residual: [Double]) -> [Double]
}

/// The matrix's diagonal (Jacobi).
struct DiagonalPreconditioner: Preconditioner {
  /// All greater than 0.
  let diagonal: [Double]

  func apply(_ residual: [Double]) -> [Double] { zip(residual, diagonal).map { $0 / $1 } }
}

/// The 6 × 6 blocks on the matrix's diagonal, one for each camera.
///
/// Block Jacobi, as in Agarwal et al., "Bundle adjustment in the large" (2010).
struct BlockPreconditioner: Preconditioner {
  private let factors: [SymmetricBlock]

  /// - Parameter blocks: Of the first six unknowns, the next six, and so on. Unknowns after those of the
  ///   blocks keep their initial value.
  init(_ blocks: [SymmetricBlock]) {
    factors = blocks.map { block in
      var block = block
      block.factor()
      return block
    }
  }

  func apply(_ residual: [Double]) -> [Double] {
    var result = [Double](repeating: 0, count: residual.count)
    for camera in factors.indices { factors[camera].solve(residual, at: 6 * camera, into: &result) }
    return result
  }
}

/// Preconditioned conjugate gradients (Hestenes and Stiefel 1952; Golub and Van Loan, Matrix Computations)
/// for a symmetric positive definite system that is known only by its products with vectors.
struct ConjugateGradients {
  /// Iterations end when the residual's squared norm, as the preconditioner measures it, is below this
  /// share of the first.
  var relativeTolerance: Double
  /// Or below this value.
  var absoluteTolerance = 0.0
  var maximumIterations = 60

  /// - Parameters:
  ///   - start: The initial solution; nil for 0, which saves a product.
  ///   - product: The matrix times a vector.
  func solve(
    _ right: [Double], from start: [Double]? = nil, _ preconditioner: some Preconditioner,
    product: ([Double]) -> [Double]
  ) -> [Double] {
    var solution = start ?? [Double](repeating: 0, count: right.count)
    var residual = start.map { zip(right, product($0)).map { $0 - $1 } } ?? right
    var scaled = preconditioner.apply(residual)
    var direction = scaled
    var energy = Self.dot(residual, scaled)
    let limit = energy * relativeTolerance + absoluteTolerance
    for _ in 0..<maximumIterations where energy > limit {
      let image = product(direction)
      let curvature = Self.dot(direction, image)
      guard curvature > 0, curvature.isFinite else { break }
      let length = energy / curvature
      for index in solution.indices {
        solution[index] += length * direction[index]
        residual[index] -= length * image[index]
      }
      scaled = preconditioner.apply(residual)
      let next = Self.dot(residual, scaled)
      let turn = next / energy
      for index in direction.indices { direction[index] = scaled[index] + turn * direction[index] }
      energy = next
    }
    return solution
  }

  /// Four sums side by side: a single one would wait for each addition.
  private static func dot(_ a: [Double], _ b: [Double]) -> Double {
    var sums = SIMD4<Double>.zero
    let whole = a.count & ~3
    for index in stride(from: 0, to: whole, by: 4) {
      let left = SIMD4(a[index], a[index + 1], a[index + 2], a[index + 3])
      let right = SIMD4(b[index], b[index + 1], b[index + 2], b[index + 3])
      sums += left * right
    }
    var sum = sums.sum()
    for index in whole..<a.count { sum += a[index] * b[index] }
    return sum
  }
}
