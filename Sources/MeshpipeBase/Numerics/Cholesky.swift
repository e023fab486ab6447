/// The Cholesky factorisation of a small symmetric positive definite matrix (Golub and Van Loan, Matrix Computations,
/// 4.2), whose lower triangle is given row by row.
package enum Cholesky {
  /// The index of an entry of the lower triangle.
  @inlinable @inline(__always)
  package static func index(_ row: Int, _ column: Int) -> Int { row * (row + 1) / 2 + column }

  /// Replaces a matrix by its factor.
  ///
  /// - Parameters:
  ///   - triangle: `count` · (`count` + 1) / 2 entries.
  ///   - pivot: What stands for the square of a diagonal entry, given its row and what is left of it; nil if the
  ///     matrix does not determine the unknown.
  /// - Returns: False if a pivot was nil; then the entries are of no use.
  @inlinable
  package static func factor(
    _ triangle: inout [Double], count: Int, pivot: (_ row: Int, _ rest: Double) -> Double?
  ) -> Bool {
    for row in 0..<count {
      for column in 0...row {
        var sum = triangle[index(row, column)]
        for k in 0..<column { sum -= triangle[index(row, k)] * triangle[index(column, k)] }
        if row != column {
          triangle[index(row, column)] = sum / triangle[index(column, column)]
        } else if let square = pivot(row, sum) {
          triangle[index(row, row)] = square.squareRoot()
        } else {
          return false
        }
      }
    }
    return true
  }

  /// Replaces `count` elements of a vector from `start`, the right-hand side, by the solution.
  ///
  /// - Parameter factor: As ``factor(_:count:pivot:)`` makes it.
  @inlinable
  package static func solve(
    _ factor: [Double], count: Int, _ vector: inout [Double], at start: Int = 0
  ) {
    for row in 0..<count {
      var sum = vector[start + row]
      for k in 0..<row { sum -= factor[index(row, k)] * vector[start + k] }
      vector[start + row] = sum / factor[index(row, row)]
    }
    for row in (0..<count).reversed() {
      var sum = vector[start + row]
      for k in row + 1..<count { sum -= factor[index(k, row)] * vector[start + k] }
      vector[start + row] = sum / factor[index(row, row)]
    }
  }
}
