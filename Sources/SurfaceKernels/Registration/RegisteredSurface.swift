package import MeshpipeScene

/// A surface as registration sees it: points spread evenly over it, with the normals that look to where it was seen from.
package struct RegisteredSurface: Sendable {
  /// Relative to ``frame``.
  let points: [SIMD3<Float>]
  /// Unit normals.
  let normals: [SIMD3<Float>]
  /// In squares of the unit of the points.
  let area: Double
  /// From the coordinates of the scan to those of the points: up is z, and the middle of the scan is the origin.
  let frame: Transform
  let box: Box
  /// Whether normals look to where the surface was seen from, and not only all to the same side.
  let knowsSides: Bool

  /// - Parameters:
  ///   - points: Spread evenly; those that are not finite, or whose normal is zero, do not count.
  ///   - normals: One per point.
  ///   - area: Of the whole surface.
  ///   - up: Away from gravity.
  ///   - knowsSides: Whether normals look to where the surface was seen from.
  package init(
    points: [Vector3], normals: [Vector3], area: Double, up: SIMD3<Double>, knowsSides: Bool = true
  ) {
    self.knowsSides = knowsSides
    let kept = points.indices.filter { index in
      points[index].isFinite && normals[index].isFinite && normals[index].simd != .zero
    }
    let middle = SIMD3<Double>(Box(kept.map { points[$0] }).center)
    let upright = Self.rotation(ofUp: up)
    let frame = upright * Transform(translation: -middle)
    self.frame = frame
    self.points = kept.map { SIMD3<Float>(frame.apply(toPoint: points[$0].double)) }
    self.normals = kept.map {
      SIMD3<Float>(upright.apply(toVector: normals[$0].double).normalized)
    }
    self.area = kept.isEmpty ? 0 : area * Double(kept.count) / Double(points.count)
    var box = Box()
    for point in self.points { box.add(point) }
    self.box = box
  }

  /// A rotation that turns a direction to z.
  private static func rotation(ofUp up: SIMD3<Double>) -> Transform {
    let z = up.normalized
    let side: SIMD3<Double> = abs(z.x) < 0.9 ? SIMD3(1, 0, 0) : SIMD3(0, 1, 0)
    let y = z.cross(side).normalized
    let x = y.cross(z)
    return Transform(x: x, y: y, z: z).inverse ?? .identity
  }

  /// Fewer points would not tell a surface from another one.
  static let fewestPoints = 100
  /// Sizes whose squares and cubes single precision holds.
  private static let sizes: ClosedRange<Float> = 1e-9...1e9
  var isEmpty: Bool {
    points.count < Self.fewestPoints || !(area > 0) || !area.isFinite
      || !Self.sizes.contains(box.extent)
  }
}
