import MeshpipeScene

/// The vertices around a vertex, and their deviation from a quadric.
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
  /// The deviation of a round surface from its quadric, over the radius of the patch and the cube of its turn.
  private static let shapeDeviation = 1.0 / 80

  private let surface: SmoothingSurface
  private var rings = VertexRings()

  init(_ surface: SmoothingSurface) { self.surface = surface }

  /// The deviation from the fitted quadric in the largest smooth patch, or in the smallest one; nil if
  /// there are too few vertices around.
  mutating func deviation(around index: Int) -> Deviation? {
    guard surface.freedom[index] > 0 else { return nil }
    rings.gather(around: index, of: surface, count: Self.sizes[0])
    guard rings.normal != .zero else { return nil }
    let points = rings.vertices.map { surface.original[$0].double }
    var last: Deviation?
    for size in Self.sizes where size <= points.count {
      guard let fit = QuadricFit(of: points.prefix(size), normal: rings.normal) else { continue }
      let shape = Self.shapeDeviation * fit.radius * fit.turn * fit.turn * fit.turn
      let noise = max(0, fit.deviation * fit.deviation - shape * shape).squareRoot()
      let isSmooth = fit.turn < Self.largestTurn
      last = Deviation(
        size: noise / Self.bias(freedom: size - HeightQuadric.unknownCount), isSmooth: isSmooth)
      if isSmooth { break }
    }
    return last
  }

  /// The quantile of the standard deviation of a sample that is used, over the true one (Wilson and Hilferty
  /// 1931).
  private static func bias(freedom: Int) -> Double {
    // The quantile of the normal distribution for the share of 0.35 that the estimate uses.
    let index = -0.3853
    let variance = 2 / (9 * Double(freedom))
    let root = 1 - variance + index * variance.squareRoot()
    return root * root.squareRoot()
  }
}

/// The quadric that fits points best, over their tangent plane.
struct QuadricFit {
  /// The standard deviation of the points from it, of which its degrees of freedom are taken.
  let deviation: Double
  /// The distance of the farthest point from the mean of all.
  let radius: Double
  /// The largest change of its slope over this distance.
  let turn: Double

  init?(of points: ArraySlice<SIMD3<Double>>, normal: SIMD3<Double>) {
    let middle = points.reduce(SIMD3<Double>.zero, +) / Double(points.count)
    let radius = points.map { ($0 - middle).length }.max() ?? 0
    guard radius > 0, let frame = PlaneFrame(normal: normal) else { return nil }
    let local = points.map { frame.coordinates(of: ($0 - middle) / radius) }
    guard let quadric = HeightQuadric(of: local) else { return nil }
    let squares = local.reduce(0.0) { sum, point in
      let error = quadric.residual(of: point)
      return sum + error * error
    }
    let freedom = points.count - HeightQuadric.unknownCount
    deviation = (squares / Double(freedom)).squareRoot() * radius
    self.radius = radius
    let (d, e, f) = (
      quadric.coefficients[3], quadric.coefficients[4], quadric.coefficients[5]
    )
    turn = abs(d + f) + ((d - f) * (d - f) + e * e).squareRoot()
  }
}
