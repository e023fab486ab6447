import MeshpipeScene
import POSIX

/// The spread of points around a position: the eigenvalues of their covariance, and the direction of the least.
struct PointSpread {
  /// The greatest variance along x, y or z, greater than 0: the unit of the eigenvalues.
  let scale: Double
  /// The two least eigenvalues of the covariance.
  let (least, second): (Double, Double)
  /// The covariance over ``scale``: its diagonal, and its entries yz, xz and xy.
  private let (d, o): (SIMD3<Double>, SIMD3<Double>)

  /// - Returns: Nil if the points coincide, or not finite.
  init?(of found: borrowing NearestPoints, _ positions: [Vector3], around center: SIMD3<Double>) {
    var sums = Sums()
    for index in 0..<found.count {
      sums.add(positions[Int(found[index].index)].double - center)
    }
    self.init(sums)
  }

  /// The sums of offsets from a position and of their products.
  struct Sums {
    private(set) var count = 0.0
    fileprivate var (sum, squares, products) = (
      SIMD3<Double>.zero, SIMD3<Double>.zero, SIMD3<Double>.zero
    )

    mutating func add(_ offset: SIMD3<Double>) {
      count += 1
      sum += offset
      squares += offset * offset
      products += SIMD3(offset.y * offset.z, offset.x * offset.z, offset.x * offset.y)
    }
  }

  /// - Returns: Nil if the points coincide, or not finite.
  init?(_ sums: Sums) {
    let mean = sums.sum / sums.count
    let d = sums.squares / sums.count - mean * mean
    let o =
      sums.products / sums.count
      - SIMD3(mean.y * mean.z, mean.x * mean.z, mean.x * mean.y)
    scale = d.max()
    guard scale > 0, scale.isFinite else { return nil }
    (self.d, self.o) = (d / scale, o / scale)
    guard let values = Self.leastEigenvalues(d / scale, o / scale) else { return nil }
    (least, second) = values
  }

  /// The unit eigenvector of the least eigenvalue, either way around; nil if the points are in a line.
  var leastDirection: SIMD3<Double>? {
    let rows = (
      SIMD3(d.x - least, o.z, o.y), SIMD3(o.z, d.y - least, o.x), SIMD3(o.y, o.x, d.z - least)
    )
    // Each row is at a right angle to the eigenvector, but some may be parallel.
    let candidates = [rows.0.cross(rows.1), rows.0.cross(rows.2), rows.1.cross(rows.2)]
    let best = candidates.max { $0.lengthSquared < $1.lengthSquared } ?? .zero
    guard best.lengthSquared > 1e-20 else { return nil }
    return best.normalized
  }

  /// By the roots of the characteristic polynomial (Smith 1961).
  private static func leastEigenvalues(
    _ d: SIMD3<Double>, _ o: SIMD3<Double>
  ) -> (Double, Double)? {
    let mean = d.sum() / 3
    let rest = d - mean
    let deviation = ((rest * rest).sum() / 6 + (o * o).sum() / 3).squareRoot()
    guard deviation.isFinite else { return nil }
    guard deviation > 0 else { return (mean, mean) }
    let (b, c) = (rest / deviation, o / deviation)
    let determinant =
      b.x * (b.y * b.z - c.x * c.x) - c.z * (c.z * b.z - c.x * c.y) + c.y * (c.z * c.x - b.y * c.y)
    let angle = acos(min(max(determinant / 2, -1), 1)) / 3
    let (largest, least) = (cos(angle), cos(angle + 2 * .pi / 3))
    return (mean + 2 * deviation * least, mean - 2 * deviation * (largest + least))
  }
}
