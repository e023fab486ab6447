import MeshPipeline
import NativeLibraries
import SurfaceKernels

/// One frame that looks at a surface: tells which points it really sees, and where.
///
/// A point is seen when it projects into the picture, faces the camera, nothing of the mesh stands
/// before it, and the frame's own depth map does not show something nearer: a live mesh lacks thin
/// things, and a person walks through a scan without becoming part of the mesh.
package struct FrameObserver: Sendable {
  let camera: Camera
  let surface: ObservedSurface
  let depth: DepthMap?
  let limits: Limits

  /// What counts as seen.
  package struct Limits: Sendable {
    /// How far the mesh may lie from the true surface, in metres.
    ///
    /// Whatever is nearer to the point than this does not hide it.
    package var meshError: Float = 0.02
    /// A measured depth contradicts the mesh when it is nearer by this many metres.
    package var depthError: Float = 0.05
    /// The share of the depth that is added to ``depthError``.
    package var relativeDepthError: Float = 0.015
    /// The share of the depth by which measured depths of the surface miss the mesh; nil where that was
    /// not measured.
    package var depthScatter: Float?
    /// The least cosine between normal and direction to the camera: 80°.
    package var minimumCosine: Float = 0.17
    /// Pixels at the picture's border that are not used.
    package var border: Float = 2

    package init() {}

    /// Depth maps hold whole millimetres.
    private static let depthStep: Float = 0.001

    /// How far behind the mesh depths of the very surface may lie: three times their scatter, but no less
    /// than the mesh may be off, and no more than what is right for the coarsest sensor.
    func scatter(at meters: Float) -> Float {
      let most = 3 * meshError + 0.01 * meters
      guard let depthScatter else { return most }
      return min(most, max(meshError, Self.depthStep, 3 * depthScatter * meters))
    }
  }

  /// How a frame sees a point.
  struct Sighting: Sendable {
    /// In pixels of the camera's image.
    var pixel: SIMD2<Float>
    /// Distance from the plane of the camera, in units of the scene.
    var depth: Float
    /// Cosine of the angle between the normal and the direction to the camera.
    var cosine: Float
  }

  /// - Parameter depth: The frame's depth map, when there is one and it is to be believed.
  init(
    _ camera: Camera, looksAt surface: ObservedSurface, depth: DepthMap? = nil,
    limits: Limits = Limits()
  ) {
    self.camera = camera
    self.surface = surface
    self.depth = depth
    self.limits = limits
  }

  /// How the frame sees a point with a normal of length 1; nil when it does not.
  func sighting(of point: SIMD3<Float>, normal: SIMD3<Float>) -> Sighting? {
    guard let sighting = projection(of: point, normal: normal),
      !isContradicted(sighting), !isHidden(point, normal)
    else { return nil }
    return sighting
  }

  /// Where a point that faces the camera lies in the picture, whatever may stand before it.
  func projection(of point: SIMD3<Float>, normal: SIMD3<Float>) -> Sighting? {
    let toCamera = camera.position - point
    let cosine = normal.dot(toCamera) / toCamera.length
    guard cosine >= limits.minimumCosine, let projected = camera.project(point) else { return nil }
    let pixel = SIMD2(projected.x, projected.y)
    guard camera.contains(pixel, margin: limits.border) else { return nil }
    return Sighting(pixel: pixel, depth: projected.z, cosine: cosine)
  }

  /// Whether the mesh stands between a point and the camera.
  func isHidden(_ point: SIMD3<Float>, _ normal: SIMD3<Float>) -> Bool {
    let tolerance = limits.meshError * surface.unitsPerMeter
    let toCamera = camera.position - point
    let distance = toCamera.length
    guard distance > tolerance else { return false }
    // Off the surface first, or a rough surface hides itself at grazing angles.
    let origin = point + normal * (tolerance / 2)
    return surface.tracer.isBlocked(
      from: origin, along: toCamera / distance, near: tolerance / 2, far: distance * 0.999)
  }

  /// Whether all depths that were measured around a sighting show something nearer.
  func isContradicted(_ sighting: Sighting) -> Bool {
    let meters = sighting.depth / surface.unitsPerMeter
    let limit = meters - limits.depthError - limits.relativeDepthError * meters
    var (count, nearer) = (0, 0)
    forEachDepth(around: sighting) {
      count += 1
      nearer += $0 < limit ? 1 : 0
    }
    return count > 0 && nearer == count
  }

  /// Whether any depth that was measured around a sighting shows something farther: the true surface is
  /// not there, or ends so near by that the picture may show what lies behind.
  ///
  /// A fused mesh is fatter than thin things are, and has skin where there is none. What is farther by no
  /// more than three times the scatter of depths, or than the surface falls off from one depth to the
  /// next, is the surface itself.
  func isSeenThrough(_ sighting: Sighting) -> Bool {
    guard let depth else { return false }
    let meters = sighting.depth / surface.unitsPerMeter
    let cosine = max(sighting.cosine, 0.1)
    let slope = (1 - cosine * cosine).squareRoot() / cosine
    let spacing = meters / camera.focalLength.x * camera.size.x / Float(depth.width)
    let limit = meters + max(limits.scatter(at: meters), 1.5 * spacing * slope)
    var isFarther = false
    forEachDepth(around: sighting) { isFarther = isFarther || $0 > limit }
    return isFarther
  }

  /// Calls `body` with the depths that were measured around a sighting: four at most.
  @inline(__always)
  private func forEachDepth(around sighting: Sighting, _ body: (Float) -> Void) {
    guard let depth else { return }
    let scale = SIMD2<Float>(depth.size) / camera.size
    let place = sighting.pixel * scale - 0.5
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
