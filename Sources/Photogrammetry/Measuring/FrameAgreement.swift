package import MeshpipeScene

/// The agreement of each frame's pose with the mesh: by its depth map, and by its image beside those of others.
package struct FrameAgreement: Sendable {
  /// The share of each frame's depths that are on the mesh where its rays hit it; nil if too few do.
  package private(set) var depthOnMesh: [Double?]
  /// The mean correlation of each frame's image with those of others at the same points of the mesh; nil if too little
  /// of it can be compared.
  package private(set) var imageCorrelation: [Double?]

  /// Reads the depth maps, and the images at low resolution.
  ///
  /// - Returns: Nil if there is no mesh or no frame.
  package init?(_ scene: Scene, in context: any MeasuringContext) throws {
    guard let capture = scene.capture, let probe = try MeshProbe(capture, scene, context) else {
      return nil
    }
    depthOnMesh = [Double?](repeating: nil, count: capture.frames.count)
    let unit = scene.coordinateSystem.metersPerUnit
    for fit in DepthFit(probe, capture.frames, metersPerUnit: unit).fits {
      depthOnMesh[fit.frame] = fit.share
    }
    let comparison = try ImageCorrelation(of: capture.frames, on: probe.tracer, context)
    let consensus = FrameConsensus(
      comparison.pairs(of: capture.frames), count: capture.frames.count)
    imageCorrelation = [Double?](repeating: nil, count: capture.frames.count)
    for frame in consensus.judged { imageCorrelation[frame] = consensus.correlations[frame] }
  }
}
