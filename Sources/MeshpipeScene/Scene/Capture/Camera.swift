/// The camera of a frame, prepared to project many points.
///
/// Pixels are measured from the top left corner; the centre of the first pixel is (0.5, 0.5). Depth
/// is the distance from the camera's plane in units of the scene.
public struct Camera: Sendable {
  /// Width and height of the image in pixels.
  public let size: SIMD2<Float>
  /// Centre of projection in world coordinates.
  public let position: SIMD3<Float>
  /// The camera's right, down and forward axes in world coordinates, of length 1.
  public let right: SIMD3<Float>
  /// The camera's down axis, likewise.
  public let down: SIMD3<Float>
  /// The direction in which the camera looks, likewise.
  public let forward: SIMD3<Float>
  /// In pixels of the image.
  public let focalLength: SIMD2<Float>
  /// In pixels of the image.
  public let principalPoint: SIMD2<Float>
  /// The lens's deviation from a pinhole.
  public var distortion: Capture.Distortion { lens.distortion }
  @usableFromInline let isPinhole: Bool
  private let lens: Lens
  /// The coefficients of a lens that is a polynomial of the distance from the axis, and the square of its valid distance.
  ///
  /// Phones' lenses are such, and single precision is enough for a pixel.
  @usableFromInline let radial: SIMD4<Float>?
  @usableFromInline let warp: ImageWarp?

  /// The camera of a frame, for its image or for one scaled to `size`.
  public init(_ frame: Capture.Frame, size: SIMD2<Int>? = nil) {
    let size = size ?? frame.imageSize
    self.init(
      frame.intrinsics.scaled(from: frame.imageSize, to: size), frame.distortion, frame.pose,
      size: size, warp: frame.warp)
  }

  /// The camera of a depth map of `size`.
  public init(_ frame: Capture.DepthFrame, size: SIMD2<Int>) {
    self.init(
      frame.intrinsics.scaled(from: frame.imageSize, to: size), frame.distortion, frame.pose,
      size: size, warp: nil)
  }

  private init(
    _ intrinsics: Capture.Intrinsics, _ distortion: Capture.Distortion, _ pose: Transform,
    size: SIMD2<Int>, warp: ImageWarp?
  ) {
    self.size = SIMD2<Float>(size)
    position = SIMD3<Float>(pose.translation)
    right = SIMD3<Float>(pose.x.normalized)
    down = -SIMD3<Float>(pose.y.normalized)
    forward = -SIMD3<Float>(pose.z.normalized)
    focalLength = SIMD2<Float>(intrinsics.focalLength)
    principalPoint = SIMD2<Float>(intrinsics.principalPoint)
    lens = Lens(distortion)
    radial = lens.radialPolynomial
    isPinhole = distortion == .none
    self.warp = warp
  }

  private init(_ camera: Camera, warp: ImageWarp?) {
    (size, position) = (camera.size, camera.position)
    (right, down, forward) = (camera.right, camera.down, camera.forward)
    (focalLength, principalPoint) = (camera.focalLength, camera.principalPoint)
    (lens, radial, isPinhole) = (camera.lens, camera.radial, camera.isPinhole)
    self.warp = warp
  }

  /// The camera without the frame's warp: see ``shift(at:)``.
  public var unwarped: Camera { Camera(self, warp: nil) }

  /// The point in camera coordinates: right, down, forward.
  @inlinable
  public func local(_ point: SIMD3<Float>) -> SIMD3<Float> {
    let offset = point - position
    return SIMD3(right.dot(offset), down.dot(offset), forward.dot(offset))
  }

  /// The point in camera coordinates, displaced at its depth by the lens's distortion and the frame's warp.
  ///
  /// A pinhole camera without the warp sees it at the pixel given by ``project(_:)``, so small triangles
  /// with such corners can be rasterised with plain perspective. A point without a pixel is not displaced.
  public func warpedLocal(_ point: SIMD3<Float>) -> SIMD3<Float> {
    guard !isPinhole || warp != nil, let pixel = project(point) else { return local(point) }
    let plane = (SIMD2(pixel.x, pixel.y) - principalPoint) / focalLength
    return SIMD3(plane.x * pixel.z, plane.y * pixel.z, pixel.z)
  }

  /// Pixel (x, y) and depth (z) of a point; nil behind the camera.
  ///
  /// The pixel may lie outside the image.
  @inlinable
  public func project(_ point: SIMD3<Float>) -> SIMD3<Float>? {
    let local = local(point)
    guard local.z > 1e-6 else { return nil }
    var plane = SIMD2(local.x, local.y) / local.z
    if let radial {
      let r2 = (plane * plane).sum()
      guard r2 < radial.w else { return nil }
      plane *= 1 + r2 * (radial.x + r2 * (radial.y + r2 * radial.z))
    } else if !isPinhole {
      guard let bent = distorted(plane) else { return nil }
      plane = bent
    }
    var pixel = plane * focalLength + principalPoint
    if warp != nil { pixel += shift(at: pixel) }
    return SIMD3(pixel.x, pixel.y, local.z)
  }

  /// Whether a pixel lies in the image, at least `margin` pixels from its border.
  @inlinable
  public func contains(_ pixel: SIMD2<Float>, margin: Float = 0) -> Bool {
    pixel.x >= margin && pixel.y >= margin && pixel.x <= size.x - margin
      && pixel.y <= size.y - margin
  }

  /// The ray through a pixel, scaled to depth 1: position + t · ray has depth t.
  @inlinable
  public func ray(through pixel: SIMD2<Float>) -> SIMD3<Float> {
    var straight = pixel
    // Shifts vary by a small part of a pixel over their own length: two iterations are accurate
    // enough.
    if warp != nil { for _ in 0..<2 { straight = pixel - shift(at: straight) } }
    var plane = (straight - principalPoint) / focalLength
    if !isPinhole { plane = undistorted(plane) }
    return right * plane.x + down * plane.y + forward
  }

  /// The warp's displacement of an undistorted pixel.
  @inlinable
  public func shift(at pixel: SIMD2<Float>) -> SIMD2<Float> {
    guard let warp else { return .zero }
    return warp.shift(at: pixel / size) * size.x
  }

  @usableFromInline
  func distorted(_ plane: SIMD2<Float>) -> SIMD2<Float>? {
    lens.distorted(SIMD2<Double>(plane)).map { SIMD2<Float>($0) }
  }

  @usableFromInline
  func undistorted(_ plane: SIMD2<Float>) -> SIMD2<Float> {
    SIMD2<Float>(lens.undistorted(SIMD2<Double>(plane)))
  }
}
