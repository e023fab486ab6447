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
  package func solution() -> [Right]? {
    let width = Right.scalarCount
    let flat = (0..<width).flatMap { part in rights.map { $0[part] } }
    var solution = [Double](repeating: 0, count: width * unknownCount)
    let status = unsafe meshpipe_least_squares(
      Int32(rights.count), Int32(unknownCount), values.count, rows, columns, values, Int32(width),
      flat, &solution)
    guard status == 0 else { return nil }
    return (0..<unknownCount).map { unknown in
      var value = Right.zero
      for part in 0..<width { value[part] = solution[part * unknownCount + unknown] }
      return value
    }
  }
}
