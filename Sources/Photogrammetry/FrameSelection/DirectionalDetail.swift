import MeshPipeline
import SurfaceKernels

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How steep and how curved the brightness of a part of a picture is, along every direction.
///
/// The mean square of the first derivative over that of the second is the square of a width: that of
/// the edges which the direction crosses, whatever their contrast. Motion during the exposure widens
/// the edges across it and leaves those along it alone.
struct DirectionalDetail: Sendable, Equatable {
  /// The means of Ix², Ix·Iy and Iy², in squares of 8-bit codes per pixel.
  let slopes: SIMD3<Float>
  /// The coefficients of x³y, x²y², xy³ and y⁴ in the mean square of the second derivative.
  let curvatures: SIMD4<Float>
  /// The coefficient of x⁴.
  let firstCurvature: Float

  /// Directions, half a turn in equal steps; motion to and fro widens the same edges.
  static let directions: [SIMD2<Float>] = (0..<8).map {
    let angle = Float($0) * .pi / 8
    return SIMD2(cosf(angle), sinf(angle))
  }

  /// A part of a picture with less slope than this, in squared codes per pixel², shows noise alone.
  static let leastSlope: Float = 2
  /// With this slope and more, noise has little part in the curvature.
  static let richSlope: Float = 8

  /// A picture with less slope than this in the mean shows nothing.
  static let leastMeanSlope: Float = 0.25

  /// The mean of some; nil of none.
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

  /// The mean square of the first derivative along a direction of length 1.
  @inline(__always)
  func slope(along direction: SIMD2<Float>) -> Float {
    let (x, y) = (direction.x, direction.y)
    return slopes.x * x * x + 2 * slopes.y * x * y + slopes.z * y * y
  }

  /// The squared width in pixels of edges across a direction of length 1; nil where the subject is plain.
  ///
  /// - Parameter leastSlope: Less than ``richSlope`` for a frame that may have lost its detail to a blur.
  ///   Noise makes edges seem narrower there, so that none is called blurred for it.
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
    // A straight ramp has none.
    return slope / max(curvature, 1e-3 * slope)
  }
}

extension PictureDetail {
  /// The detail of the square of `2 * reach + 1` pixels around a pixel; nil near the picture's border.
  func detail(atColumn column: Int, row: Int, reach: Int = reach) -> DirectionalDetail? {
    guard column > reach, row > reach, column < width - reach - 1, row < height - reach - 1 else {
      return nil
    }
    var slopes = SIMD3<Float>()
    var (first, curvatures) = (Float(0), SIMD4<Float>())
    for y in row - reach...row + reach {
      for place in y * width + column - reach...y * width + column + reach {
        let (left, right) = (codes[place - 1], codes[place + 1])
        let (above, below) = (codes[place - width], codes[place + width])
        let (x, y) = ((right - left) / 2, (below - above) / 2)
        let xx = left + right - 2 * codes[place]
        let yy = above + below - 2 * codes[place]
        let xy =
          (codes[place + width + 1] - codes[place + width - 1] - codes[place - width + 1]
            + codes[place - width - 1]) / 4
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
