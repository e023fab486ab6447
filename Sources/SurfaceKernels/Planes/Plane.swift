import MeshpipeScene

/// The points where `normal · p + offset` is 0; the normal points to the positive side.
package struct Plane: Sendable {
  var normal: SIMD3<Double>
  var offset: Double

  package init(normal: SIMD3<Double>, offset: Double) {
    (self.normal, self.offset) = (normal, offset)
  }

  /// The plane of a unit normal through a point.
  init(normal: SIMD3<Double>, through point: SIMD3<Double>) {
    self.init(normal: normal, offset: -normal.dot(point))
  }

  /// The signed distance of a point.
  package func distance(to point: SIMD3<Double>) -> Double { normal.dot(point) + offset }

  /// The coordinate axis along the normal and the plane's coordinate on it, if there is one.
  var axisAndPlace: (axis: Int, place: Float)? {
    for axis in 0..<3 where abs(normal[axis]) == 1 { return (axis, Float(-offset * normal[axis])) }
    return nil
  }
}

extension Plane {
  /// The nearest point on the plane.
  func projected(_ point: SIMD3<Double>) -> SIMD3<Double> { point - normal * distance(to: point) }

  /// The nearest point on the line where the plane meets another one, which must not be parallel.
  func projected(_ point: SIMD3<Double>, onto other: Plane) -> SIMD3<Double> {
    let cosine = normal.dot(other.normal)
    let (own, theirs) = (distance(to: point), other.distance(to: point))
    let scale = 1 / (1 - cosine * cosine)
    return point - normal * ((own - cosine * theirs) * scale)
      - other.normal * ((theirs - cosine * own) * scale)
  }

  /// Where three planes meet; nil if two of them are parallel, or nearly so.
  ///
  /// - Parameter leastVolume: Of the parallelepiped of their normals.
  static func meeting(
    _ a: Plane, _ b: Plane, _ c: Plane, leastVolume: Double = 0.1
  ) -> SIMD3<Double>? {
    let volume = a.normal.dot(b.normal.cross(c.normal))
    guard abs(volume) > leastVolume else { return nil }
    let sum =
      b.normal.cross(c.normal) * a.offset + c.normal.cross(a.normal) * b.offset + a.normal.cross(
        b.normal) * c.offset
    return -sum / volume
  }
}
