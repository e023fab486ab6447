package import MeshpipeScene

/// Removes the noise of a mesh's vertices.
package struct SurfaceSmoothing {
  /// The way noise is distinguished from shape.
  package enum Method: Sendable {
    /// Short waves of the surface are noise (Taubin 1995).
    case taubin
    /// Small differences of normals are noise (Zheng and others 2011); edges stay.
    case bilateral
  }

  package struct Options: Sendable {
    package var method = Method.bilateral
    /// The standard deviation of the noise along the normals, in units of the mesh; nil to estimate
    /// it.
    package var noise: Double?
    /// The maximum distance that a vertex moves, in units of the mesh; nil for four times the noise, and
    /// any of outliers.
    package var maximumShift: Double?
    /// Whether open borders and borders between classes move half as much.
    package var holdsBorders = true

    package init() {}
  }

  /// The result of smoothing, in units of the mesh.
  package struct Result: Sendable {
    /// The standard deviation of the noise, given or estimated.
    package var noise = 0.0
    /// The root of the mean squared distance that vertices moved.
    package var meanShift = 0.0
    /// The maximum distance that a vertex moved.
    package var largestShift = 0.0
    /// The number of vertices far off the surface around them, which were put on it.
    package var outlierCount = 0
  }

  private let options: Options
  private let surface: SmoothingSurface
  private let outliers: Set<Int>
  /// The standard deviation of the noise, in working units.
  private let noise: Double
  private let edge: Double
  private let limit: Float

  /// Smooths a mesh; its normals and tangents, if it has any, follow.
  ///
  /// Vertices without faces, and those with a coordinate that is not finite, stay. The result is the
  /// same on any number of threads.
  /// - Complexity: O(faces), with up to some fifty passes for strong noise in a fine mesh.
  package static func run(
    _ mesh: inout Mesh, _ options: Options, progress: (Double) throws -> Void
  ) rethrows -> Result {
    guard let smoothing = SurfaceSmoothing(mesh, options) else { return Result() }
    let positions = try smoothing.smoothed(progress)
    return smoothing.finish(&mesh, positions)
  }

  private init?(_ mesh: Mesh, _ options: Options) {
    guard var surface = SmoothingSurface(mesh, holdsBorders: options.holdsBorders) else {
      return nil
    }
    // Filters would take them for noise or for shape, and spread them.
    let isAtWork = options.noise != 0 && options.maximumShift != 0
    outliers = isAtWork ? surface.settleOutliers() : []
    self.surface = surface
    self.options = options
    edge = surface.meanEdgeLength()
    noise =
      options.noise.map { $0 / surface.scale }
      ?? NoiseEstimate.standardDeviation(of: surface) ?? 0
    limit = Float(options.maximumShift.map { $0 / surface.scale } ?? 4 * noise)
  }

  /// The noise relative to the edges, which is what normals suffer from.
  private var slope: Double { edge > 0 ? noise / edge : 0 }

  private func smoothed(_ progress: (Double) throws -> Void) rethrows -> [Vector3] {
    var positions = surface.original
    // Positions have 24 bits: less is their own rounding.
    guard noise > 1e-7, limit > 0 else { return positions }
    switch options.method {
    case .bilateral: try filter(&positions, progress)
    case .taubin: try flattenWaves(&positions, progress)
    }
    return positions
  }

  /// Removes short waves between creases, where vertices get the positions that filtered normals demand.
  ///
  /// A crease is a short wave itself: removed, it would become round, and the sides of a coarse mesh would
  /// bulge beside it.
  private func flattenWaves(
    _ positions: inout [Vector3], _ progress: (Double) throws -> Void
  ) rethrows {
    var filter = NormalFilter(of: surface, positions)
    try filter.denoise(surface, slope: slope) { try progress(0.4 * $0) }
    let isFixed = surface.creaseVertices(filter.normals)
    var fitted = positions
    try VertexFitting(surface: surface, normals: filter.normals, maximumShift: limit)
      .fit(&fitted, iterations: 10) { try progress(0.4 + 0.2 * $0) }
    for vertex in isFixed.indices where isFixed[vertex] { positions[vertex] = fitted[vertex] }
    let iterations = Int(min(60, max(3, 1200 * slope * slope)).rounded(.up))
    try TaubinSmoothing(surface, isFixed: isFixed, maximumShift: limit)
      .smooth(&positions, iterations: iterations) { try progress(0.6 + 0.4 * $0) }
  }

  private func filter(
    _ positions: inout [Vector3], _ progress: (Double) throws -> Void
  ) rethrows {
    var filter = NormalFilter(of: surface, positions)
    try filter.denoise(surface, slope: slope) { try progress(0.7 * $0) }
    let fitting = VertexFitting(surface: surface, normals: filter.normals, maximumShift: limit)
    try fitting.fit(&positions, iterations: 10) { try progress(0.7 + 0.3 * $0) }
  }

  private func finish(_ mesh: inout Mesh, _ positions: [Vector3]) -> Result {
    var result = Result(noise: noise * surface.scale, outlierCount: outliers.count)
    var squares = 0.0
    var count = 0
    let before = mesh.positions
    for vertex in positions.indices where surface.freedom[vertex] > 0 {
      count += 1
      let isOutlier = outliers.contains(vertex)
      guard isOutlier || positions[vertex] != surface.original[vertex] else { continue }
      mesh.positions[vertex] = surface.position(positions[vertex].simd)
      if isOutlier { mesh.positions[vertex].limit(to: options.maximumShift, from: before[vertex]) }
      let shift = (mesh.positions[vertex].double - before[vertex].double).length
      squares += shift * shift
      result.largestShift = max(result.largestShift, shift)
    }
    guard squares > 0 else { return result }
    result.meanShift = (squares / Double(count)).squareRoot()
    mesh.renewNormals(surface.around)
    return result
  }
}

extension Vector3 {
  /// Draws a position back to another one as far as the maximum distance demands.
  fileprivate mutating func limit(to distance: Double?, from origin: Vector3) {
    let shift = double - origin.double
    guard let distance, shift.length > distance else { return }
    self = Vector3(SIMD3<Float>(origin.double + shift * (distance / shift.length)))
  }
}
