package import MeshpipeScene

extension Atlas {
  /// The L² stretch of the atlas over the surface: 1 for a layout true to scale, more for an uneven texel density.
  ///
  /// The root mean square, over the surface, of the lengths to which unit vectors of the page are stretched on it, in
  /// units of the mean (L² stretch: Sander, Snyder, Gortler and Hoppe, "Texture Mapping Progressive Meshes", 2001).
  /// Faces without a chart don't count.
  package func stretch(_ positions: [Vector3], _ indices: [UInt32]) -> Double {
    var (squares, surface, drawn) = (0.0, 0.0, 0.0)
    for face in 0..<faceCount where faceCharts[face] != Self.noChart {
      func place(_ corner: Int) -> SIMD2<Double> {
        SIMD2<Double>(cornerTexels[3 * face + corner]) / Double(Self.unitsPerTexel)
      }
      func point(_ corner: Int) -> SIMD3<Double> {
        positions[Int(indices[3 * face + corner])].double
      }
      let (u, v) = (place(1) - place(0), place(2) - place(0))
      let (a, b) = (point(1) - point(0), point(2) - point(0))
      let area = a.cross(b).length / 2
      let determinant = u.x * v.y - u.y * v.x
      guard area > 0, area.isFinite, determinant != 0 else { continue }
      // The derivatives of the surface along the page's axes.
      let alongX = (a * v.y - b * u.y) / determinant
      let alongY = (b * u.x - a * v.x) / determinant
      squares += area * (alongX.lengthSquared + alongY.lengthSquared) / 2
      surface += area
      drawn += abs(determinant) / 2
    }
    return surface > 0 ? (squares / surface * drawn / surface).squareRoot() : 1
  }
}
