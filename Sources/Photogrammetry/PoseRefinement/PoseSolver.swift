import MeshPipeline
import SurfaceKernels

/// One Gauss–Newton step for all poses together, in which the appearances of the surfels are
/// eliminated.
///
/// A frame moves relative to what the others show, and they move at the same time; solved one by
/// one, a slow drift of all would take very many rounds. The system is solved by conjugate
/// gradients with one 6 × 6 block per frame as preconditioner and never built.
struct PoseSolver {
  let surfels: Surfels
  let rows: [Linearization.Row]
  let weights: [Float]
  /// The error of the mesh.
  let meshError: Float
  let frameCount: Int
  /// The precision of the recorded poses: one over their variances, six per frame.
  let prior: [Double]

  /// Neighbouring pixels have correlated errors: all sightings of a frame together are worth this
  /// many independent ones.
  private static let independentSightings: Float = 25

  private static let chunkSize = 2048

  /// The step: rotation and translation of each frame.
  ///
  /// - Parameters:
  ///   - residuals: The residuals of the sightings against the weighted means of their surfels.
  ///   - moved: The motion of each frame from its recorded pose so far.
  func step(residuals: [Float], moved: [Double]) -> [Double] {
    var right = gathered { range, sums in
      for surfel in range where !surfels.areHeldOut[surfel] {
        guard let elimination = elimination(surfel) else { continue }
        let normal = surfels.normals[surfel].simd
        let sightings = surfels.starts[surfel]..<surfels.starts[surfel + 1]
        var (a, b): (Float, Float) = (0, offsetPrior * surfels.offsets[surfel])
        for index in sightings where weights[index] > 0 {
          a += weights[index] * residuals[index]
          b += weights[index] * residuals[index] * slope(index, normal)
        }
        let (look, distance) = elimination.solve(a, b)
        for index in sightings where weights[index] > 0 {
          add(
            index,
            -weights[index] * (residuals[index] - look - distance * slope(index, normal)), &sums)
        }
      }
    }
    for index in right.indices { right[index] -= prior[index] * moved[index] }
    return ConjugateGradients.solve(right, blocks(), product: product)
  }

  /// The weight of one sighting.
  private var independence: Float {
    min(1, Self.independentSightings * Float(frameCount) / Float(max(rows.count, 1)))
  }

  /// Sums over chunks of surfels, in order, so that they are equal on any number of threads.
  private func gathered(
    _ body: @Sendable (Range<Int>, inout [Double]) -> Void
  ) -> [Double] {
    let count = 6 * frameCount
    let parts = Parallel.mapChunks(of: surfels.count, chunkSize: Self.chunkSize) { range in
      var sums = [Double](repeating: 0, count: count)
      body(range, &sums)
      return sums
    }
    var total = [Double](repeating: 0, count: count)
    for part in parts { for index in 0..<count { total[index] += part[index] } }
    return total
  }

  @inline(__always)
  private func add(_ index: Int, _ factor: Float, _ sums: inout [Double]) {
    let row = rows[index]
    let scale = factor * independence
    let base = 6 * Int(surfels.frames[index])
    sums[base] += Double(row.byRotation.x * scale)
    sums[base + 1] += Double(row.byRotation.y * scale)
    sums[base + 2] += Double(row.byRotation.z * scale)
    sums[base + 3] += Double(row.byTranslation.x * scale)
    sums[base + 4] += Double(row.byTranslation.y * scale)
    sums[base + 5] += Double(row.byTranslation.z * scale)
  }

  @inline(__always)
  private func change(_ index: Int, _ step: [Double]) -> Float {
    let row = rows[index]
    let base = 6 * Int(surfels.frames[index])
    let turn = SIMD3(Float(step[base]), Float(step[base + 1]), Float(step[base + 2]))
    let shift = SIMD3(Float(step[base + 3]), Float(step[base + 4]), Float(step[base + 5]))
    return row.byRotation.simd.dot(turn) + row.byTranslation.simd.dot(shift)
  }

  /// The eliminated unknowns of one surfel: its appearance and its distance from the mesh along the
  /// normal.
  struct Elimination {
    var sum: Float = 0
    var first: Float = 0
    var second: Float

    init(prior: Float) { second = prior }

    mutating func add(_ weight: Float, _ slope: Float) {
      sum += weight
      first += weight * slope
      second += weight * slope * slope
    }

    /// The appearance and the distance that best explain Σ weight · value and Σ weight · slope ·
    /// value.
    func solve(_ a: Float, _ b: Float) -> (look: Float, distance: Float) {
      let determinant = sum * second - first * first
      guard determinant > 1e-9 * sum * second else { return (a / sum, 0) }
      return ((second * a - first * b) / determinant, (sum * b - first * a) / determinant)
    }
  }

  /// The derivative of a sighting by its surfel's motion along its normal.
  @inline(__always)
  func slope(_ index: Int, _ normal: SIMD3<Float>) -> Float {
    -rows[index].byTranslation.simd.dot(normal)
  }

  private var offsetPrior: Float { 1 / (meshError * meshError) }

  private func elimination(_ surfel: Int) -> Elimination? {
    var result = Elimination(prior: offsetPrior)
    let normal = surfels.normals[surfel].simd
    for index in surfels.starts[surfel]..<surfels.starts[surfel + 1] where weights[index] > 0 {
      result.add(weights[index], slope(index, normal))
    }
    return result.sum > 0 ? result : nil
  }

  /// The error of the mesh, from the distances that the sightings alone would give the surfels.
  ///
  /// From the better determined half; the part that their uncertainty explains is subtracted.
  func estimatedMeshError(residuals: [Float]) -> Float {
    var found: [(variance: Float, distance: Float)] = []
    for surfel in 0..<surfels.count {
      var elimination = Elimination(prior: 0)
      let normal = surfels.normals[surfel].simd
      var (a, b): (Float, Float) = (0, 0)
      for index in surfels.starts[surfel]..<surfels.starts[surfel + 1] where weights[index] > 0 {
        let slope = slope(index, normal)
        elimination.add(weights[index], slope)
        a -= weights[index] * residuals[index]
        b -= weights[index] * residuals[index] * slope
      }
      guard elimination.sum > 0 else { continue }
      let information = elimination.second - elimination.first * elimination.first / elimination.sum
      guard information > 0 else { continue }
      found.append(
        (1 / information, abs(surfels.offsets[surfel] + elimination.solve(a, b).distance)))
    }
    guard found.count > 100 else { return meshError }
    found.sort { $0.variance < $1.variance }
    let better = found.prefix(found.count / 2)
    let distance = better.map(\.distance).sorted()[better.count / 2] * 1.48
    let variance = better[better.count / 2].variance
    return max(distance * distance - variance, 0).squareRoot()
  }

  /// The motion of each surfel along its normal, after a step.
  func offsets(after step: [Double], residuals: [Float]) -> [Float] {
    (0..<surfels.count).map { surfel in
      guard let elimination = elimination(surfel) else { return surfels.offsets[surfel] }
      let normal = surfels.normals[surfel].simd
      var (a, b): (Float, Float) = (0, -offsetPrior * surfels.offsets[surfel])
      for index in surfels.starts[surfel]..<surfels.starts[surfel + 1] where weights[index] > 0 {
        let value = weights[index] * -(residuals[index] + change(index, step))
        a += value
        b += value * slope(index, normal)
      }
      return surfels.offsets[surfel] + elimination.solve(a, b).distance
    }
  }

  /// The matrix times a step.
  private func product(_ step: [Double]) -> [Double] {
    var result = gathered { range, sums in
      for surfel in range where !surfels.areHeldOut[surfel] {
        let sightings = surfels.starts[surfel]..<surfels.starts[surfel + 1]
        guard let elimination = elimination(surfel) else { continue }
        let normal = surfels.normals[surfel].simd
        var (a, b): (Float, Float) = (0, 0)
        for index in sightings where weights[index] > 0 {
          let value = weights[index] * change(index, step)
          a += value
          b += value * slope(index, normal)
        }
        let (look, distance) = elimination.solve(a, b)
        for index in sightings where weights[index] > 0 {
          add(
            index,
            weights[index] * (change(index, step) - look - distance * slope(index, normal)), &sums)
        }
      }
    }
    for index in result.indices { result[index] += prior[index] * step[index] }
    return result
  }

  /// The blocks on the diagonal, factored.
  private func blocks() -> [Block6] {
    let parts = Parallel.mapChunks(of: surfels.count, chunkSize: Self.chunkSize * 4) { range in
      var blocks = [Block6](repeating: Block6(), count: frameCount)
      for surfel in range where !surfels.areHeldOut[surfel] {
        let sightings = surfels.starts[surfel]..<surfels.starts[surfel + 1]
        var sum: Float = 0
        for index in sightings { sum += weights[index] }
        for index in sightings where weights[index] > 0 {
          let weight = weights[index] * (1 - weights[index] / sum) * independence
          blocks[Int(surfels.frames[index])].addSquare(of: rows[index], weight)
        }
      }
      return blocks
    }
    var total = [Block6](repeating: Block6(), count: frameCount)
    for part in parts { for frame in 0..<frameCount { total[frame].add(part[frame]) } }
    for frame in 0..<frameCount {
      total[frame].addDiagonal(prior[6 * frame..<6 * frame + 6])
      total[frame].factor()
    }
    return total
  }
}
