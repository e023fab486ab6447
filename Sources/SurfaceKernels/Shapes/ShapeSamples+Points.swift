import MeshpipeScene
import POSIX

/// Points as samples, and what they say of their noise.
struct PointSamples {
  let samples: ShapeSamples
  /// The standard deviation of points from a surface, in the units of the samples.
  let noise: Double

  /// Numbers of neighbours from which a normal may follow: the least with which surfaces are thin.
  private static let neighborCounts = [16, 32, 64, 128]
  /// The variance across a surface over that along it, below which it is thin.
  private static let thin = 0.04
  /// The points that tell it, and the share of them that may be outliers or at edges on the one side.
  private static let (trialCount, quantile) = (2000, 0.35)

  /// - Parameters:
  ///   - positions: In units of their extent around zero; non-finite ones are on no shape.
  ///   - normals: Of the file; estimated where there are none.
  init(
    _ positions: [Vector3], normals: [Vector3]?, progress: (Double) throws -> Void
  ) rethrows {
    let tree = PointTree(positions)
    let step = max(1, tree.count / Self.trialCount)
    let trial = Array(stride(from: step / 2, to: tree.count, by: step))
    var (neighbors, spacing, noise) = (0, 0.0, 0.0)
    for count in Self.neighborCounts where count <= max(tree.count, Self.neighborCounts[0]) {
      neighbors = count
      let spreads = Self.spreads(of: trial, tree, positions, neighbors: count)
      let usual = Int(Double(spreads.count) * Self.quantile)
      guard usual < spreads.count else { break }
      noise = spreads.map(\.deviation).sorted()[usual]
      spacing = spreads.map(\.spacing).sorted()[usual]
      if spreads.map(\.thinness).sorted()[usual] < Self.thin { break }
    }
    self.noise = noise
    let known = normals.map { $0.map { Vector3($0.simd.normalized) } }
    samples = ShapeSamples(
      positions: positions,
      normals: try known
        ?? Self.normals(of: positions, tree, neighbors: neighbors, progress: progress),
      weights: [Float](repeating: 1, count: positions.count), spacing: spacing)
  }

  private static func spreads(
    of trial: [Int], _ tree: borrowing PointTree, _ positions: [Vector3], neighbors: Int
  ) -> [PointSpread] {
    var found = NearestPoints(capacity: neighbors)
    return trial.compactMap { PointSpread(around: $0, tree, positions, &found) }
  }

  /// The directions in which neighbours vary least (Hoppe and others 1992); zero where they are in a line.
  private static func normals(
    of positions: [Vector3], _ tree: borrowing PointTree, neighbors: Int,
    progress: (Double) throws -> Void
  ) rethrows -> [Vector3] {
    var normals = [Vector3](repeating: .zero, count: positions.count)
    guard neighbors > 0 else { return normals }
    try normals.withDisjointBuffer { normals in
      try Parallel.forEachPortion(of: tree.count, progress: progress) { range in
        var found = NearestPoints(capacity: neighbors)
        for item in range {
          guard let spread = PointSpread(around: item, tree, positions, &found) else { continue }
          normals[Int(tree.items[item].index)] = Vector3(SIMD3<Float>(spread.normal))
        }
      }
    }
    return normals
  }
}

/// How the neighbours of a point lie: the eigenvalues of their covariance and the direction of the least.
private struct PointSpread {
  let normal: SIMD3<Double>
  /// The standard deviation along the normal, of which three degrees of freedom are taken.
  let deviation: Double
  /// The least variance over the second one.
  let thinness: Double
  /// The distance of neighbours of which as many are as near.
  let spacing: Double

  /// - Returns: Nil if the neighbours are in one place or in a line.
  init?(
    around item: Int, _ tree: borrowing PointTree, _ positions: [Vector3],
    _ found: inout NearestPoints
  ) {
    let center = tree.items[item].position.double
    tree.find(&found, around: center)
    let count = Double(found.count)
    guard found.count > 3 else { return nil }
    var (sum, d, o) = (SIMD3<Double>.zero, SIMD3<Double>.zero, SIMD3<Double>.zero)
    for place in 0..<found.count {
      let offset = positions[Int(found[place].index)].double - center
      sum += offset
      d += offset * offset
      o += SIMD3(offset.y * offset.z, offset.x * offset.z, offset.x * offset.y)
    }
    let mean = sum / count
    d = d / count - mean * mean
    o = o / count - SIMD3(mean.y * mean.z, mean.x * mean.z, mean.x * mean.y)
    let scale = d.max()
    guard scale > 0, let values = eigenvalues(d / scale, o / scale), values.y > 1e-9 else {
      return nil
    }
    let least = values.x
    let rows = (
      SIMD3(d.x / scale - least, o.z / scale, o.y / scale),
      SIMD3(o.z / scale, d.y / scale - least, o.x / scale),
      SIMD3(o.y / scale, o.x / scale, d.z / scale - least)
    )
    // Each row is at a right angle to the eigenvector, but some may be parallel.
    let candidates = [rows.0.cross(rows.1), rows.0.cross(rows.2), rows.1.cross(rows.2)]
    normal = (candidates.max { $0.lengthSquared < $1.lengthSquared } ?? .zero).normalized
    guard normal != .zero else { return nil }
    deviation = (max(least, 0) * scale * count / (count - 3)).squareRoot()
    thinness = max(least, 0) / values.y
    spacing = (found[found.count - 1].squaredDistance * .pi / count).squareRoot()
  }
}

/// The two least eigenvalues of a symmetric matrix of its diagonal and of its entries yz, xz and xy (Smith 1961).
private func eigenvalues(_ d: SIMD3<Double>, _ o: SIMD3<Double>) -> SIMD2<Double>? {
  let mean = d.sum() / 3
  let rest = d - mean
  let deviation = ((rest * rest).sum() / 6 + (o * o).sum() / 3).squareRoot()
  guard deviation.isFinite else { return nil }
  guard deviation > 0 else { return SIMD2(mean, mean) }
  let (b, c) = (rest / deviation, o / deviation)
  let determinant =
    b.x * (b.y * b.z - c.x * c.x) - c.z * (c.z * b.z - c.x * c.y) + c.y * (c.z * c.x - b.y * c.y)
  let angle = acos(min(max(determinant / 2, -1), 1)) / 3
  let (largest, least) = (cos(angle), cos(angle + 2 * .pi / 3))
  return SIMD2(mean + 2 * deviation * least, mean - 2 * deviation * (largest + least))
}
