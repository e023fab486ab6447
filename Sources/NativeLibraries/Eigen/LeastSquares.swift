internal import CEigen

/// A sparse linear system that is solved in the sense of least squares, with Eigen.
///
/// The unknowns that minimise |A x − b|², by a Cholesky factorisation of the normal equations with an approximate
/// minimum degree ordering. Memory and time grow a little faster than the entries for systems on surfaces.
package struct LeastSquares<Right: SIMD> where Right.Scalar == Double {
  private var rows: [Int32] = []
  private var columns: [Int32] = []
  private var values: [Double] = []
  private var rights: [Right] = []
  private let unknownCount: Int

  /// - Parameter unknownCount: The number of columns of A.
  package init(unknownCount: Int) { self.unknownCount = unknownCount }

  /// Adds a row without entries.
  ///
  /// - Parameter right: What the row's product with the unknowns should be.
  /// - Returns: The number of the row.
  package mutating func addRow(_ right: Right) -> Int {
    rights.append(right)
    return rights.count - 1
  }

  /// Adds to an entry of A.
  package mutating func add(_ value: Double, row: Int, unknown: Int) {
    rows.append(Int32(row))
    columns.append(Int32(unknown))
    values.append(value)
  }

  /// Adds to the right-hand side of a row.
  package mutating func add(_ value: Right, toRight row: Int) { rights[row] += value }

  /// The unknowns; nil if they are not determined, something is not finite, or memory is short.
  package consuming func solution() -> [Right]? {
    let rights = rights
    return factors()?.solution(rights)
  }

  /// The factorisation, for several right-hand sides; nil if the unknowns are not determined or memory is short.
  ///
  /// Entries that nothing else uses are freed before the much larger factors are made.
  package consuming func factors() -> LeastSquaresFactors<Right>? {
    let (rowCount, unknownCount) = (rights.count, unknownCount)
    guard
      let matrix = unsafe meshpipe_matrix_make(
        Int32(rowCount), Int32(unknownCount), values.count, rows, columns, values)
    else { return nil }
    (rows, columns, values) = ([], [], [])
    guard let factors = unsafe meshpipe_factorise(matrix) else { return nil }
    return unsafe LeastSquaresFactors(
      factors: factors, rowCount: rowCount, unknownCount: unknownCount)
  }
}

/// The factorisation of a ``LeastSquares`` system.
@safe package struct LeastSquaresFactors<Right: SIMD>: ~Copyable where Right.Scalar == Double {
  private let factors: OpaquePointer
  private let rowCount: Int
  private let unknownCount: Int

  fileprivate init(factors: OpaquePointer, rowCount: Int, unknownCount: Int) {
    unsafe self.factors = factors
    self.rowCount = rowCount
    self.unknownCount = unknownCount
  }

  deinit { unsafe meshpipe_factors_free(factors) }

  /// The unknowns; nil if something is not finite or memory is short.
  ///
  /// - Parameter rights: What the product of each row with the unknowns should be.
  package func solution(_ rights: [Right]) -> [Right]? {
    precondition(rights.count == rowCount, "a right-hand side for each row")
    let width = Right.scalarCount
    let flat = (0..<width).flatMap { part in rights.map { $0[part] } }
    var solution = [Double](repeating: 0, count: width * unknownCount)
    guard unsafe meshpipe_solve(factors, Int32(width), flat, &solution) == 0 else { return nil }
    return (0..<unknownCount).map { unknown in
      var value = Right.zero
      for part in 0..<width { value[part] = solution[part * unknownCount + unknown] }
      return value
    }
  }
}
