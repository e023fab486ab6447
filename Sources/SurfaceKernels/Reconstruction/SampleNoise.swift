import MeshpipeBase
import MeshpipeScene

/// The variance of samples around the surface, along its normal.
///
/// Successive samples on a Morton curve are close together. Where the surface is smooth, the step between two of
/// them is at a right angle to the mean of their normals, even if it is curved, so that what is left is noise of
/// both. The median of some pairs does not see the few that are on either side of an edge, and those on the two
/// sides of a thin plate don't count.
struct SampleNoise: Sendable {
  /// The variance of each group of consecutive samples, in squares of a finest cell's edge.
  private let variances: [Float]

  /// The samples of a group.
  private static let group = 8
  /// The pairs before and after a group that count, too.
  private static let around = 20
  /// The median of squares of normally distributed numbers, for a variance of 1.
  private static let median: Float = 0.455

  /// The variance of a sample's position along the normal, in squares of a finest cell's edge.
  @inline(__always)
  subscript(sample: Int) -> Float { variances[sample / Self.group] }

  init(_ samples: CellSamples) {
    let groups = (samples.count + Self.group - 1) / Self.group
    variances = Parallel.array(count: groups, chunkSize: 512) { range, variances in
      var squares: [Float] = []
      for group in range {
        let first = max(0, group * Self.group - Self.around)
        let end = min(samples.count - 1, (group + 1) * Self.group + Self.around)
        squares.removeAll(keepingCapacity: true)
        for sample in first..<end {
          if let square = samples.squaredStep(after: sample) { squares.append(square) }
        }
        // Of two samples.
        variances.append(
          squares.isEmpty ? 0 : squares.select(squares.count / 2) / (2 * Self.median))
      }
    }
  }

  /// The standard deviation, in cells of a level, at which samples there have the weight that is asked for.
  private static let usual: Float = 0.32
  /// The factor of exact samples, and of those that are scattered over cells.
  private static let (most, least): (Float, Float) = (4, 1.0 / 16)

  /// The factor of a sample's weight: for noise above the usual one inverse to the variance, as errors add up,
  /// and below it to the deviation, as there is less to gain.
  ///
  /// - Parameter variance: In squares of the edge of a cell.
  @inline(__always)
  static func factor(_ variance: Float) -> Float {
    let ratio = usual * usual / max(variance, .leastNormalMagnitude)
    return ratio < 1 ? max(ratio, least) : min(ratio.squareRoot(), most)
  }
}

extension CellSamples {
  /// The square of the step from a sample to the next one along their mean normal, in finest cells; nil if they are
  /// on opposite sides of a surface.
  @inline(__always)
  fileprivate func squaredStep(after sample: Int) -> Float? {
    let step = SIMD3<Float>(position(sample + 1) - position(sample))
    let (normal, next) = (normals[sample].simd.normalized, normals[sample + 1].simd.normalized)
    guard normal.dot(next) > 0 else { return nil }
    let along = step.dot((normal + next).normalized)
    return along * along
  }
}
