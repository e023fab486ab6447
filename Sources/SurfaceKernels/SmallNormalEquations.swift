import MeshpipeScene

/// The normal equations of a least-squares fit of up to eight unknowns.
struct SmallNormalEquations: Sendable {
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
    var factor = rows
    var values = right
    for row in 0..<count {
      for column in 0...row {
        var sum = factor[row][column]
        if row == column { sum += damping * sum }
        for place in 0..<column { sum -= factor[row][place] * factor[column][place] }
        if row != column {
          factor[row][column] = sum / factor[column][column]
        } else {
          guard sum > 1e-9 * rows[row][row] else { return nil }
          factor[row][row] = sum.squareRoot()
        }
      }
      for place in 0..<row { values[row] -= factor[row][place] * values[place] }
      values[row] /= factor[row][row]
    }
    for row in (0..<count).reversed() {
      for place in row + 1..<count { values[row] -= factor[place][row] * values[place] }
      values[row] /= factor[row][row]
    }
    return values
  }
}
