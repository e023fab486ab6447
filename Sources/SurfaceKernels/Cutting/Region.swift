package import MeshpipeScene

/// A region of space, in the units of the scene.
package enum Region {
  /// An oriented box: the points whose coordinates in `frame` are within the bounds.
  case box(toBox: Transform, minimum: SIMD3<Double>, maximum: SIMD3<Double>)
  case sphere(center: SIMD3<Double>, radius: Double)

  /// Whether a point is inside or on the surface; non-finite points are outside.
  package func contains(_ point: SIMD3<Double>) -> Bool {
    switch self {
    case .box(let toBox, let minimum, let maximum):
      let inBox = toBox.apply(toPoint: point)
      return all(inBox .>= minimum) && all(inBox .<= maximum)
    case .sphere(let center, let radius):
      return (point - center).lengthSquared <= radius * radius
    }
  }

  /// The planes around a box, with outward normals; those at infinity are omitted.
  package var planes: [Plane] {
    guard case .box(let toBox, let minimum, let maximum) = self else { return [] }
    return (0..<3).flatMap { axis in
      // The row of the map gives the coordinate of a point along the box axis.
      let row = SIMD3(toBox.x[axis], toBox.y[axis], toBox.z[axis])
      let offset = toBox.translation[axis]
      return [
        Plane(normal: -row, offset: minimum[axis] - offset),
        Plane(normal: row, offset: offset - maximum[axis]),
      ].filter(\.offset.isFinite)
    }
  }
}
