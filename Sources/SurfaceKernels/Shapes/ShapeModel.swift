import MeshpipeScene
import POSIX

/// The parameters of a shape without an end: what distances and normals follow from.
struct ShapeModel: Sendable, Equatable {
  var kind: Shape.Kind
  /// A point of a plane or on an axis; the middle of a sphere or a torus.
  var center: SIMD3<Double>
  /// The unit normal or axis, that of a cone towards its wide end; zero for a sphere.
  var axis = SIMD3<Double>.zero
  /// The radius of a sphere or cylinder, of a cone at ``center``, or the larger one of a torus.
  var radius = 0.0
  /// The radius of a torus' tube.
  var tube = 0.0
  /// The sine and the cosine of the angle between a cone and its axis.
  var slope = SIMD2(0.0, 1.0)

  /// The signed distance of a point, and the unit normal of the shape nearest to it.
  @inline(__always)
  func nearest(to point: SIMD3<Double>) -> (distance: Double, normal: SIMD3<Double>) {
    let offset = point - center
    switch kind {
    case .plane: return (offset.dot(axis), axis)
    case .sphere:
      let length = offset.length
      return (length - radius, length > 0 ? offset / length : .zero)
    case .cylinder, .cone:
      let (height, distance, outward) = around(offset)
      return (
        (distance - radius) * slope.y - height * slope.x, outward * slope.y - axis * slope.x
      )
    case .torus:
      let (height, distance, outward) = around(offset)
      let normal = outward * (distance - radius) + axis * height
      let length = normal.length
      return (length - tube, length > 0 ? normal / length : .zero)
    }
  }

  /// The height of an offset along the axis, its distance from there, and the direction away from it.
  @inline(__always)
  func around(
    _ offset: SIMD3<Double>
  ) -> (height: Double, distance: Double, outward: SIMD3<Double>) {
    let height = offset.dot(axis)
    let away = offset - axis * height
    let distance = away.length
    return (height, distance, distance > 0 ? away / distance : .zero)
  }

  /// Two unit vectors at right angles to the axis and to each other.
  var sides: (SIMD3<Double>, SIMD3<Double>) { perpendiculars(of: axis) }

  var isFinite: Bool {
    let sum = center.sum() + axis.sum() + radius + tube + slope.sum()
    return sum.isFinite
  }
}
