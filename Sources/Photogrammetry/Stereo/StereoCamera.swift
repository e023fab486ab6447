package import MeshpipeScene

/// A pinhole camera whose pixels are counted from the centre of the first one: right, down, forward.
package struct StereoCamera: Sendable {
  var focalLength: SIMD2<Float>
  var principalPoint: SIMD2<Float>
  let position: SIMD3<Float>
  let right: SIMD3<Float>
  let down: SIMD3<Float>
  let forward: SIMD3<Float>

  /// The pinhole of a camera, without its distortion and warp.
  package init(_ camera: Camera) {
    focalLength = camera.focalLength
    principalPoint = camera.principalPoint - 0.5
    (position, right) = (camera.position, camera.right)
    (down, forward) = (camera.down, camera.forward)
  }

  /// The camera of an image that is half as wide, a number of times.
  func halved(_ times: Int) -> StereoCamera {
    var result = self
    let factor = 1 / Float(1 << times)
    result.focalLength *= factor
    result.principalPoint = (principalPoint + 0.5) * factor - 0.5
    return result
  }

  /// The ray through a pixel in the axes of the camera; its third component is 1.
  @inline(__always)
  func ray(_ x: Float, _ y: Float) -> SIMD3<Float> {
    let plane = (SIMD2(x, y) - principalPoint) / focalLength
    return SIMD3(plane.x, plane.y, 1)
  }

  /// The point in the axes of the camera.
  @inline(__always)
  func local(_ point: SIMD3<Float>) -> SIMD3<Float> {
    let offset = point - position
    return SIMD3(right.dot(offset), down.dot(offset), forward.dot(offset))
  }

  /// The point at a pixel and a depth, in the axes of the scene.
  func point(_ x: Float, _ y: Float, depth: Float) -> SIMD3<Float> {
    let local = ray(x, y) * depth
    return position + right * local.x + down * local.y + forward * local.z
  }

  /// The pixel of a point in the axes of the camera, before it.
  @inline(__always)
  func pixel(_ local: SIMD3<Float>) -> SIMD2<Float> {
    SIMD2(local.x, local.y) / local.z * focalLength + principalPoint
  }
}

/// Where another camera sees the pixels of one at their inverse depths.
///
/// Homogeneous pixels are linear in pixel and inverse depth; so a plane, whose inverse depth is linear over the image, is
/// seen by a homography, and next to a pixel by its derivative.
struct StereoProjection: Sendable {
  private let x: SIMD3<Float>
  private let y: SIMD3<Float>
  private let one: SIMD3<Float>
  private let inverseDepth: SIMD3<Float>

  init(from camera: StereoCamera, to other: StereoCamera) {
    /// A direction in the axes of one camera as a homogeneous pixel of the other.
    func projected(_ direction: SIMD3<Float>) -> SIMD3<Float> {
      let local = SIMD3(
        other.right.dot(direction), other.down.dot(direction), other.forward.dot(direction))
      return SIMD3(
        local.x * other.focalLength.x + local.z * other.principalPoint.x,
        local.y * other.focalLength.y + local.z * other.principalPoint.y, local.z)
    }
    x = projected(camera.right) / camera.focalLength.x
    y = projected(camera.down) / camera.focalLength.y
    one = projected(camera.forward) - x * camera.principalPoint.x - y * camera.principalPoint.y
    inverseDepth = projected(camera.position - other.position)
  }

  /// The homogeneous pixel; its third component is the depth times the inverse depth.
  @inline(__always)
  func homogeneous(_ pixel: SIMD2<Float>, inverseDepth q: Float) -> SIMD3<Float> {
    x * pixel.x + y * pixel.y + one + inverseDepth * q
  }

  /// The derivatives of ``homogeneous(_:inverseDepth:)`` on a plane.
  @inline(__always)
  func derivatives(slope: SIMD2<Float>) -> (SIMD3<Float>, SIMD3<Float>) {
    (x + inverseDepth * slope.x, y + inverseDepth * slope.y)
  }

  /// The pixels that a point moves by for a change of its inverse depth.
  @inline(__always)
  func shift(at pixel: SIMD2<Float>, inverseDepth q: Float) -> SIMD2<Float> {
    let point = homogeneous(pixel, inverseDepth: q)
    let place = SIMD2(point.x, point.y) / point.z
    return (SIMD2(inverseDepth.x, inverseDepth.y) - place * inverseDepth.z) / point.z
  }
}
