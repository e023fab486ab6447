import MeshpipeScene

/// The noise of a mesh: the deviation of its vertices from a smooth surface.
///
/// A quadric is fitted to the vertices around some vertices; the deviations from it are noise where
/// the surface is smooth, and more where it is not, so that a low quantile stands for the noise. Noise
/// that is alike over many vertices can't be told from shape.
struct NoiseEstimate {
  /// The number of places, of which some are smooth in almost every scan.
  private static let placeCount = 4000
  /// The vertices of a patch: about five rings, several times the unknowns of a quadric.
  private static let patchSize = 90
  /// Fewer vertices say nothing of noise.
  private static let leastPatchSize = 16
  /// The quantile of the deviations that stands for the noise: most of a scan may be edges and curves.
  private static let smoothShare = 0.35

  /// The standard deviation of the noise along the normals, in working units; nil if the mesh is too
  /// small to tell.
  static func standardDeviation(of surface: SmoothingSurface) -> Double? {
    let count = surface.vertexCount
    let step = max(1, count / placeCount)
    let places = Array(stride(from: step / 2, to: count, by: step))
    let chunks = Parallel.mapChunks(of: places.count, chunkSize: 64) { range in
      var patch = Patch(surface)
      return range.compactMap { patch.deviation(around: places[$0]) }
    }
    var deviations = chunks.flatMap(\.self)
    guard !deviations.isEmpty else { return nil }
    deviations.sort()
    return deviations[Int(Double(deviations.count - 1) * smoothShare)]
  }

  /// Vertices around a place, gathered ring by ring.
  private struct Patch {
    let surface: SmoothingSurface
    private var vertices: [Int] = []
    private var isGathered: Set<Int> = []
    private var normal = SIMD3<Double>.zero

    init(_ surface: SmoothingSurface) { self.surface = surface }

    /// The standard deviation from the fitted quadric; nil if there are too few vertices around.
    mutating func deviation(around place: Int) -> Double? {
      guard surface.freedom[place] > 0 else { return nil }
      gather(around: place)
      guard vertices.count >= leastPatchSize, normal != .zero else { return nil }
      return QuadricFit(of: vertices.map { surface.original[$0].double }, normal: normal)?.deviation
    }

    private mutating func gather(around place: Int) {
      vertices = [place]
      isGathered = [place]
      normal = .zero
      var next = 0
      while next < vertices.count, vertices.count < patchSize {
        let (places, step) = surface.corners(around: vertices[next])
        next += 1
        for place in stride(from: places.lowerBound, to: places.upperBound, by: step) {
          add(Int(surface.around.corners[place]))
        }
      }
    }

    private mutating func add(_ corner: Int) {
      let ends = [nextCorner(corner), previousCorner(corner)].map { Int(surface.indices[$0]) }
      let tip = surface.original[Int(surface.indices[corner])].double
      normal += (surface.original[ends[0]].double - tip)
        .cross(surface.original[ends[1]].double - tip)
      for vertex in ends where surface.freedom[vertex] > 0 && isGathered.insert(vertex).inserted {
        vertices.append(vertex)
      }
    }
  }
}

/// The quadric `z = a + bx + cy + dx² + exy + fy²` that fits points best, over their tangent plane.
private struct QuadricFit {
  /// The standard deviation of the points from it, of which six degrees of freedom are taken.
  let deviation: Double

  init?(of points: [SIMD3<Double>], normal: SIMD3<Double>) {
    let up = normal.normalized
    let side = abs(up.x) < 0.6 ? SIMD3<Double>(1, 0, 0) : SIMD3(0, 1, 0)
    let right = up.cross(side).normalized
    let middle = points.reduce(SIMD3<Double>.zero, +) / Double(points.count)
    let radius = points.map { ($0 - middle).length }.max() ?? 0
    guard radius > 0, right != .zero else { return nil }
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
  }

  private static func terms(_ point: SIMD3<Double>) -> SIMD8<Double> {
    SIMD8(1, point.x, point.y, point.x * point.x, point.x * point.y, point.y * point.y, 0, 0)
  }
}
