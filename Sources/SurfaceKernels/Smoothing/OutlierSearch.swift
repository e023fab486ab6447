import MeshpipeBase
import MeshpipeScene

/// The vertices far off the surface around them: flying points that a scanner or a reconstruction left.
///
/// A quadric is fitted to three rings of vertices such that a part of them may lie anywhere (iteratively
/// reweighted least squares, Holland and Welsch 1977). An outlier is much farther from it than
/// four fifths of the others; on edges, corners and thin parts these are far from it themselves.
struct OutlierSearch: Sendable {
  private let surface: SmoothingSurface
  /// The height of each vertex above the mean of its neighbours, along their normal.
  private let heights: [Float]

  /// The vertices of a patch: three rings.
  private static let patchSize = 37
  private static let leastPatchSize = 20
  /// The height over that of most neighbours that makes a vertex worth a fit.
  private static let suspicion: Float = 4
  /// The residual of an outlier over the standard deviation of the others.
  private static let threshold = 6.0
  /// The least residual over the radius of the patch: less can't be seen, and exact meshes have it.
  private static let leastResidual = 0.02
  /// Less is an edge or a thin part.
  private static let leastFlatness = 0.75

  init(_ surface: SmoothingSurface) {
    self.surface = surface
    heights = Parallel.array(count: surface.vertexCount, chunkSize: 1 << 12) { vertex in
      surface.height(of: vertex)
    }
  }

  /// The outliers, with their new positions on the surface around them.
  func outliers() -> [(vertex: Int, position: Vector3)] {
    let chunks = Parallel.mapChunks(of: surface.vertexCount, chunkSize: 1 << 12) { range in
      var rings = VertexRings()
      return range.compactMap { vertex in
        isSuspicious(vertex) ? settled(vertex, &rings).map { (vertex, $0) } : nil
      }
    }
    return chunks.flatMap(\.self)
  }

  private func isSuspicious(_ vertex: Int) -> Bool {
    let height = abs(heights[vertex])
    guard height > 0 else { return false }
    let (places, step) = surface.corners(around: vertex)
    var (lower, count) = (0, 0)
    for index in stride(from: places.lowerBound, to: places.upperBound, by: step) {
      let neighbor = surface.indices[nextCorner(Int(surface.around.corners[index]))]
      if height > Self.suspicion * abs(heights[Int(neighbor)]) { lower += 1 }
      count += 1
    }
    return 2 * lower > count
  }

  /// The position of an outlier on the surface around it; nil if the vertex is not an outlier.
  private func settled(_ vertex: Int, _ rings: inout VertexRings) -> Vector3? {
    rings.gather(around: vertex, of: surface, count: Self.patchSize)
    let neighborCount = surface.corners(around: vertex).places.count
    // The tip of a fan says nothing, since there is only one ring.
    guard rings.vertices.count > max(Self.leastPatchSize, 2 * neighborCount),
      rings.flatness > Self.leastFlatness
    else { return nil }
    let own = surface.original[vertex].double
    let others = rings.vertices.dropFirst().map { surface.original[$0].double - own }
    guard let fit = RobustQuadric(of: others, neighborCount: neighborCount, normal: rings.normal),
      abs(fit.height) > max(Self.threshold * fit.deviation, Self.leastResidual * fit.radius)
    else { return nil }
    return Vector3(SIMD3<Float>(own + fit.up * fit.height))
  }
}

extension SmoothingSurface {
  /// The height of a vertex above the mean of its neighbours, along the normal of the ring that they make; zero on
  /// open borders.
  fileprivate func height(of vertex: Int) -> Float {
    let (places, step) = corners(around: vertex)
    guard freedom[vertex] > 0, !isOpen[vertex], places.count > 2 else { return 0 }
    let own = original[vertex].simd
    var sum = SIMD3<Float>.zero
    // The vertex itself has no part in it.
    var normal = SIMD3<Float>.zero
    for index in stride(from: places.lowerBound, to: places.upperBound, by: step) {
      let corner = Int(around.corners[index])
      let first = original[Int(indices[nextCorner(corner)])].simd - own
      let second = original[Int(indices[previousCorner(corner)])].simd - own
      normal += first.cross(second)
      sum += first
    }
    let length = normal.length
    let count = Float((places.count - 1) / step + 1)
    return length > 0 && length.isFinite ? -sum.dot(normal) / (length * count) : 0
  }
}

/// A quadric over a plane through the origin that fits most of some points.
private struct RobustQuadric {
  /// The unit normal of the plane.
  let up: SIMD3<Double>
  /// The height of the quadric above the origin.
  let height: Double
  /// The standard deviation of most points from it.
  let deviation: Double
  /// The distance of the farthest point.
  let radius: Double

  private static let iterations = 6

  /// - Parameter neighborCount: The number of points, the first ones, that are next to the origin.
  init?(of points: [SIMD3<Double>], neighborCount: Int, normal: SIMD3<Double>) {
    let radius = points.map(\.length).max() ?? 0
    guard radius > 0, let frame = PlaneFrame(normal: normal) else { return nil }
    let local = points.map { frame.coordinates(of: $0 / radius) }
    var weights = [Double](repeating: 1, count: points.count)
    var heightAtOrigin = 0.0
    var residuals: [Double] = []
    for _ in 0..<Self.iterations {
      guard let quadric = HeightQuadric(of: local, weights: weights) else { return nil }
      heightAtOrigin = quadric.coefficients[0]
      residuals = local.map { quadric.residual(of: $0) }
      let scale = max(1e-9, residuals.map(abs).element(ofRank: residuals.count / 2))
      // Cauchy's weights: the pull of far points tends to zero.
      weights = residuals.map { 1 / (1 + ($0 / (2 * scale)) * ($0 / (2 * scale))) }
    }
    up = frame.up
    self.radius = radius
    height = heightAtOrigin * radius
    // Four fifths of normally distributed residuals are below 1.28 standard deviations; six unknowns are
    // taken from them.
    let share = residuals.map(abs).element(ofRank: residuals.count * 4 / 5) / 1.2816
    // Those around the tip of a cone deviate, too, all to the same side.
    let near = abs(residuals.prefix(neighborCount).element(ofRank: neighborCount / 2))
    let freedom = Double(points.count) / Double(points.count - HeightQuadric.unknownCount)
    deviation = max(share, near) * freedom.squareRoot() * radius
  }
}
