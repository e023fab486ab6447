/// An affine map of space, in double precision: `p ↦ x·p.x + y·p.y + z·p.z + translation`.
///
/// The columns are the images of the axes. As a camera pose it is camera-to-world.
@frozen
public struct Transform: Sendable, Equatable {
  /// The image of the first axis.
  public var x: SIMD3<Double>
  /// The image of the second axis.
  public var y: SIMD3<Double>
  /// The image of the third axis.
  public var z: SIMD3<Double>
  /// The image of the origin.
  public var translation: SIMD3<Double>

  /// Creates the map of the given images of the axes and of the origin.
  @inlinable
  public init(
    x: SIMD3<Double>, y: SIMD3<Double>, z: SIMD3<Double>, translation: SIMD3<Double> = .zero
  ) {
    self.x = x
    self.y = y
    self.z = z
    self.translation = translation
  }

  /// The map that changes nothing.
  public static let identity = Transform(
    x: SIMD3(1, 0, 0), y: SIMD3(0, 1, 0), z: SIMD3(0, 0, 1))

  /// Creates a translation.
  public init(translation: SIMD3<Double>) {
    self = .identity
    self.translation = translation
  }

  /// Creates a scaling along the axes.
  public init(scale: SIMD3<Double>) {
    self.init(x: SIMD3(scale.x, 0, 0), y: SIMD3(0, scale.y, 0), z: SIMD3(0, 0, scale.z))
  }

  /// The image of a point.
  @inlinable
  public func apply(toPoint p: SIMD3<Double>) -> SIMD3<Double> {
    x * p.x + y * p.y + z * p.z + translation
  }

  /// The image of a direction, not normalised.
  @inlinable
  public func apply(toVector v: SIMD3<Double>) -> SIMD3<Double> {
    x * v.x + y * v.y + z * v.z
  }

  /// The same map without its translation.
  public var linear: Transform { Transform(x: x, y: y, z: z) }

  /// The determinant of the linear part: negative if the handedness changes.
  @inlinable
  public var determinant: Double { x.dot(y.cross(z)) }

  /// The map for normals: the cofactor matrix of the linear part, correct for mirrors too.
  @inlinable
  public var normalTransform: Transform {
    Transform(x: y.cross(z), y: z.cross(x), z: x.cross(y))
  }

  /// The inverse map, or nil if the linear part is singular.
  public var inverse: Transform? {
    let determinant = self.determinant
    guard determinant != 0, determinant.isFinite else { return nil }
    let rows = (y.cross(z) / determinant, z.cross(x) / determinant, x.cross(y) / determinant)
    var result = Transform(
      x: SIMD3(rows.0.x, rows.1.x, rows.2.x),
      y: SIMD3(rows.0.y, rows.1.y, rows.2.y),
      z: SIMD3(rows.0.z, rows.1.z, rows.2.z))
    result.translation = -result.apply(toVector: translation)
    return result
  }

  /// The map that applies `right` first and `left` after it.
  @inlinable
  public static func * (left: Transform, right: Transform) -> Transform {
    Transform(
      x: left.apply(toVector: right.x), y: left.apply(toVector: right.y),
      z: left.apply(toVector: right.z), translation: left.apply(toPoint: right.translation))
  }
}
