/// A symmetric 6 × 6 matrix, of the unknowns of one camera: the lower triangle row by row.
struct SymmetricBlock: Sendable {
  /// The least pivot: rounding may leave one of a matrix that is hardly definite at or below 0.
  private static let leastPivot = 1e-30

  private var entries = [Double](repeating: 0, count: 21)

  @inline(__always)
  private static func place(_ row: Int, _ column: Int) -> Int { row * (row + 1) / 2 + column }

  mutating func add(_ value: Double, row: Int, column: Int) {
    entries[Self.place(row, column)] += value
  }

  mutating func addDiagonal(_ values: ArraySlice<Double>) {
    for (row, value) in values.enumerated() { entries[Self.place(row, row)] += value }
  }

  /// Adds weight · v · vᵀ, for v in two halves.
  mutating func addSquare(of first: SIMD3<Float>, _ second: SIMD3<Float>, _ weight: Float) {
    let vector: SIMD8<Float> = [
      first.x, first.y, first.z, second.x, second.y, second.z, 0, 0,
    ]
    var index = 0
    for row in 0..<6 {
      let scaled = vector[row] * weight
      for column in 0...row {
        entries[index] += Double(scaled * vector[column])
        index += 1
      }
    }
  }

  /// Replaces the matrix, which is positive definite, by its Cholesky factor.
  mutating func factor() {
    for row in 0..<6 {
      for column in 0...row {
        var sum = entries[Self.place(row, column)]
        for k in 0..<column { sum -= entries[Self.place(row, k)] * entries[Self.place(column, k)] }
        entries[Self.place(row, column)] =
          row == column
          ? max(sum, Self.leastPivot).squareRoot() : sum / entries[Self.place(column, column)]
      }
    }
  }

  /// Solves for six elements of a vector from `start`, after ``factor()``.
  func solve(_ vector: [Double], at start: Int, into result: inout [Double]) {
    for row in 0..<6 {
      var sum = vector[start + row]
      for k in 0..<row { sum -= entries[Self.place(row, k)] * result[start + k] }
      result[start + row] = sum / entries[Self.place(row, row)]
    }
    for row in (0..<6).reversed() {
      var sum = result[start + row]
      for k in row + 1..<6 { sum -= entries[Self.place(k, row)] * result[start + k] }
      result[start + row] = sum / entries[Self.place(row, row)]
    }
  }
}
