/// The normal equations of a least-squares fit of some dozen unknowns.
package struct DenseNormalEquations: Sendable {
  private let count: Int
  /// The lower half of the matrix, row by row.
  private var triangle: [Double]
  private var right: [Double]

  package init(unknownCount: Int) {
    count = unknownCount
    triangle = [Double](repeating: 0, count: unknownCount * (unknownCount + 1) / 2)
    right = [Double](repeating: 0, count: unknownCount)
  }

  /// Adds the equation that the sum of the unknowns times these is a value.
  ///
  /// - Parameter terms: One for each unknown, from the index where they begin.
  package mutating func add(
    _ terms: [Double], from start: Int = 0, equals value: Double, weight: Double = 1
  ) {
    var entry = 0
    for row in 0..<count {
      let weighted = weight * terms[start + row]
      right[row] += weighted * value
      for column in 0...row {
        triangle[entry] += weighted * terms[start + column]
        entry += 1
      }
    }
  }

  /// Holds all unknowns back, by an addition to the diagonal (Tikhonov).
  package mutating func damp(by addition: Double) {
    for unknown in 0..<count { triangle[Cholesky.index(unknown, unknown)] += addition }
  }

  /// The solution; nil if the equations do not determine it.
  ///
  /// - Parameter least: What is left of an entry of the diagonal must be more.
  package func solution(pivotsAbove least: Double) -> [Double]? {
    var (triangle, values) = (triangle, right)
    guard Cholesky.factor(&triangle, count: count, pivot: { $1 > least ? $1 : nil }) else {
      return nil
    }
    Cholesky.solve(triangle, count: count, &values)
    return values
  }
}
