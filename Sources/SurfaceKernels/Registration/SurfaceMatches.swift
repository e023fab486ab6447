import MeshpipeScene
import POSIX

/// What two surfaces say of each other, one of them moved.
struct SurfaceMatches {
  /// A sample of the second on the plane of the first there, or the other way round; each where its scan has it.
  struct Match {
    /// The point whose normal counts.
    var point: SIMD3<Double>
    var normal: SIMD3<Double>
    var other: SIMD3<Double>
    /// Whether ``point`` is one of the first surface.
    var isOfFirst: Bool
    /// What it counts, by its plane.
    var weight: Double
  }

  private(set) var matches: [Match] = []
  /// The weight of the matches, and of the samples of both that contradict the other surface.
  private(set) var (agreeing, contradicting) = (0.0, 0.0)
  private(set) var sampleCounts = (first: 0, second: 0)
  private(set) var matchCounts = (first: 0, second: 0)

  /// - Parameters:
  ///   - transform: From the second to the first.
  ///   - limit: The most samples of each that are asked.
  init(
    _ first: SurfaceCells, _ second: SurfaceCells, _ transform: Transform, within tolerance: Float,
    limit: Int = .max
  ) {
    sampleCounts.second = ask(first, of: second, transform, within: tolerance, limit, isFirst: true)
    matchCounts.second = matches.count
    let inverse = transform.inverse ?? .identity
    sampleCounts.first = ask(second, of: first, inverse, within: tolerance, limit, isFirst: false)
    matchCounts.first = matches.count - matchCounts.second
  }

  /// - Returns: The number of samples that were asked.
  private mutating func ask(
    _ surface: SurfaceCells, of asked: SurfaceCells, _ transform: Transform,
    within tolerance: Float, _ limit: Int, isFirst: Bool
  ) -> Int {
    let count = min(asked.points.count, limit)
    for number in 0..<count {
      let index = number * asked.points.count / count
      let place = SIMD3<Double>(asked.points[index])
      let normal = transform.apply(toVector: SIMD3<Double>(asked.normals[index]))
      switch surface.relation(
        of: SIMD3<Float>(transform.apply(toPoint: place)), SIMD3<Float>(normal), within: tolerance)
      {
      case .agrees(let point, let normal):
        matches.append(
          Match(
            point: SIMD3<Double>(point), normal: SIMD3<Double>(normal), other: place,
            isOfFirst: isFirst,
            weight: Double(asked.weights[index])))
        agreeing += Double(asked.weights[index])
      case .contradicts: contradicting += Double(asked.weights[index])
      case .isUnknown: break
      }
    }
    return count
  }

  /// The share of what is decided that agrees.
  var agreement: Double {
    agreeing / max(agreeing + contradicting, .leastNormalMagnitude)
  }

  /// The share of the smaller surface that is also on the other one.
  var overlap: Double {
    let shares = [
      Double(matchCounts.first) / Double(max(sampleCounts.first, 1)),
      Double(matchCounts.second) / Double(max(sampleCounts.second, 1)),
    ]
    return shares.max() ?? 0
  }

  /// How firmly the matches hold a translation along each of three axes: their number, divided among the directions in
  /// which they look, in the coordinates of the first surface.
  func hold(_ transform: Transform) -> PrincipalAxes {
    var (x, y, z) = (SIMD3<Double>.zero, SIMD3<Double>.zero, SIMD3<Double>.zero)
    for match in matches {
      let normal = match.isOfFirst ? match.normal : transform.apply(toVector: match.normal)
      x += normal * (normal.x * match.weight)
      y += normal * (normal.y * match.weight)
      z += normal * (normal.z * match.weight)
    }
    return PrincipalAxes(Transform(x: x, y: y, z: z))
  }

  /// The share of contradictions by which a place is e times less likely: what was there for both was seen by both, while
  /// by chance much agrees.
  private static let contradiction = 0.03

  /// How much speaks for the transform, in samples: those that agree, if they hold it in all directions alike, the less the
  /// more contradicts.
  func score(_ transform: Transform) -> Double {
    let lengths = hold(transform).lengths
    let volume = max(lengths.x * lengths.y * lengths.z, 0)
    return 3 * cbrt(volume) * exp((agreement - 1) / Self.contradiction)
  }

  /// The distances of the matches from their planes.
  func residuals(_ transform: Transform) -> [Double] {
    let inverse = transform.inverse ?? .identity
    return matches.map { match in
      let moved = (match.isOfFirst ? transform : inverse).apply(toPoint: match.other)
      return abs((match.point - moved).dot(match.normal))
    }
  }
}
