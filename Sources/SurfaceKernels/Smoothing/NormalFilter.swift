import MeshpipeScene

/// Unit normals of faces with their areas, filtered so that noise goes and edges stay (Zheng and
/// others 2011).
///
/// A normal becomes the mean of those around it, weighted by area and by how little they differ from
/// it: normals across an edge differ too much to count.
struct NormalFilter: Sendable {
  /// The unit normal of each face and its area in working units; zero if it has no area.
  private(set) var normals: [SIMD4<Float>]

  init(of surface: SmoothingSurface, _ positions: [Vector3]) {
    let indices = surface.indices
    normals = Parallel.array(count: surface.faceCount) { face in
      let a = positions[Int(indices[3 * face])].simd
      let cross = (positions[Int(indices[3 * face + 1])].simd - a)
        .cross(positions[Int(indices[3 * face + 2])].simd - a)
      let length = cross.length
      return length > 0 && length.isFinite ? SIMD4(cross / length, length / 2) : .zero
    }
  }

  /// The bounds of the difference of unit normals that no longer counts as noise: 11 degrees, and 67,
  /// so that right angles stay however strong the noise is.
  private static let leastReach = 0.2
  private static let largestReach = 1.1

  /// Removes noise.
  ///
  /// Normals of faces deviate by about 1.4 times the slope along each axis, so that 8 times leaves
  /// three standard deviations to the difference of two; a diffusion of 60 times the slope brings them
  /// within two degrees.
  /// - Parameter slope: The standard deviation of the noise of positions over the mean length of edges.
  mutating func denoise(
    _ surface: SmoothingSurface, slope: Double, progress: (Double) throws -> Void
  ) rethrows {
    let reach = min(Self.largestReach, max(Self.leastReach, 8 * slope))
    let rounds = Int(min(40, max(4, 60 * slope)).rounded(.up))
    try smooth(surface, reach: Float(reach), iterations: rounds, progress: progress)
  }

  /// Filters the normals some times.
  ///
  /// Neighbours are the faces around the three vertices, so those across an edge count twice.
  /// - Parameter reach: The difference of unit normals from which they no longer count.
  mutating func smooth(
    _ surface: SmoothingSurface, reach: Float, iterations: Int, progress: (Double) throws -> Void
  ) rethrows {
    for iteration in 0..<iterations {
      try progress(Double(iteration) / Double(iterations))
      let old = normals
      normals = Parallel.array(count: old.count, chunkSize: 1 << 12) { face in
        Self.filtered(face, old, surface, inverseReach: 1 / (reach * reach))
      }
    }
  }

  @inline(__always)
  private static func filtered(
    _ face: Int, _ normals: [SIMD4<Float>], _ surface: SmoothingSurface, inverseReach: Float
  ) -> SIMD4<Float> {
    let own = normals[face]
    guard own.w > 0 else { return own }
    var sum = SIMD4<Float>.zero
    for corner in 3 * face..<3 * face + 3 {
      let (places, step) = surface.corners(around: Int(surface.indices[corner]))
      var index = places.lowerBound
      while index < places.upperBound {
        let other = normals[Int(surface.around.corners[index] / 3)]
        var difference = other - own
        difference.w = 0
        // Tukey's biweight: no exponential, and exactly zero beyond the reach.
        let near = max(0, 1 - (difference * difference).sum() * inverseReach)
        sum += other * (near * near * other.w)
        index += step
      }
    }
    let mean = SIMD3(sum.x, sum.y, sum.z)
    let length = mean.length
    return length > 0 ? SIMD4(mean / length, own.w) : own
  }
}
