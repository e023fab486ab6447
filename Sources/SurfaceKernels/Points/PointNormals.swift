package import MeshpipeScene
import POSIX

/// Normals of points without faces: the direction in which their neighbours vary least (Hoppe and others
/// 1992).
package struct PointNormals: ~Copyable {
  let tree: PointTree
  let positions: [Vector3]
  /// Unit normals, one per point; either way around until they are turned.
  package internal(set) var normals: [Vector3]

  /// Fits the normals.
  ///
  /// - Parameters:
  ///   - neighbors: The number of nearest points that a plane is fitted to, the point itself included.
  ///   - fallback: For non-finite points, and where all neighbours are in a line.
  ///   - progress: Receives the share of the work done.
  package init(
    of positions: [Vector3], neighbors: Int, fallback: Vector3,
    progress: (Double) throws -> Void
  ) rethrows {
    self.positions = positions
    let tree = PointTree(positions)
    var normals = [Vector3](repeating: fallback, count: positions.count)
    try normals.withDisjointBuffer { normals in
      try Parallel.forEachPortion(of: tree.count, progress: progress) { range in
        var found = NearestPoints(capacity: neighbors)
        for item in range {
          let center = tree.items[item].position.double
          tree.find(&found, around: center)
          var spread = Spread(center: center)
          for place in 0..<found.count { spread.add(positions[Int(found[place].index)].double) }
          if let normal = spread.leastDirection {
            normals[tree.items[item].index] = Vector3(SIMD3<Float>(normal))
          }
        }
      }
    }
    self.tree = tree
    self.normals = normals
  }

  /// Turns each normal so that it looks in a direction, less than a right angle away from it.
  ///
  /// - Parameter direction: Of a point, by its index; need not have length 1.
  package mutating func turn(to direction: @Sendable (Int) -> SIMD3<Float>) {
    normals.withDisjointBuffer { normals in
      Parallel.forEachChunk(of: normals.count, chunkSize: 1 << 11) { _, range in
        for point in range where normals[point].simd.dot(direction(point)) < 0 {
          normals[point] = Vector3(-normals[point].simd)
        }
      }
    }
  }
}

/// How points vary around a place.
private struct Spread {
  let center: SIMD3<Double>
  private var count = 0.0
  private var sum = SIMD3<Double>.zero
  private var squares = SIMD3<Double>.zero
  /// Of y and z, x and z, x and y.
  private var products = SIMD3<Double>.zero

  init(center: SIMD3<Double>) { self.center = center }

  mutating func add(_ point: SIMD3<Double>) {
    let offset = point - center
    count += 1
    sum += offset
    squares += offset * offset
    products += SIMD3(offset.y * offset.z, offset.x * offset.z, offset.x * offset.y)
  }

  /// The eigenvector of the least eigenvalue of the covariance; nil if the points are in a line.
  var leastDirection: SIMD3<Double>? {
    let mean = sum / count
    var d = squares / count - mean * mean
    var o = products / count - SIMD3(mean.y * mean.z, mean.x * mean.z, mean.x * mean.y)
    let scale = max(d.x, d.y, d.z)
    guard scale > 0, scale.isFinite else { return nil }
    d /= scale
    o /= scale
    let value = Self.leastEigenvalue(d, o)
    let rows = (
      SIMD3(d.x - value, o.z, o.y), SIMD3(o.z, d.y - value, o.x), SIMD3(o.y, o.x, d.z - value)
    )
    // Each row is at a right angle to the eigenvector, but some may be parallel.
    let candidates = [rows.0.cross(rows.1), rows.0.cross(rows.2), rows.1.cross(rows.2)]
    let best = candidates.max { $0.lengthSquared < $1.lengthSquared } ?? .zero
    guard best.lengthSquared > 1e-20 else { return nil }
    return best.normalized
  }

  /// By the roots of the characteristic polynomial (Smith 1961).
  private static func leastEigenvalue(_ d: SIMD3<Double>, _ o: SIMD3<Double>) -> Double {
    let mean = d.sum() / 3
    let rest = d - mean
    let deviation = ((rest * rest).sum() / 6 + (o * o).sum() / 3).squareRoot()
    guard deviation > 0 else { return mean }
    let (b, c) = (rest / deviation, o / deviation)
    let determinant =
      b.x * (b.y * b.z - c.x * c.x) - c.z * (c.z * b.z - c.x * c.y) + c.y * (c.z * c.x - b.y * c.y)
    let angle = acos(min(max(determinant / 2, -1), 1)) / 3
    return mean + 2 * deviation * cos(angle + 2 * .pi / 3)
  }
}
