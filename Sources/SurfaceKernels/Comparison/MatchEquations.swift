import MeshpipeScene

/// The small movement of one surface that brings matched points onto planes, in least squares (Chen and Medioni 1992).
struct MatchEquations {
  private var equations = SmallNormalEquations(unknownCount: 6)
  private let center: SIMD3<Double>
  /// So that an arm is about as long as one, and turns and shifts are alike.
  private let reach: Double

  /// - Parameters:
  ///   - center: About which it is turned.
  ///   - reach: The extent of the surface.
  init(about center: SIMD3<Double>, reach: Double) {
    (self.center, self.reach) = (center, max(reach, .leastNormalMagnitude))
  }

  /// Adds the wish that a point comes as near to a plane as the gap along its normal says.
  mutating func add(
    _ point: SIMD3<Double>, along normal: SIMD3<Double>, by gap: Double, weight: Double
  ) {
    let turn = ((point - center) / reach).cross(normal)
    equations.add(
      SIMD8(turn.x, turn.y, turn.z, normal.x, normal.y, normal.z, 0, 0), equals: gap, weight: weight
    )
  }

  /// The movement, and how far it moves points at most; nil if nothing determines it.
  ///
  /// A plane leaves movements within it open, which then stay small.
  var movement: (transform: Transform, length: Double)? {
    guard let solution = equations.solution(damping: 1e-6) else { return nil }
    let turn = SIMD3(solution[0], solution[1], solution[2]) / reach
    let rotation =
      turn.length > 0
      ? Transform(rotationAbout: turn.normalized, by: turn.length).about(center) : .identity
    let shift = SIMD3(solution[3], solution[4], solution[5])
    return (Transform(translation: shift) * rotation, shift.length + turn.length * reach)
  }
}

/// The weight of Geman and McClure of a distance: a quarter at the scale, nothing far beyond it.
@inline(__always)
func robustWeight(_ distance: Double, scale: Double) -> Double {
  let ratio = distance / scale
  return 1 / ((1 + ratio * ratio) * (1 + ratio * ratio))
}
