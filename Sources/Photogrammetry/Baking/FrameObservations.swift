package import MeshpipeScene
import NativeLibraries
import SurfaceKernels

/// The observations of a mesh's vertices in all frames of a capture, and the frames' calibration that
/// follows from them: the first of the three steps of a bake.
///
/// ``ViewSelection`` is the second, ``TextureComposition`` the third: the steps of Waechter et al., "Let there be
/// color! Large-scale texturing of 3D reconstructions" (2014), with vertices of a ``BakeMesh`` in place of faces.
///
/// In: a mesh in units and axes of the scene, and frames with pose, intrinsics and lens (``Camera``), each with an
/// image and perhaps a depth map in metres. Out: for each vertex the frames that see it (``ObservationTable``: linear
/// light, resolution in pixels per metre, confidence), and for each frame gains, sharpness and a mask.
package struct FrameObservations: Sendable {
  package let calibration: FrameCalibration
  /// Which frames see each vertex, and how.
  let table: ObservationTable

  /// Analyses each frame once, at reduced size.
  ///
  /// - Parameter store: Cleared at the end, since the next steps need the memory.
  package init(
    _ mesh: BakeMesh, on surface: ObservedSurface, frames: [Capture.Frame],
    from store: FrameStore = FrameStore(capacity: 0), options: BakeOptions,
    progress: (Double) throws -> Void
  ) throws {
    let options = options.held(to: Self.leastError(surface, frames))
    let domain = BakeDomain(
      mesh, on: surface, meshError: options.analysis.limits.meshError)
    let spacing = domain.spacing()
    var analyzed = AnalyzedFrames(domain, frames, options)
    try analyzed.add(frames, from: store, of: domain, spacing: spacing, options, progress: progress)
    store.clear()
    calibration = FrameCalibration(
      frames, domain, &analyzed, spacing: spacing, options: options)
    table = analyzed.table
  }

  /// The error of a coordinate as a share of the largest: several roundings, of 2⁻²⁴ each, on the way into the
  /// camera's axes and back.
  private static let roundingError: Float = 0x1p-19

  /// The distance by which rays miss the mesh through rounding of coordinates alone, in metres.
  private static func leastError(_ surface: ObservedSurface, _ frames: [Capture.Frame]) -> Float {
    var box = Box(surface.positions)
    for frame in frames { box.add(SIMD3<Float>(frame.pose.translation)) }
    let largest = max(box.maximum.max(), -box.minimum.min())
    guard largest.isFinite else { return 0 }
    return surface.scale.meters(largest * Self.roundingError)
  }
}
