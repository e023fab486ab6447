/// Solves for the steps of all poses together, without building their system.
enum ConjugateGradients {
  private static let rounds = 60

  /// - Parameters:
  ///   - blocks: The blocks on the diagonal of the matrix, factored: the preconditioner.
  ///   - product: The matrix, which is positive definite, times a vector.
  static func solve(
    _ right: [Double], _ blocks: [Block6], product: ([Double]) -> [Double]
  ) -> [Double] {
    func conditioned(_ vector: [Double]) -> [Double] {
      var result = [Double](repeating: 0, count: vector.count)
      for frame in blocks.indices {
        blocks[frame].solve(vector, at: 6 * frame, into: &result)
      }
      return result
    }
    func dot(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
    var solution = [Double](repeating: 0, count: right.count)
    var residual = right
    var scaled = conditioned(residual)
    var direction = scaled
    var energy = dot(residual, scaled)
    let first = energy
    for _ in 0..<rounds where energy > first * 1e-6 {
      let image = product(direction)
      let curvature = dot(direction, image)
      guard curvature > 0, curvature.isFinite else { break }
      let length = energy / curvature
      for index in solution.indices {
        solution[index] += length * direction[index]
        residual[index] -= length * image[index]
      }
      scaled = conditioned(residual)
      let next = dot(residual, scaled)
      let turn = next / energy
      for index in direction.indices { direction[index] = scaled[index] + turn * direction[index] }
      energy = next
    }
    return solution
  }
}
