import MeshpipeScene
import NativeLibraries
import SurfaceKernels

/// One frame that observes a surface: finds which points it really sees, and where.
///
/// A point is seen if it projects into the image outside its mask, faces the camera, is not hidden by the mesh, and
/// the frame's own depth map does not show something nearer: a live mesh lacks thin objects, and a
/// person walks through a scan without becoming part of the mesh.
package struct FrameObserver: Sendable {
  let camera: Camera
  let surface: ObservedSurface
  let depth: DepthMap?
  /// The mask of the frame's hidden pixels, at any size.
  let mask: PixelMask?
  let limits: Limits

  /// The criteria for a point to count as seen.
  package struct Limits: Sendable {
    /// The largest distance of the mesh from the true surface, in metres.
    ///
    /// Surfaces closer to the point than this do not hide it. Meshes of phones are off by 5 to 20 mm at thin things and
    /// edges; a larger error lets what stands before a wall show on it, a smaller one leaves such places without a
    /// frame.
    package var meshError: Float = 0.02
    /// A measured depth contradicts the mesh when it is nearer by this many metres: several times the error of phones'
    /// depths (0.5 to 0.9 % in the median), since all of four must be.
    package var depthError: Float = 0.05
    /// The share of the depth that is added to ``depthError``.
    package var relativeDepthError: Float = 0.015
    /// The error of measured depths of the surface, as a share of the depth; nil if not measured.
    package var depthScatter: Float?
    /// The least cosine between the normal and the direction to the camera: 80°, at which a pixel covers six times as
    /// much along the surface as across.
    package var minimumCosine: Float = 0.17
    /// Pixels at the image's border that are not used.
    package var border: Float = 2

    package init() {}

    /// Depth maps store whole millimetres.
    private static let depthStep: Float = 0.001
    /// The depths of a surface in median errors within which nearly all are, and the bound where no error is known,
    /// for the coarsest sensor: in errors of the mesh, and as a share of the depth.
    ///
    /// Measured, one of four depths behind the mesh being enough: flat seams of fused meshes, where frames look past
    /// edges, are 2.8 codes with 5 cm and 1.5 %, 1.9 with this bound and 1.3 with the scatter, for 0.08 dB.
    private static let scatters: Float = 3
    private static let mostMeshErrors: Float = 3
    private static let mostRelativeError: Float = 0.01

    /// The maximum distance of the surface's own depths behind the mesh: three times their scatter, but at least the
    /// mesh's error, and at most the bound for the coarsest sensor.
    func scatter(at meters: Float) -> Float {
      let most = Self.mostMeshErrors * meshError + Self.mostRelativeError * meters
      guard let depthScatter else { return most }
      return min(most, max(meshError, Self.depthStep, Self.scatters * depthScatter * meters))
    }
  }

  /// A point as a frame sees it.
  struct Projection: Sendable {
    /// The position in pixels of the camera's image.
    var pixel: SIMD2<Float>
    /// Distance from the plane of the camera, in units of the scene.
    var depth: Float
    /// Cosine of the angle between the normal and the direction to the camera.
    var cosine: Float
  }

  /// The part of a ray's length within which the mesh occludes a point; the rest is the camera's own surroundings.
  private static let farPart: Float = 0.999
  /// The least cosine for the slope of a surface, which would be infinite at a right angle.
  private static let leastCosine: Float = 0.1
  /// The distance of a point from the depths around it, in pixels of the depth map: one to the next, and half of one
  /// from a pixel's centre to its edge.
  private static let depthSteps: Float = 1.5

  /// - Parameters:
  ///   - depth: The frame's depth map, if it has a reliable one.
  ///   - mask: The frame's mask, if it has one.
  init(
    _ camera: Camera, observing surface: ObservedSurface, depth: DepthMap? = nil,
    mask: PixelMask? = nil, limits: Limits = Limits()
  ) {
    self.mask = mask
    self.camera = camera
    self.surface = surface
    self.depth = depth
    self.limits = limits
  }

  /// The frame's projection of a point with a normal of length 1; nil if it does not see the point.
  func visibleProjection(of point: SIMD3<Float>, normal: SIMD3<Float>) -> Projection? {
    guard let projection = projection(of: point, normal: normal), !isMasked(projection),
      !isContradicted(projection), !isOccluded(point, normal)
    else { return nil }
    return projection
  }

  /// The projection of a point that faces the camera, ignoring occlusion.
  func projection(of point: SIMD3<Float>, normal: SIMD3<Float>) -> Projection? {
    let toCamera = camera.position - point
    let cosine = normal.dot(toCamera) / toCamera.length
    guard cosine >= limits.minimumCosine, let projected = camera.project(point) else { return nil }
    let pixel = SIMD2(projected.x, projected.y)
    guard camera.contains(pixel, margin: limits.border) else { return nil }
    return Projection(pixel: pixel, depth: projected.z, cosine: cosine)
  }

  /// Whether the frame's mask hides a projection.
  func isMasked(_ projection: Projection) -> Bool {
    mask?.hides(at: projection.pixel / camera.size) ?? false
  }

  /// Whether the mesh occludes a point.
  func isOccluded(_ point: SIMD3<Float>, _ normal: SIMD3<Float>) -> Bool {
    let tolerance = surface.scale.units(meters: limits.meshError)
    let toCamera = camera.position - point
    let distance = toCamera.length
    guard distance > tolerance else { return false }
    // Off the surface first, or a rough surface hides itself at grazing angles.
    let origin = point + normal * (tolerance / 2)
    return surface.tracer.isBlocked(
      from: origin, along: toCamera / distance, near: tolerance / 2, far: distance * Self.farPart)
  }

  /// Whether all depths measured around a projection are nearer than it.
  func isContradicted(_ projection: Projection) -> Bool {
    let meters = surface.scale.meters(projection.depth)
    let limit = meters - limits.depthError - limits.relativeDepthError * meters
    var (count, nearer) = (0, 0)
    forEachDepth(around: projection) {
      count += 1
      nearer += $0 < limit ? 1 : 0
    }
    return count > 0 && nearer == count
  }

  /// Whether any depth measured around a projection is farther: the true surface is not there, or
  /// ends so close by that the image may show what is behind it.
  ///
  /// A fused mesh makes thin objects thicker, and covers gaps with a skin. A depth that is farther
  /// by at most three times the scatter of depths, or by the slope of the surface between
  /// neighbouring depths, belongs to the surface itself.
  func isSeenThrough(_ projection: Projection) -> Bool {
    guard let depth else { return false }
    let meters = surface.scale.meters(projection.depth)
    let cosine = max(projection.cosine, Self.leastCosine)
    let slope = (1 - cosine * cosine).squareRoot() / cosine
    let spacing = meters / camera.focalLength.x * camera.size.x / Float(depth.width)
    let limit = meters + max(limits.scatter(at: meters), Self.depthSteps * spacing * slope)
    var isFarther = false
    forEachDepth(around: projection) { isFarther = isFarther || $0 > limit }
    return isFarther
  }

  /// Calls `body` with the depths measured around a projection: four at most.
  @inline(__always)
  private func forEachDepth(around projection: Projection, _ body: (Float) -> Void) {
    guard let depth else { return }
    let scale = SIMD2<Float>(depth.size) / camera.size
    let place = projection.pixel * scale - 0.5
    let (left, top) = (Int(place.x.rounded(.down)), Int(place.y.rounded(.down)))
    for row in top...top + 1 {
      for column in left...left + 1 {
        guard row >= 0, column >= 0, row < depth.height, column < depth.width else { continue }
        let index = row * depth.width + column
        let measured = depth.meters[index]
        guard measured > 0, depth.confidences.map({ $0[index] > 0 }) ?? true else { continue }
        body(measured)
      }
    }
  }
}
