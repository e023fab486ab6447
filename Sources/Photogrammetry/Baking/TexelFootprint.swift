import MeshPipeline
import SurfaceKernels

/// A texel of a cell as it lies in a picture.
struct TexelFootprint {
  /// What the pixel moves by from one texel to the next, along columns and rows.
  let across: SIMD2<Float>
  let down: SIMD2<Float>

  /// - Parameters:
  ///   - corners: Those of the cell, in the world.
  ///   - triangle: The cell in its page.
  init(
    of corners: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>), _ triangle: TexelTriangle,
    in camera: Camera
  ) {
    let (a, b, c) = corners
    let center = (a + b + c) / 3
    let perColumn =
      a * triangle.weightsPerColumn.x + b * triangle.weightsPerColumn.y
      + c * triangle.weightsPerColumn.z
    let perRow =
      a * triangle.weightsPerRow.x + b * triangle.weightsPerRow.y + c * triangle.weightsPerRow.z
    let middle = camera.project(center) ?? SIMD3(0, 0, 1)
    func move(_ step: SIMD3<Float>) -> SIMD2<Float> {
      // A small part of a step, or the step of a large texel near the camera would leave the picture.
      guard let moved = camera.project(center + step * 0.125) else { return .zero }
      return (SIMD2(moved.x, moved.y) - SIMD2(middle.x, middle.y)) * 8
    }
    across = move(perColumn)
    down = move(perRow)
  }

  /// The pixels to a texel in the direction in which they are fewest: the lesser of the two singular
  /// values of the map from texels to pixels.
  var leastWidth: Float {
    let sum = (across * across + down * down).sum()
    let area = across.x * down.y - across.y * down.x
    let root = max(0, sum * sum - 4 * area * area).squareRoot()
    return (max(0, sum - root) / 2).squareRoot()
  }
}
