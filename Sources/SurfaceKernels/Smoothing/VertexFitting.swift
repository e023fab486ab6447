import MeshpipeScene

/// Moves vertices so that the faces get given normals (Sun and others 2007).
struct VertexFitting: Sendable {
  let surface: SmoothingSurface
  /// The wanted unit normal of each face, in the first three lanes.
  let normals: [SIMD4<Float>]
  /// The maximum distance from the original position, in working units.
  let maximumShift: Float

  /// Moves all vertices some times by the mean, weighted by area, of their distances from the planes through the
  /// centroids of their faces, along the normals of these planes.
  func fit(
    _ positions: inout [Vector3], iterations: Int, progress: (Double) throws -> Void
  ) rethrows {
    for iteration in 0..<iterations {
      try progress(Double(iteration) / Double(iterations))
      let old = positions
      positions = Parallel.array(count: old.count, chunkSize: 1 << 12) { vertex in
        surface.held(vertex, old[vertex].simd + step(of: vertex, old), maximumShift)
      }
    }
  }

  @inline(__always)
  private func step(of vertex: Int, _ positions: [Vector3]) -> SIMD3<Float> {
    let (places, step) = surface.corners(around: vertex)
    let own = positions[vertex].simd
    var sum = SIMD3<Float>.zero
    var area: Float = 0
    var index = places.lowerBound
    while index < places.upperBound {
      let corner = Int(surface.around.corners[index])
      index += step
      let normal = normals[corner / 3]
      guard normal.w > 0 else { continue }
      let next = positions[Int(surface.indices[nextCorner(corner)])].simd
      let previous = positions[Int(surface.indices[previousCorner(corner)])].simd
      let direction = SIMD3(normal.x, normal.y, normal.z)
      sum += direction * (normal.w * direction.dot((next - own) + (previous - own)))
      area += normal.w
    }
    return area > 0 ? sum / (3 * area) : .zero
  }
}

extension SmoothingSurface {
  /// A new position of a vertex, drawn back to the original one as far as it is held and as the
  /// maximum shift demands.
  @inline(__always)
  func held(_ vertex: Int, _ position: SIMD3<Float>, _ maximumShift: Float) -> Vector3 {
    let origin = original[vertex].simd
    let shift = (position - origin) * freedom[vertex]
    let length = shift.length
    guard length.isFinite else { return original[vertex] }
    return Vector3(
      length > maximumShift ? origin + shift * (maximumShift / length) : origin + shift)
  }
}
