#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The camera of a frame, ready to project many points.
///
/// Pixels count from the top left corner; the centre of the first pixel is (0.5, 0.5). Depth is the
/// distance from the plane of the camera in units of the scene.
@frozen
public struct Camera: Sendable {
  /// Width and height of the image that pixels refer to.
  public let size: SIMD2<Float>
  /// Centre of projection in the world.
  public let position: SIMD3<Float>
  /// The camera's right, down and forward in the world, of length 1.
  public let right: SIMD3<Float>
  public let down: SIMD3<Float>
  public let forward: SIMD3<Float>
  public let focalLength: SIMD2<Float>
  public let principalPoint: SIMD2<Float>
  public let distortion: Capture.Distortion
  @usableFromInline let isPinhole: Bool

  /// The camera of a frame, with pixels of the frame's image or of one that was scaled to `size`.
  public init(_ frame: Capture.Frame, size: SIMD2<Int>? = nil) {
    let size = size ?? frame.imageSize
    let intrinsics = frame.intrinsics.scaled(from: frame.imageSize, to: size)
    self.size = SIMD2<Float>(size)
    position = SIMD3<Float>(frame.pose.translation)
    right = SIMD3<Float>(frame.pose.x.normalized)
    down = -SIMD3<Float>(frame.pose.y.normalized)
    forward = -SIMD3<Float>(frame.pose.z.normalized)
    focalLength = SIMD2<Float>(intrinsics.focalLength)
    principalPoint = SIMD2<Float>(intrinsics.principalPoint)
    distortion = frame.distortion
    isPinhole = frame.distortion == .none
  }

  /// The point in the camera's axes: right, down, forward.
  @inlinable
  public func local(_ point: SIMD3<Float>) -> SIMD3<Float> {
    let offset = point - position
    return SIMD3(right.dot(offset), down.dot(offset), forward.dot(offset))
  }

  /// Pixel (x, y) and depth (z) of a point; nil behind the camera.
  ///
  /// The pixel may lie outside the image.
  @inlinable
  public func project(_ point: SIMD3<Float>) -> SIMD3<Float>? {
    let local = local(point)
    guard local.z > 1e-6 else { return nil }
    var plane = SIMD2(local.x, local.y) / local.z
    if !isPinhole {
      guard let bent = distorted(plane) else { return nil }
      plane = bent
    }
    let pixel = plane * focalLength + principalPoint
    return SIMD3(pixel.x, pixel.y, local.z)
  }

  /// Whether a pixel lies in the image, at least `margin` pixels from its border.
  @inlinable
  public func contains(_ pixel: SIMD2<Float>, margin: Float = 0) -> Bool {
    pixel.x >= margin && pixel.y >= margin && pixel.x <= size.x - margin
      && pixel.y <= size.y - margin
  }

  /// The direction from the camera through a pixel, with a depth of 1: position + t · ray has depth t.
  @inlinable
  public func ray(through pixel: SIMD2<Float>) -> SIMD3<Float> {
    var plane = (pixel - principalPoint) / focalLength
    if !isPinhole { plane = undistorted(plane) }
    return right * plane.x + down * plane.y + forward
  }

  /// Where the lens moves a point of the plane at distance 1; nil beyond the model's field of view.
  @usableFromInline
  func distorted(_ plane: SIMD2<Float>) -> SIMD2<Float>? {
    let p = SIMD2<Double>(plane)
    switch distortion {
    case .none: return plane
    case .radialTangential(let k, let d, let t):
      let r2 = (p * p).sum()
      let radial =
        (1 + r2 * (k.x + r2 * (k.y + r2 * k.z))) / (1 + r2 * (d.x + r2 * (d.y + r2 * d.z)))
      // Past its turning point the polynomial folds the outside back into the picture.
      guard radial > 0, Self.derivative(r2, k, d) > 0 else { return nil }
      let cross = 2 * p.x * p.y
      return SIMD2<Float>(
        p * radial
          + SIMD2(
            t.x * cross + t.y * (r2 + 2 * p.x * p.x), t.x * (r2 + 2 * p.y * p.y) + t.y * cross))
    case .fisheye(let k):
      let r = (p * p).sum().squareRoot()
      guard r > 1e-9 else { return plane }
      let angle = atan(r)
      let a2 = angle * angle
      let bent = angle * (1 + a2 * (k.x + a2 * (k.y + a2 * (k.z + a2 * k.w))))
      return SIMD2<Float>(p * (bent / r))
    }
  }

  /// The derivative of r · radial(r²) by r.
  private static func derivative(_ r2: Double, _ k: SIMD3<Double>, _ d: SIMD3<Double>) -> Double {
    let top = 1 + r2 * (k.x + r2 * (k.y + r2 * k.z))
    let bottom = 1 + r2 * (d.x + r2 * (d.y + r2 * d.z))
    let topSlope = 2 * r2 * (k.x + r2 * (2 * k.y + r2 * 3 * k.z))
    let bottomSlope = 2 * r2 * (d.x + r2 * (2 * d.y + r2 * 3 * d.z))
    return (top * bottom + topSlope * bottom - top * bottomSlope) / (bottom * bottom)
  }

  /// The inverse of ``distorted(_:)``, by fixed-point iteration with Newton's damping.
  @usableFromInline
  func undistorted(_ plane: SIMD2<Float>) -> SIMD2<Float> {
    if case .fisheye(let k) = distortion { return Self.unbent(plane, k) }
    var guess = plane
    for _ in 0..<20 {
      guard let image = distorted(guess) else { return guess }
      let miss = plane - image
      guess += miss
      if (miss * miss).sum() < 1e-14 { break }
    }
    return guess
  }

  private static func unbent(_ plane: SIMD2<Float>, _ k: SIMD4<Double>) -> SIMD2<Float> {
    let bent = Double((plane * plane).sum()).squareRoot()
    guard bent > 1e-9 else { return plane }
    var angle = min(bent, 1.5)
    for _ in 0..<20 {
      let a2 = angle * angle
      let value = angle * (1 + a2 * (k.x + a2 * (k.y + a2 * (k.z + a2 * k.w)))) - bent
      let slope = 1 + a2 * (3 * k.x + a2 * (5 * k.y + a2 * (7 * k.z + a2 * 9 * k.w)))
      angle = min(max(angle - value / max(slope, 1e-3), 0), 1.55)
    }
    return plane * Float(tan(angle) / bent)
  }
}
