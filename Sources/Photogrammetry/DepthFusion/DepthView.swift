import MeshpipeScene
import NativeLibraries

/// A depth map with its camera, ready for fusion.
struct DepthView: Sendable {
  var planes: DepthPlanes
  /// The mean size of what was taken out of depths by ``DepthBias``, in metres.
  var correction: Float = 0
  /// The confidence of each pixel: 0 low, 1 medium, 2 high; nil if the source has none.
  let confidences: [UInt8]?
  /// The position of the camera in metres, in the axes of the scene.
  let position: SIMD3<Float>
  /// The camera's right, down and forward axes.
  let axes: (right: SIMD3<Float>, down: SIMD3<Float>, forward: SIMD3<Float>)
  /// The greatest depth in each tile of 8×8 pixels; 0 where nothing was measured.
  private let tiles: [Float]
  private let tileCount: SIMD2<Int>
  private static let tileWidth = 8

  init(
    _ map: DepthMap, of frame: Capture.DepthFrame, scale: MetricScale,
    limits: DepthPlanes.Limits, rowStep: Int = 1
  ) {
    let camera = Camera(frame, size: map.size)
    let straight = frame.distortion == .none ? map : map.undistorted(by: camera)
    planes = DepthPlanes(
      straight, camera, limits, DepthNoise(frame.depth.origin), rowStep: rowStep)
    confidences = straight.confidences
    position = SIMD3(
      scale.meters(camera.position.x), scale.meters(camera.position.y),
      scale.meters(camera.position.z))
    axes = (camera.right, camera.down, camera.forward)
    tileCount = (map.size &+ (Self.tileWidth - 1)) / Self.tileWidth
    var tiles = [Float](repeating: 0, count: tileCount.x * tileCount.y)
    for y in 0..<map.height {
      for x in 0..<map.width {
        let tile = y / Self.tileWidth * tileCount.x + x / Self.tileWidth
        let index = y * map.width + x
        guard planes.emptyDepths[index] > 0 else { continue }
        tiles[tile] = max(tiles[tile], straight.meters[index])
      }
    }
    self.tiles = tiles
  }

  /// A point or a direction in camera coordinates.
  @inline(__always)
  func turned(_ vector: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3(axes.right.dot(vector), axes.down.dot(vector), axes.forward.dot(vector))
  }

  /// A point in camera coordinates in those of the scene, in metres.
  @inline(__always)
  func inScene(_ point: SIMD3<Float>) -> SIMD3<Float> {
    position + axes.right * point.x + axes.down * point.y + axes.forward * point.z
  }

  /// A direction in camera coordinates in those of the scene.
  @inline(__always)
  func turnedToScene(_ direction: SIMD3<Float>) -> SIMD3<Float> {
    axes.right * direction.x + axes.down * direction.y + axes.forward * direction.z
  }

  /// The point of the surface that a pixel with a weight measured, in camera coordinates.
  @inline(__always)
  func surfacePoint(_ x: Int, _ y: Int) -> SIMD3<Float> {
    let plane = planes.planes[y * planes.size.x + x]
    let flat =
      (SIMD2(Float(x) + 0.5, Float(y) + 0.5) - planes.principalPoint) / planes.focalLength
    let ray = SIMD3(flat.x, flat.y, 1)
    return ray * (plane.w / SIMD3(plane.x, plane.y, plane.z).dot(ray))
  }

  /// Whether some pixel measured the inside of a ball, in camera coordinates.
  ///
  /// - Parameter behind: The distance behind the surface that a depth counts for.
  func measures(_ center: SIMD3<Float>, radius: Float, behind: Float) -> Bool {
    let nearest = center.z - radius
    guard center.z > -radius else { return false }
    let depth = max(nearest, 0.05)
    let middle =
      SIMD2(center.x, center.y) / max(center.z, 0.05) * planes.focalLength
      + planes.principalPoint
    let reach = planes.focalLength * (radius / depth) * 1.5 + 1
    let (low, high) = (middle - reach, middle + reach)
    let limit = SIMD2<Float>(planes.size)
    guard high.x > 0, high.y > 0, low.x < limit.x, low.y < limit.y else { return false }
    let width = Float(Self.tileWidth)
    let first = SIMD2<Int>(pointwiseMax(low, .zero) / width)
    let last = pointwiseMin(
      SIMD2<Int>(pointwiseMin(high, limit) / width), tileCount &- 1)
    for y in first.y...max(first.y, last.y) {
      for x in first.x...max(first.x, last.x)
      where tiles[min(y, tileCount.y - 1) * tileCount.x + x] > nearest - behind {
        return true
      }
    }
    return false
  }
}

extension DepthMap {
  /// The depths that a pinhole with the same projection would see.
  fileprivate func undistorted(by camera: Camera) -> DepthMap {
    var result = self
    for y in 0..<height {
      for x in 0..<width {
        let index = y * width + x
        let plane =
          (SIMD2(Float(x) + 0.5, Float(y) + 0.5) - camera.principalPoint) / camera.focalLength
        let point =
          camera.position + camera.right * plane.x + camera.down * plane.y + camera.forward
        result.meters[index] = 0
        guard let pixel = camera.project(point), camera.contains(SIMD2(pixel.x, pixel.y)) else {
          continue
        }
        let source =
          min(Int(pixel.y), height - 1) * width + min(Int(pixel.x), width - 1)
        result.meters[index] = meters[source]
        if let confidences { result.confidences?[index] = confidences[source] }
      }
    }
    return result
  }
}
