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
  /// The middle of the scan, in its own coordinates.
  package var middle: SIMD3<Double> { frame.inverse?.translation ?? .zero }
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

  /// The number of samples that show a surface as finely as registration looks.
  package static let samples = 120_000

  /// The surface of the faces of a mesh; nil if none has an area.
  package init?(ofFaces mesh: Mesh, up: SIMD3<Double>) {
    let areas = Parallel.array(count: mesh.faceCount) { mesh.areaVector(ofFace: $0).length / 2 }
    let area = areas.reduce(0) { $1.isFinite ? $0 + $1 : $0 }
    guard area > 0 else { return nil }
    let spread = FaceSamples(areas: areas, count: Self.samples)
    let points = spread.faces.indices.map { sample in
      let face = Int(spread.faces[sample])
      let weights = spread.weights(of: sample)
      var position = SIMD3<Double>.zero
      for corner in 0..<3 {
        position += mesh.positions[Int(mesh.indices[3 * face + corner])].double * weights[corner]
      }
      return Vector3(SIMD3<Float>(position))
    }
    let normals = spread.faces.map {
      Vector3(SIMD3<Float>(mesh.areaVector(ofFace: Int($0)).normalized))
    }
    self.init(points: points, normals: normals, area: area, up: up)
  }

  /// A rotation that turns a direction to z.
  private static func rotation(ofUp up: SIMD3<Double>) -> Transform {
    let z = up.normalized
    let (y, back) = perpendiculars(of: z)
    return Transform(x: -back, y: y, z: z).inverse ?? .identity
  }

  /// Whether a surface that is moved into this one's frame may come so near that the cells of either, which go on beyond it by a
  /// margin, are around points of the other.
  func isNear(_ other: RegisteredSurface, _ transform: Transform, within margin: Float) -> Bool {
    let center = SIMD3<Float>(transform.apply(toPoint: SIMD3<Double>(other.box.center)))
    let radius = SIMD3<Float>(repeating: other.box.size.length / 2)
    let moved = Box(minimum: center - radius, maximum: center + radius)
    // Turned, a margin reaches farther by the root of three, and the last cell goes beyond it.
    return moved.distance(to: box) <= 3 * Double(margin)
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
