import MeshpipeScene
import SurfaceKernels

/// A texel of a triangle projected into an image.
struct TexelFootprint {
  /// The change of the pixel from one texel to the next, along columns and rows.
  let across: SIMD2<Float>
  let down: SIMD2<Float>
  /// Pixel and depth of the triangle's centre; nil behind the camera.
  let center: SIMD3<Float>?

  /// The part of a texel over which the projection is differentiated: a whole large texel near the camera could
  /// leave the image.
  private static let step: Float = 0.125

  /// - Parameters:
  ///   - corners: The corners of the triangle, in the world.
  ///   - texelTriangle: The triangle in its page.
  init(
    of corners: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>), _ texelTriangle: TexelTriangle,
    in camera: Camera
  ) {
    let (a, b, c) = corners
    let center = (a + b + c) / 3
    let perColumn =
      a * texelTriangle.weightsPerColumn.x + b * texelTriangle.weightsPerColumn.y
      + c * texelTriangle.weightsPerColumn.z
    let perRow =
      a * texelTriangle.weightsPerRow.x + b * texelTriangle.weightsPerRow.y + c
      * texelTriangle.weightsPerRow.z
    self.center = camera.project(center)
    let middle = self.center ?? SIMD3(0, 0, 1)
    func move(_ step: SIMD3<Float>) -> SIMD2<Float> {
      guard let moved = camera.project(center + step * Self.step) else { return .zero }
      return (SIMD2(moved.x, moved.y) - SIMD2(middle.x, middle.y)) / Self.step
    }
    across = move(perColumn)
    down = move(perRow)
  }

  /// The pixels per texel in the direction of the fewest: the smaller singular value of the map
  /// from texels to pixels.
  var leastWidth: Float {
    let sum = (across * across + down * down).sum()
    let area = across.x * down.y - across.y * down.x
    let root = max(0, sum * sum - 4 * area * area).squareRoot()
    return (max(0, sum - root) / 2).squareRoot()
  }
}
