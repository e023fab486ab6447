import MeshpipeBase
import MeshpipeScene

/// The normal equations of a least-squares fit of up to eight unknowns.
struct SmallNormalEquations: Sendable {
  /// The share of a diagonal entry below which what is left of it is rounding.
  private static let leastPivot = 1e-9

  private let count: Int
  /// The lower half of the matrix and more.
  private var rows: [SIMD8<Double>]
  private var right = SIMD8<Double>.zero

  /// - Parameter unknownCount: From 1 to 8.
  init(unknownCount: Int) {
    count = unknownCount
    rows = [SIMD8<Double>](repeating: .zero, count: unknownCount)
  }

  /// Adds the equation that the sum of the unknowns times these is a value.
  @inline(__always)
  mutating func add(_ terms: SIMD8<Double>, equals value: Double, weight: Double = 1) {
    let weighted = terms * weight
    right += weighted * value
    for row in 0..<count { rows[row] += weighted * terms[row] }
  }

  mutating func add(_ other: SmallNormalEquations) {
    right += other.right
    for row in 0..<count { rows[row] += other.rows[row] }
  }

  /// The solution by Cholesky's method; nil if the equations do not determine it.
  ///
  /// - Parameter damping: By which the diagonal grows, as a share of it (Levenberg and Marquardt).
  func solution(damping: Double = 0) -> SIMD8<Double>? {
    var triangle: [Double] = []
    for row in 0..<count {
      for column in 0..<row { triangle.append(rows[row][column]) }
      triangle.append(rows[row][row] + damping * rows[row][row])
    }
    let isDefinite = Cholesky.factor(&triangle, count: count) { row, rest in
      rest > Self.leastPivot * rows[row][row] ? rest : nil
    }
    guard isDefinite else { return nil }
    var values = (0..<count).map { right[$0] }
    Cholesky.solve(triangle, count: count, &values)
    var solution = SIMD8<Double>.zero
    for row in 0..<count { solution[row] = values[row] }
    return solution
  }
}
