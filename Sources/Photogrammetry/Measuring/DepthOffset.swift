import MeshpipeBase
package import MeshpipeScene

/// The offset of a scan's surface from what its depth maps measured.
///
/// Noise of single depths cancels out, so that what remains is a fault of the mesh, of the poses or of the unit of one
/// of them: meshes of apps that were refined without their depth maps float centimetres before these.
package struct DepthOffset: Sendable, Equatable {
  /// The median of the measured depths minus those of the surface, in metres: positive if it lies before them.
  package let median: Double
  /// The median of the depths measured on the surface in metres.
  package let depth: Double

  /// Evenly spread depth maps beyond which no more are read.
  private static let mostMaps = 32
  /// With fewer depths that hit the surface nothing is said.
  private static let fewest = 100
  /// Metres and a share of the depth: a surface that is farther from what was measured is another one.
  private static let tolerance: (meters: Double, share: Double) = (0.01, 0.01)

  /// Measures a scene in its own frames; nil without faces, or without depth maps that see them.
  package init?(_ scene: Scene) {
    guard let capture = scene.capture,
      let probe = try? MeshProbe(
        capture, scene, SilentContext(), mostDepths: Self.mostMaps)
    else { return nil }
    let fit = DepthFit(
      probe, capture.frames, metersPerUnit: scene.coordinateSystem.metersPerUnit)
    guard let offset = fit.offset else { return nil }
    self = offset
  }

  /// Summarizes rays that hit the surface, in metres; nil if they are too few.
  init?(_ depths: [(measured: Float, mesh: Float)]) {
    guard depths.count >= Self.fewest,
      let median = depths.map({ Double($0.measured - $0.mesh) }).median(),
      let depth = depths.map({ Double($0.measured) }).median()
    else { return nil }
    (self.median, self.depth) = (median, depth)
  }

  /// Whether the surface as a whole lies elsewhere than the depth maps say.
  package var isContradiction: Bool {
    abs(median) > Self.tolerance.meters + Self.tolerance.share * depth
  }
}

/// The context of measurements that nothing ends, and whose warnings others have given.
private struct SilentContext: MeasuringContext {
  func warn(_ message: String) {}
  func advise(_ message: String) {}
  func checkCancellation() {}
}
