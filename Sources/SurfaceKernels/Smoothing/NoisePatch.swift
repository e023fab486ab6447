import MeshpipeScene

/// The vertices around a place, and their deviation from a quadric.
struct NoisePatch {
  /// The deviation of the vertices of a patch from the quadric that fits them best.
  struct Deviation {
    /// Their standard deviation, such that the quantile that stands for the noise has no bias.
    let size: Double
    /// Whether the patch turns so little that the quadric may follow it.
    let isSmooth: Bool
  }

  /// The vertices of a patch: those of five to two rings, several times the unknowns of a quadric.
  private static let sizes = [90, 61, 37, 19, 13]
  /// The turn of a smooth patch from its middle to its rim, as a slope: a sphere deviates from its
  /// quadric by a thousandth of the radius of the patch there.
  private static let largestTurn = 0.35
  /// What a round surface deviates from its quadric, over the radius of the patch and the cube of its turn.
  private static let shapeDeviation = 1.0 / 80

  private let surface: SmoothingSurface
  private var rings = VertexRings()

  init(_ surface: SmoothingSurface) { self.surface = surface }

  /// The deviation from the fitted quadric in the largest smooth patch, or in the smallest one; nil if
  /// there are too few vertices around.
  mutating func deviation(around place: Int) -> Deviation? {
    guard surface.freedom[place] > 0 else { return nil }
    rings.gather(around: place, of: surface, count: Self.sizes[0])
    guard rings.normal != .zero else { return nil }
    let points = rings.vertices.map { surface.original[$0].double }
    var last: Deviation?
    for size in Self.sizes where size <= points.count {
      guard let fit = QuadricFit(of: points.prefix(size), normal: rings.normal) else { continue }
      let shape = Self.shapeDeviation * fit.radius * fit.turn * fit.turn * fit.turn
      let noise = max(0, fit.deviation * fit.deviation - shape * shape).squareRoot()
      let isSmooth = fit.turn < Self.largestTurn
      last = Deviation(size: noise / Self.bias(freedom: size - 6), isSmooth: isSmooth)
      if isSmooth { break }
    }
    return last
  }

  /// The quantile of the standard deviation of a sample that is used, over the true one (Wilson and Hilferty
  /// 1931).
  private static func bias(freedom: Int) -> Double {
    // The quantile of the normal distribution for the share of 0.35 that the estimate uses.
    let place = -0.3853
    let variance = 2 / (9 * Double(freedom))
    let root = 1 - variance + place * variance.squareRoot()
    return root * root.squareRoot()
  }
}

/// The quadric `z = a + bx + cy + dx² + exy + fy²` that fits points best, over their tangent plane.
struct QuadricFit {
  /// The standard deviation of the points from it, of which six degrees of freedom are taken.
  let deviation: Double
  /// The distance of the farthest point from the mean of all.
  let radius: Double
  /// The largest change of its slope over this distance.
  let turn: Double

  init?(of points: ArraySlice<SIMD3<Double>>, normal: SIMD3<Double>) {
    let up = normal.normalized
    let side = abs(up.x) < 0.6 ? SIMD3<Double>(1, 0, 0) : SIMD3(0, 1, 0)
    let right = up.cross(side).normalized
    let middle = points.reduce(SIMD3<Double>.zero, +) / Double(points.count)
    radius = points.map { ($0 - middle).length }.max() ?? 0
    guard radius > 0, right != .zero else { return nil }
    let radius = radius
    let local = points.map { point in
      let offset = (point - middle) / radius
      return SIMD3(offset.dot(right), offset.dot(up.cross(right)), offset.dot(up))
    }
    var system = SmallNormalEquations(unknownCount: 6)
    for point in local { system.add(Self.terms(point), equals: point.z) }
    guard let solution = system.solution() else { return nil }
    let squares = local.reduce(0.0) { sum, point in
      let terms = Self.terms(point)
      let error = (0..<6).reduce(-point.z) { $0 + terms[$1] * solution[$1] }
      return sum + error * error
    }
    deviation = (squares / Double(points.count - 6)).squareRoot() * radius
    let difference = solution[3] - solution[5]
    turn =
      abs(solution[3] + solution[5])
      + (difference * difference + solution[4] * solution[4]).squareRoot()
  }

  private static func terms(_ point: SIMD3<Double>) -> SIMD8<Double> {
    SIMD8(1, point.x, point.y, point.x * point.x, point.x * point.y, point.y * point.y, 0, 0)
  }
}
