/// A symmetric positive definite band matrix, and its Cholesky factor (Golub and Van Loan, Matrix Computations, 4.3).
struct BandedMatrix {
  /// The least pivot: rounding may leave one of a matrix that is hardly definite at or below 0.
  private static let leastPivot = 1e-12

  private let count: Int
  /// The largest distance of an entry from the diagonal, in columns.
  private let width: Int
  /// The lower triangle: of each row, ``width`` entries before the diagonal, and the diagonal.
  private var entries: [Double]

  init(count: Int, width: Int) {
    self.count = count
    self.width = width
    entries = [Double](repeating: 0, count: count * (width + 1))
  }

  private func index(_ row: Int, _ column: Int) -> Int { row * (width + 1) + width + column - row }

  /// Adds to an entry of the lower triangle: `row` is at least `column`.
  mutating func add(_ value: Double, _ row: Int, _ column: Int) {
    entries[index(row, column)] += value
  }

  /// Adds the square of the difference of two unknowns; the first has the higher index.
  mutating func tie(_ first: Int, _ second: Int, _ value: Double) {
    add(value, first, first)
    add(value, second, second)
    add(-value, first, second)
  }

  /// Replaces the matrix by its Cholesky factor.
  mutating func factor() {
    for row in 0..<count {
      for column in max(0, row - width)...row {
        var sum = entries[index(row, column)]
        for place in max(0, row - width)..<max(column, row - width, 0) {
          guard column - place <= width else { continue }
          sum -= entries[index(row, place)] * entries[index(column, place)]
        }
        entries[index(row, column)] =
          row == column
          ? max(sum, Self.leastPivot).squareRoot() : sum / entries[index(column, column)]
      }
    }
  }

  /// Replaces the right-hand side by the solution; after ``factor()``.
  func solve(_ values: inout [Double]) {
    for row in 0..<count {
      for place in max(0, row - width)..<row {
        values[row] -= entries[index(row, place)] * values[place]
      }
      values[row] /= entries[index(row, row)]
    }
    for row in (0..<count).reversed() {
      values[row] /= entries[index(row, row)]
      for place in max(0, row - width)..<row {
        values[place] -= entries[index(row, place)] * values[row]
      }
    }
  }
}
