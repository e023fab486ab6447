import MeshpipeBase
import MeshpipeScene

/// Points with normals that lie on shapes: the middles of faces, or points.
///
/// Relative to the middle of all, in units of their extent.
struct ShapeSamples: Sendable {
  var positions: [Vector3]
  /// Unit normals, either way around.
  var normals: [Vector3]
  /// The area of a face; 1 for points.
  var weights: [Float]
  /// The usual distance of neighbours.
  var spacing: Double

  var count: Int { positions.count }

  @inline(__always)
  func sample(_ number: Int32) -> ShapeModel.Sample {
    (positions[Int(number)].double, normals[Int(number)].double)
  }

  /// The box around some samples.
  func box(of numbers: some Sequence<Int32>) -> Box { Box(numbers.lazy.map { positions[Int($0)] }) }

  /// The weight of samples together.
  func weight(of numbers: [Int32]) -> Double {
    numbers.reduce(0) { $0 + Double(weights[Int($1)]) }
  }
}

/// The maximum distance and angle of a sample that belongs to a shape.
struct ShapeTolerance: Sendable {
  /// The maximum distance in the units of the samples.
  var distance: Double
  /// The least cosine between normals.
  var cosine: Double

  /// The score of a sample, from 0 for one that does not belong to the shape to 1 (Torr and Zisserman 2000).
  @inline(__always)
  func agreement(
    of model: ShapeModel, _ position: SIMD3<Double>, _ normal: SIMD3<Double>
  ) -> Double {
    let (offset, direction) = model.nearest(to: position)
    guard offset.magnitude <= distance, direction.dot(normal).magnitude >= cosine else { return 0 }
    let share = offset / distance
    return 1 - share * share
  }

  @inline(__always)
  func accepts(_ model: ShapeModel, _ sample: ShapeModel.Sample) -> Bool {
    agreement(of: model, sample.position, sample.normal) > 0
  }
}

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
      noise = spreads.map(\.deviation).element(ofRank: usual)
      spacing = spreads.map(\.spacing).element(ofRank: usual)
      if spreads.map(\.thinness).element(ofRank: usual) < Self.thin { break }
    }
    self.noise = noise
    let known = normals.map { $0.map { Vector3($0.simd.normalized) } }
    samples = ShapeSamples(
      positions: positions,
      normals: try known
        ?? PointNormals.fitted(
          to: positions, tree, neighbors: neighbors, fallback: .zero, progress: progress),
      weights: [Float](repeating: 1, count: positions.count), spacing: spacing)
  }

  private static func spreads(
    of trial: [Int], _ tree: borrowing PointTree, _ positions: [Vector3], neighbors: Int
  ) -> [NeighborPlane] {
    var found = NearestPoints(capacity: neighbors)
    return trial.compactMap { NeighborPlane(around: $0, tree, positions, &found) }
  }
}

/// The plane that the neighbours of a point suggest.
private struct NeighborPlane {
  /// The standard deviation along the normal, of which three degrees of freedom are taken.
  let deviation: Double
  /// The least variance over the second one.
  let thinness: Double
  /// The distance of neighbours of which as many are as near.
  let spacing: Double

  /// - Returns: Nil if the neighbours coincide or are collinear.
  init?(
    around item: Int, _ tree: borrowing PointTree, _ positions: [Vector3],
    _ found: inout NearestPoints
  ) {
    let center = tree.items[item].position.double
    tree.find(&found, around: center)
    guard found.count > 3, let spread = PointSpread(of: found, positions, around: center),
      spread.second > 1e-9, spread.leastDirection != nil
    else { return nil }
    let count = Double(found.count)
    deviation = (max(spread.least, 0) * spread.scale * count / (count - 3)).squareRoot()
    thinness = max(spread.least, 0) / spread.second
    spacing = (found[found.count - 1].squaredDistance * .pi / count).squareRoot()
  }
}
