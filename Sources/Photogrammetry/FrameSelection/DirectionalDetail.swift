import MeshpipeBase
import MeshpipeScene
import POSIX
import SurfaceKernels

/// The mean squared first and second derivatives of a part of an image, along every direction.
///
/// The mean square of the first derivative divided by that of the second is a squared width: that
/// of the edges crossing the direction, whatever their contrast. Motion during the exposure widens
/// edges across it and not those along it.
struct DirectionalDetail: Sendable, Equatable {
  /// The means of Ix², Ix·Iy and Iy², in squared 8-bit levels per pixel².
  let slopes: SIMD3<Float>
  /// The coefficients of x³y, x²y², xy³ and y⁴ in the mean square of the second derivative.
  let curvatures: SIMD4<Float>
  /// The coefficient of x⁴.
  let firstCurvature: Float

  /// Directions, half a turn in equal steps; motion in opposite directions widens the same edges.
  ///
  /// Eight: motion is then at most 11° from one of them, along which it widens edges by 2 % less.
  static let directions: [SIMD2<Float>] = (0..<8).map {
    let angle = Float($0) * .pi / 8
    return SIMD2(cosf(angle), sinf(angle))
  }

  /// A part of an image with a smaller mean squared slope, in squared levels per pixel², is noise: a standard
  /// deviation of 6 levels leaves as much after smoothing.
  static let leastSlope: Float = 2
  /// At this slope and above, noise hardly contributes to the curvature.
  static let richSlope: Float = 8

  /// An image with a smaller mean squared slope has no detail: noise of 2 levels leaves as much.
  ///
  /// Less than ``leastSlope``, since most of an image may be plain.
  static let leastMeanSlope: Float = 0.25

  /// The least curvature, as a share of the slope: a linear ramp has none, and would be infinitely wide.
  ///
  /// It is 31 pixels wide then, nearly twice the measured square.
  private static let leastCurvature: Float = 1e-3

  /// The mean; nil without elements.
  init?(meanOf details: [DirectionalDetail]) {
    guard !details.isEmpty else { return nil }
    let scale = 1 / Float(details.count)
    slopes = details.reduce(.zero) { $0 + $1.slopes } * scale
    curvatures = details.reduce(.zero) { $0 + $1.curvatures } * scale
    firstCurvature = details.reduce(0) { $0 + $1.firstCurvature } * scale
  }

  init(slopes: SIMD3<Float>, curvatures: SIMD4<Float>, firstCurvature: Float) {
    self.slopes = slopes
    self.curvatures = curvatures
    self.firstCurvature = firstCurvature
  }

  /// The mean square of the first derivative along a unit direction.
  @inline(__always)
  func slope(along direction: SIMD2<Float>) -> Float {
    let (x, y) = (direction.x, direction.y)
    return slopes.x * x * x + 2 * slopes.y * x * y + slopes.z * y * y
  }

  /// The squared width in pixels of edges across a unit direction; nil where the subject is plain.
  ///
  /// - Parameter leastSlope: Below ``richSlope`` for a frame that may have lost its detail to blur.
  ///   Noise makes edges seem narrower, so no frame is wrongly called blurred.
  @inline(__always)
  func squaredWidth(
    along direction: SIMD2<Float>, leastSlope: Float = leastSlope
  ) -> Float? {
    let slope = slope(along: direction)
    guard slope > leastSlope else { return nil }
    let (xx, xy, yy) = (
      direction.x * direction.x, direction.x * direction.y, direction.y * direction.y
    )
    let curvature =
      firstCurvature * xx * xx + curvatures.x * xx * xy + curvatures.y * xx * yy
      + curvatures.z * xy * yy + curvatures.w * yy * yy
    return slope / max(curvature, Self.leastCurvature * slope)
  }
}

extension SmoothedImage {
  /// The detail of the square of `2 * reach + 1` pixels around a pixel; nil near the image border and in masks.
  func detail(atColumn column: Int, row: Int, reach: Int = reach) -> DirectionalDetail? {
    guard column > reach, row > reach, column < width - reach - 1, row < height - reach - 1 else {
      return nil
    }
    if let mask,
      (row - reach...row + reach).contains(where: { y in
        (column - reach...column + reach).contains { mask.hides($0, y) }
      })
    {
      return nil
    }
    var slopes = SIMD3<Float>()
    var (first, curvatures) = (Float(0), SIMD4<Float>())
    for y in row - reach...row + reach {
      for index in y * width + column - reach...y * width + column + reach {
        let (left, right) = (codes[index - 1], codes[index + 1])
        let (above, below) = (codes[index - width], codes[index + width])
        let (x, y) = ((right - left) / 2, (below - above) / 2)
        let xx = left + right - 2 * codes[index]
        let yy = above + below - 2 * codes[index]
        let xy =
          (codes[index + width + 1] - codes[index + width - 1] - codes[index - width + 1]
            + codes[index - width - 1]) / 4
        slopes += SIMD3(x * x, x * y, y * y)
        first += xx * xx
        curvatures += SIMD4(4 * xx * xy, 2 * xx * yy + 4 * xy * xy, 4 * xy * yy, yy * yy)
      }
    }
    let scale = 1 / Float((2 * reach + 1) * (2 * reach + 1))
    return DirectionalDetail(
      slopes: slopes * scale, curvatures: curvatures * scale, firstCurvature: first * scale)
  }
}

/// The widths of an image's edges across each of ``DirectionalDetail/directions``, as logarithms to base 2.
package struct EdgeWidths: Sendable, Equatable {
  private let widths: [Float?]

  /// - Parameter width: Nil for a direction without edges.
  init(_ width: (SIMD2<Float>) -> Float?) { widths = DirectionalDetail.directions.map(width) }

  /// The width for a direction, by its index in ``DirectionalDetail/directions``; nil without edges.
  subscript(direction: Int) -> Float? { widths[direction] }
}
