package import MeshpipeScene

/// Where a frame sees the mesh clearly: away from silhouettes, and where its depth map agrees.
///
/// Near a silhouette a small error of the pose swaps foreground and background, and objects in
/// front of the mesh say nothing about the pose.
package struct ReliabilityMask: Sendable {
  let width: Int
  let height: Int
  /// The inverse depth in units of the scene, 0 where the view is not clean.
  ///
  /// On a plane it is a linear function of the pixel, and can be interpolated.
  private let inverseDepths: [Float]
  private let tolerance: Float

  /// The largest difference of a point's depth from the mesh's, as a share of the depth and in metres: the error of a
  /// fused mesh, and what an inexact pose changes at a slant.
  ///
  /// Smaller, few landmarks are left on such a mesh; larger,
  /// things before a wall pass for the wall.
  private static let relativeTolerance: Float = 0.015
  private static let toleranceInMeters: Float = 0.02
  /// The largest bend of the inverse depth over three pixels, as a share of it: a plane has none, a silhouette a
  /// multiple; creases of a room's corners stay below it.
  private static let greatestBend: Float = 0.03
  /// The largest difference of a measured depth from the mesh's, in metres and as a share of the depth: some times the
  /// error of phones' depths.
  private static let depthError: (meters: Float, share: Float) = (0.06, 0.02)

  /// - Parameters:
  ///   - width: The width of the depth map to trace.
  ///   - hidden: What the frame's mask hides, at any size.
  package init(
    _ frame: Capture.Frame, width: Int, of surface: ObservedSurface, depth: DepthMap?,
    hidden: PixelMask? = nil
  ) {
    let height = max(1, width * frame.imageSize.y / max(frame.imageSize.x, 1))
    let traced = TracedDepths(
      frame, size: SIMD2(width, height), of: surface, inParallel: false)
    var inverse = traced.depths.map { $0 > 0 && $0.isFinite ? 1 / $0 : 0 }
    if let hidden = hidden?.resized(to: SIMD2(width, height)) {
      for pixel in inverse.indices where hidden.hidden[pixel] { inverse[pixel] = 0 }
    }
    var clean = inverse
    for y in 0..<height {
      for x in 0..<width {
        let index = y * width + x
        let isClean =
          x > 0 && y > 0 && x < width - 1 && y < height - 1
          && Self.isSmooth(inverse, index, step: 1) && Self.isSmooth(inverse, index, step: width)
          && !Self.contradicts(
            depth, x: x, y: y, width: width, height: height,
            meters: surface.scale.meters(1 / inverse[index]))
        if !isClean { clean[index] = 0 }
      }
    }
    self.width = width
    self.height = height
    inverseDepths = clean
    tolerance = surface.scale.units(meters: Self.toleranceInMeters)
  }

  /// Whether three neighbours are approximately on one plane.
  private static func isSmooth(_ inverse: [Float], _ index: Int, step: Int) -> Bool {
    let (before, here, after) = (inverse[index - step], inverse[index], inverse[index + step])
    guard before > 0, here > 0, after > 0 else { return false }
    return abs(before + after - 2 * here) < greatestBend * here
  }

  /// Whether the depth map was measured at a pixel and disagrees with the mesh.
  private static func contradicts(
    _ depth: DepthMap?, x: Int, y: Int, width: Int, height: Int, meters: Float
  ) -> Bool {
    guard let depth else { return false }
    let column = (2 * x + 1) * depth.width / (2 * width)
    let row = (2 * y + 1) * depth.height / (2 * height)
    let index = min(row, depth.height - 1) * depth.width + min(column, depth.width - 1)
    let measured = depth.meters[index]
    guard measured > 0, depth.confidences.map({ $0[index] > 0 }) ?? true else { return false }
    return abs(measured - meters) > depthError.meters + depthError.share * meters
  }

  /// Whether a point at a depth is the surface that the frame sees there.
  ///
  /// - Parameter place: The position in the image, from 0 at the left and top to 1 at the right and bottom.
  @inline(__always)
  func shows(_ depth: Float, at place: SIMD2<Float>) -> Bool {
    guard let found = self.depth(at: place) else { return false }
    return abs(found - depth) < tolerance + Self.relativeTolerance * depth
  }

  /// The depth of the mesh at a point of the image; nil where the view is not clean.
  @inline(__always)
  func depth(at place: SIMD2<Float>) -> Float? {
    let pixel = place * SIMD2(Float(width), Float(height)) - 0.5
    guard pixel.x >= 0, pixel.y >= 0, pixel.x < Float(width - 1), pixel.y < Float(height - 1)
    else { return nil }
    let (x, y) = (Int(pixel.x), Int(pixel.y))
    let (u, v) = (pixel.x - Float(x), pixel.y - Float(y))
    let index = y * width + x
    let top = (inverseDepths[index], inverseDepths[index + 1])
    let bottom = (inverseDepths[index + width], inverseDepths[index + width + 1])
    guard top.0 > 0, top.1 > 0, bottom.0 > 0, bottom.1 > 0 else { return nil }
    let upper = top.0 + (top.1 - top.0) * u
    let lower = bottom.0 + (bottom.1 - bottom.0) * u
    return 1 / (upper + (lower - upper) * v)
  }
}
