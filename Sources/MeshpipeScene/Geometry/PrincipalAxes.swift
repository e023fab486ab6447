/// What a linear map makes of the unit ball: an ellipsoid, by its axes.
///
/// This is the singular value decomposition, by one-sided Jacobi rotations (Hestenes 1958), which find short axes beside
/// long ones as precisely as these.
package struct PrincipalAxes: Sendable {
  /// The lengths of the axes, which are not negative.
  package let lengths: SIMD3<Double>
  /// The unit vectors along the axes, at right angles.
  package let directions: Transform
  /// The unit vectors that the map turns into these directions.
  private let sources: Transform

  /// Decomposes a map without its translation; one that is not finite gives axes that are not either.
  package init(_ map: Transform) {
    var (image, source) = (map.linear, Transform.identity)
    // It converges quadratically; six sweeps are many.
    for _ in 0..<30 {
      let xy = Self.separate(&image.x, &image.y, turning: &source.x, &source.y)
      let xz = Self.separate(&image.x, &image.z, turning: &source.x, &source.z)
      let yz = Self.separate(&image.y, &image.z, turning: &source.y, &source.z)
      if !xy, !xz, !yz { break }
    }
    lengths = SIMD3(image.x.length, image.y.length, image.z.length)
    var axes = Transform(x: image.x.normalized, y: image.y.normalized, z: image.z.normalized)
    // A flat map leaves one direction open.
    if lengths.x == 0 { axes.x = axes.y.cross(axes.z) }
    if lengths.y == 0 { axes.y = axes.z.cross(axes.x) }
    if lengths.z == 0 { axes.z = axes.x.cross(axes.y) }
    directions = axes
    sources = source
  }

  /// Turns two columns within their plane until they are at right angles.
  ///
  /// - Returns: Whether they were not yet.
  @inline(__always)
  private static func separate(
    _ a: inout SIMD3<Double>, _ b: inout SIMD3<Double>, turning aSource: inout SIMD3<Double>,
    _ bSource: inout SIMD3<Double>
  ) -> Bool {
    let (aa, bb, ab) = (a.dot(a), b.dot(b), a.dot(b))
    guard abs(ab) > 1e-15 * (aa * bb).squareRoot() else { return false }
    let slope = (bb - aa) / (2 * ab)
    let tangent = (slope < 0 ? -1 : 1) / (abs(slope) + (1 + slope * slope).squareRoot())
    let cosine = 1 / (1 + tangent * tangent).squareRoot()
    let sine = cosine * tangent
    (a, b) = (a * cosine - b * sine, a * sine + b * cosine)
    (aSource, bSource) = (
      aSource * cosine - bSource * sine, aSource * sine + bSource * cosine
    )
    return true
  }

  /// The rotation, mirroring if the map does, that is nearest to the map: its polar decomposition without the stretch.
  package var nearestIsometry: Transform {
    // The sum of the outer products of directions and sources.
    let (x, y, z) = (directions.x, directions.y, directions.z)
    func image(_ axis: Int) -> SIMD3<Double> {
      x * sources.x[axis] + y * sources.y[axis] + z * sources.z[axis]
    }
    return Transform(x: image(0), y: image(1), z: image(2))
  }

  /// The factor by which the map scales all lengths; nil if it stretches some more than others.
  package var uniformScale: Double? {
    let (least, most) = (lengths.min(), lengths.max())
    guard most - least <= 1e-7 * most else { return nil }
    return lengths.sum() / 3
  }

  /// The rotation of the axes x, y and z to those of the ellipsoid.
  package var rotation: Transform {
    guard directions.determinant < 0 else { return directions }
    return Transform(x: directions.x, y: directions.y, z: -directions.z)
  }
}
