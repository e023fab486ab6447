import MeshPipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Splits what frames show of the same vertices into a part of the vertex and a part of the frame.
///
/// In logarithms: value(vertex, frame) = vertex + frame, by robust least squares (iteratively
/// reweighted). The vertices are eliminated exactly, and conjugate gradients solve for the frames, so
/// that a ring of frames around a room closes; memory is linear in the views.
struct FrameLevels {
  /// A logarithm as one frame shows it; a weight of 0 leaves it out.
  struct Observation {
    var frame: Int32
    var value: Float
    var weight: Float
  }

  private let offsets: [Int]
  private var observations: [Observation]
  private let frameCount: Int
  /// Deviations larger than this count less and less.
  private let scale: Float

  /// - Parameters:
  ///   - offsets: Where the observations of each vertex begin, and the end.
  ///   - scale: The deviation at which an observation has half its weight.
  init(offsets: [Int], observations: [Observation], frameCount: Int, scale: Float) {
    self.offsets = offsets
    self.observations = observations
    self.frameCount = frameCount
    self.scale = scale
  }

  /// The part of each frame; their mean, weighted by how much they see, is 0.
  func solve(rounds: Int = 6) -> [Float] {
    var levels = [Double](repeating: 0, count: frameCount)
    var robust = observations.map(\.weight)
    for round in 0..<rounds {
      levels = conjugateGradients(robust, from: levels)
      guard round + 1 < rounds else { break }
      let means = vertexMeans(levels, robust)
      for vertex in 0..<offsets.count - 1 {
        for index in offsets[vertex]..<offsets[vertex + 1] {
          let observation = observations[index]
          let miss =
            Double(observation.value) - means[vertex] - levels[Int(observation.frame)]
          let ratio = Float(miss) / scale
          robust[index] = observation.weight / (1 + ratio * ratio)
        }
      }
    }
    return anchored(levels, robust)
  }

  private func anchored(_ levels: [Double], _ weights: [Float]) -> [Float] {
    var sums = [Double](repeating: 0, count: frameCount)
    for (observation, weight) in zip(observations, weights) {
      sums[Int(observation.frame)] += Double(weight)
    }
    let total = sums.reduce(0, +)
    guard total > 0 else { return [Float](repeating: 0, count: frameCount) }
    let mean = zip(sums, levels).reduce(0) { $0 + $1.0 * $1.1 } / total
    return levels.indices.map { sums[$0] > 0 ? Float(levels[$0] - mean) : 0 }
  }

  private func vertexMeans(_ levels: [Double], _ weights: [Float]) -> [Double] {
    (0..<offsets.count - 1).map { vertex in
      var (sum, total) = (0.0, 0.0)
      for index in offsets[vertex]..<offsets[vertex + 1] {
        let weight = Double(weights[index])
        sum += weight * (Double(observations[index].value) - levels[Int(observations[index].frame)])
        total += weight
      }
      return total > 0 ? sum / total : 0
    }
  }

  /// Σ over views of weight · (x of the frame − the vertex's mean of x): the reduced normal equations.
  private func reduced(_ weights: [Float], _ value: (Int) -> Double) -> [Double] {
    var result = [Double](repeating: 0, count: frameCount)
    for vertex in 0..<offsets.count - 1 {
      let range = offsets[vertex]..<offsets[vertex + 1]
      var (sum, total) = (0.0, 0.0)
      for index in range {
        sum += Double(weights[index]) * value(index)
        total += Double(weights[index])
      }
      guard total > 0 else { continue }
      let mean = sum / total
      for index in range {
        result[Int(observations[index].frame)] += Double(weights[index]) * (value(index) - mean)
      }
    }
    return result
  }

  private func conjugateGradients(_ weights: [Float], from start: [Double]) -> [Double] {
    var x = start
    var diagonal = [Double](repeating: 1e-6, count: frameCount)
    for (observation, weight) in zip(observations, weights) {
      diagonal[Int(observation.frame)] += Double(weight)
    }
    // A trace of a prior towards 0 holds what nothing else ties down.
    func product(_ x: [Double]) -> [Double] {
      var result = reduced(weights) { x[Int(observations[$0].frame)] }
      for frame in 0..<frameCount { result[frame] += 1e-4 * diagonal[frame] * x[frame] }
      return result
    }
    let right = reduced(weights) { Double(observations[$0].value) }
    var residual = zip(right, product(x)).map { $0 - $1 }
    var z = zip(residual, diagonal).map { $0 / $1 }
    var direction = z
    var energy = zip(residual, z).reduce(0) { $0 + $1.0 * $1.1 }
    let limit = energy * 1e-10 + 1e-18
    for _ in 0..<60 where energy > limit {
      let image = product(direction)
      let curvature = zip(direction, image).reduce(0) { $0 + $1.0 * $1.1 }
      guard curvature > 0 else { break }
      let step = energy / curvature
      for frame in 0..<frameCount {
        x[frame] += step * direction[frame]
        residual[frame] -= step * image[frame]
        z[frame] = residual[frame] / diagonal[frame]
      }
      let next = zip(residual, z).reduce(0) { $0 + $1.0 * $1.1 }
      for frame in 0..<frameCount {
        direction[frame] = z[frame] + next / energy * direction[frame]
      }
      energy = next
    }
    return x
  }
}

/// How bright and how sharp each frame is beside the others.
struct FrameLooks: Sendable {
  /// What a frame's linear light is to be multiplied with, per channel.
  var gains: [SIMD4<Float>]
  /// The share of the fine detail of others that a frame shows: well below 1 when it is blurred.
  var sharpness: [Float]

  /// - Parameters:
  ///   - solvesGains: Whether frames are levelled; otherwise all gains are 1.
  ///   - sampleLimit: At most about so many vertices are used.
  init(_ table: ViewTable, solvesGains: Bool = true, sampleLimit: Int = 20_000) {
    let stride = max(1, table.vertexCount / sampleLimit)
    let vertices = Swift.stride(from: 0, to: table.vertexCount, by: stride).filter {
      table.range(of: $0).count > 1
    }
    gains = [SIMD4<Float>](repeating: SIMD4(1, 1, 1, 1), count: table.frameCount)
    if solvesGains {
      let channels = Parallel.map(count: 3) { channel in
        Self.levels(table, vertices, scale: 0.08) { view in
          let color = view.sighting.color
          let isUsable = color.max() < 60_000 && min(color.x, color.y, color.z) > 300
          return (log(Float(max(color[channel], 1))), isUsable ? view.sighting.trust : 0)
        }
      }
      for channel in 0..<3 {
        for frame in 0..<table.frameCount { gains[frame][channel] = exp(-channels[channel][frame]) }
      }
    }
    let energies = Self.levels(table, vertices, scale: 0.5) { view in
      let sighting = view.sighting
      return (
        log(max(sighting.energy, 1)) + log(max(sighting.resolution, 1)),
        sighting.energy > 60 ? sighting.trust : 0
      )
    }
    let middle = energies.sorted()[energies.count / 2]
    sharpness = energies.map { min(1.5, exp(($0 - middle) / 2)) }
  }

  private static func levels(
    _ table: ViewTable, _ vertices: [Int], scale: Float,
    _ observation: (ViewTable.View) -> (value: Float, weight: Float)
  ) -> [Float] {
    var offsets = [0]
    var observations: [FrameLevels.Observation] = []
    for vertex in vertices {
      for index in table.range(of: vertex) {
        let view = table.views[index]
        let (value, weight) = observation(view)
        observations.append(
          .init(frame: Int32(truncatingIfNeeded: view.frame), value: value, weight: weight))
      }
      offsets.append(observations.count)
    }
    return FrameLevels(
      offsets: offsets, observations: observations, frameCount: table.frameCount, scale: scale
    ).solve()
  }
}
