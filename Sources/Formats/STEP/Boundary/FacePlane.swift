/// The plane of faces.
struct FacePlane {
  /// Of unit length, outward; zero if the faces have no area.
  var normal: SIMD3<Double>
  var center: SIMD3<Double>

  init(normal: SIMD3<Double>, center: SIMD3<Double>) {
    (self.normal, self.center) = (normal, center)
  }

  /// The mean plane of faces by their areas, which their outline alone determines.
  init(through faces: ArraySlice<Int>, of facets: Facets) {
    let origin = facets.start(3 * (faces.first ?? 0))
    var (sum, moment, area) = (SIMD3<Double>.zero, SIMD3<Double>.zero, 0.0)
    for face in faces {
      let vector = facets.areaVector(face)
      let weight = vector.length
      sum += vector
      moment += (facets.middle(face) - origin) * weight
      area += weight
    }
    self.init(normal: sum.normalized, center: area > 0 ? origin + moment / area : origin)
  }

  func distance(to point: SIMD3<Double>) -> Double { normal.dot(point - center) }
}
