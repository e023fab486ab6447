import MeshpipeBase

/// A symmetric 6 × 6 matrix, of the unknowns of one camera: the lower triangle row by row.
struct SymmetricBlock: Sendable {
  /// The least pivot: rounding may leave one of a matrix that is hardly definite at or below 0.
  private static let leastPivot = 1e-30

  private var entries = [Double](repeating: 0, count: 21)

  mutating func add(_ value: Double, row: Int, column: Int) {
    entries[Cholesky.index(row, column)] += value
  }

  mutating func addDiagonal(_ values: ArraySlice<Double>) {
    for (row, value) in values.enumerated() { entries[Cholesky.index(row, row)] += value }
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
    _ = Cholesky.factor(&entries, count: 6) { _, rest in max(rest, Self.leastPivot) }
  }

  /// Solves for six elements of a vector from `start`, after ``factor()``.
  func solve(_ vector: [Double], at start: Int, into result: inout [Double]) {
    for index in start..<start + 6 { result[index] = vector[index] }
    Cholesky.solve(entries, count: 6, &result, at: start)
  }
}
