/// The map from a marker's square, from (0, 0) at its top left corner to (1, 1), to the pixels of a picture.
struct MarkerHomography {
  private let x: SIMD3<Double>
  private let y: SIMD3<Double>
  private let w: SIMD3<Double>

  /// The map that takes the corners of the square to these pixels (Heckbert, "Fundamentals of texture mapping", 1989).
  ///
  /// - Parameter corners: The top left, top right, bottom right and bottom left corner.
  /// - Returns: Nil if three of them lie on a line.
  init?(_ corners: [SIMD2<Double>]) {
    guard corners.count == 4 else { return nil }
    let (first, second) = (corners[1] - corners[2], corners[3] - corners[2])
    let sum = corners[0] - corners[1] + corners[2] - corners[3]
    let determinant = first.x * second.y - second.x * first.y
    guard determinant != 0, determinant.isFinite else { return nil }
    let g = (sum.x * second.y - second.x * sum.y) / determinant
    let h = (first.x * sum.y - sum.x * first.y) / determinant
    x = SIMD3(
      corners[1].x - corners[0].x + g * corners[1].x,
      corners[3].x - corners[0].x + h * corners[3].x, corners[0].x)
    y = SIMD3(
      corners[1].y - corners[0].y + g * corners[1].y,
      corners[3].y - corners[0].y + h * corners[3].y, corners[0].y)
    w = SIMD3(g, h, 1)
  }

  /// The pixel of a place of the marker.
  func pixel(_ place: SIMD2<Double>) -> SIMD2<Double> {
    let point = SIMD3(place.x, place.y, 1)
    return SIMD2((x * point).sum(), (y * point).sum()) / (w * point).sum()
  }
}
