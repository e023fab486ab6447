import MeshpipeScene

/// The coordinates of points over a plane: two along it, and the height.
struct PlaneFrame {
  /// The unit normal of the plane.
  let up: SIMD3<Double>
  private let right: SIMD3<Double>
  private let forward: SIMD3<Double>

  /// Nil for a normal of no direction.
  init?(normal: SIMD3<Double>) {
    up = normal.normalized
    (right, forward) = perpendiculars(of: up)
    guard right != .zero else { return nil }
  }

  func coordinates(of offset: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(offset.dot(right), offset.dot(forward), offset.dot(up))
  }
}

/// A quadric `z = a + bx + cy + dx² + exy + fy²` over a plane.
struct HeightQuadric {
  /// `a` to `f`.
  let coefficients: SIMD8<Double>

  static let unknownCount = 6

  /// Fits points by least squares; nil if they don't determine it.
  ///
  /// - Parameter weights: One for each point; all alike if nil.
  init?(of points: [SIMD3<Double>], weights: [Double]? = nil) {
    var system = SmallNormalEquations(unknownCount: Self.unknownCount)
    for (position, point) in points.enumerated() {
      system.add(Self.terms(point), equals: point.z, weight: weights?[position] ?? 1)
    }
    guard let solution = system.solution() else { return nil }
    coefficients = solution
  }

  /// The height of the quadric above a point.
  func residual(of point: SIMD3<Double>) -> Double {
    (Self.terms(point) * coefficients).sum() - point.z
  }

  private static func terms(_ point: SIMD3<Double>) -> SIMD8<Double> {
    SIMD8(1, point.x, point.y, point.x * point.x, point.x * point.y, point.y * point.y, 0, 0)
  }
}
