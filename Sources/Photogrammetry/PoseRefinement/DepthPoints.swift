package import MeshpipeScene
import NativeLibraries

/// The measurements of a depth map, as planes on a coarse grid: few enough to keep those of thousands of frames.
package final class DepthPoints: Sendable {
  /// Columns and rows of the grid.
  private let size: SIMD2<Int>
  /// The focal length of the camera, in cells of the grid.
  private let focalLength: SIMD2<Float>
  private let principalPoint: SIMD2<Float>
  /// The unit normal away from the camera, and the distance from it in units of the scene; zero where nothing was
  /// measured.
  private let planes: [SIMD4<Float>]
  /// The precision of each distance: one over its variance, in units of the scene.
  private let precisions: [Float]
  /// The columns of the grid, about; planes are fitted over five pixels, so that few are lost.
  private static let columns = 96

  /// A point that was measured, in camera coordinates (right, down, forward) and units of the scene.
  struct Point {
    var position: SIMD3<Float>
    /// The surface normal, away from the camera.
    var normal: SIMD3<Float>
    /// The precision of the distance: one over its variance.
    var precision: Float
    /// The position in the image, from 0 at the left and top to 1 at the right and bottom.
    var place: SIMD2<Float>
  }

  /// Depths are used as ``DepthFusion`` uses them by default.
  package init(_ map: DepthMap, _ frame: Capture.DepthFrame, _ scale: MetricScale) {
    let view = DepthView(map, of: frame, scale: scale, limits: DepthPlanes.Limits()).planes
    let step = max(1, map.width / Self.columns)
    size = SIMD2(map.width / step, map.height / step)
    focalLength = view.focalLength / Float(step)
    principalPoint = view.principalPoint / Float(step)
    var planes = [SIMD4<Float>](repeating: .zero, count: size.x * size.y)
    var precisions = [Float](repeating: 0, count: size.x * size.y)
    let deviation = scale.units(meters: DepthNoise.sensor.deviation(at: 1))
    for y in 0..<size.y {
      for x in 0..<size.x {
        let pixel = (y * step + step / 2) * map.width + x * step + step / 2
        guard view.weights[pixel] > 0 else { continue }
        var plane = view.planes[pixel]
        plane.w = scale.units(meters: plane.w)
        planes[y * size.x + x] = plane
        precisions[y * size.x + x] = view.weights[pixel] / (deviation * deviation)
      }
    }
    (self.planes, self.precisions) = (planes, precisions)
  }

  var isEmpty: Bool { !precisions.contains { $0 > 0 } }

  /// The measured point in the direction of a point in camera coordinates.
  @inline(__always)
  func measured(towards point: SIMD3<Float>) -> Point? {
    guard point.z > 0 else { return nil }
    let cell = SIMD2(point.x, point.y) / point.z * focalLength + principalPoint
    guard cell.x >= 0, cell.y >= 0, cell.x < Float(size.x), cell.y < Float(size.y) else {
      return nil
    }
    let index = Int(cell.y) * size.x + Int(cell.x)
    let plane = planes[index]
    let normal = SIMD3(plane.x, plane.y, plane.z)
    let slope = normal.dot(point)
    guard precisions[index] > 0, slope > 0 else { return nil }
    return Point(
      position: point * (plane.w / slope), normal: normal, precision: precisions[index],
      place: cell / SIMD2<Float>(size))
  }
}

/// The position and the axes of a depth map's camera.
struct DepthCamera: Sendable {
  let position: SIMD3<Float>
  private let right: SIMD3<Float>
  private let down: SIMD3<Float>
  private let forward: SIMD3<Float>

  init(_ pose: Transform) {
    position = SIMD3<Float>(pose.translation)
    right = SIMD3<Float>(pose.x.normalized)
    down = -SIMD3<Float>(pose.y.normalized)
    forward = -SIMD3<Float>(pose.z.normalized)
  }

  /// A point of the world in camera coordinates.
  @inline(__always)
  func local(_ point: SIMD3<Float>) -> SIMD3<Float> {
    let offset = point - position
    return SIMD3(right.dot(offset), down.dot(offset), forward.dot(offset))
  }

  /// A direction in camera coordinates in the axes of the world.
  @inline(__always)
  func turned(_ direction: SIMD3<Float>) -> SIMD3<Float> {
    right * direction.x + down * direction.y + forward * direction.z
  }
}
