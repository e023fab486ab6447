import MeshpipeScene

/// The options for observing, calibrating, selecting and compositing frames.
package struct BakeOptions: Sendable {
  package var analysis = FrameAnalysis.Options()
  package var blendWeights = BlendWeights.Options()
  package var solvesGains: Bool
  /// Whether surfaces that look brighter at grazing angles get their colour from views without
  /// reflections.
  package var removesGloss: Bool
  package var usesDepth: Bool
  /// The options for levelling frames to the consensus locally; nil for one gain per frame.
  package var localExposure: LocalExposure.Options?
  /// The fraction of the fine detail lost by blending that is restored: see ``DetailCompensation``.
  ///
  /// Measured on a real chair with refined poses: 0.36 gives its texture .81 of the photographs' sharpness, 0.28
  /// gives .76 and 0.05 dB more. Where frames agree, compensation costs 0.5 dB, so it follows their disagreement.
  package var detailCompensation: Float = 0.36
  /// Whether objects that the mesh lacks are masked out: see ``ForegroundVote``.
  package var leavesOutForeground = true
  /// The most memory for decoded frames at the same time, in bytes; and for observations of vertices,
  /// unless ``leastObservations`` of each take more.
  package var imageMemory: Int
  /// The number of observations of each vertex that are kept in any case: see ``ObservationTable``.
  ///
  /// Measured: keeping 32 of 60 costs 0.03 dB on a clean object.
  package var leastObservations = 32

  /// The most frames that are decoded at the same time, so that memory does not grow with the cores of a machine.
  private static let mostDecoded = 8

  /// - Parameters:
  ///   - meshError: The largest distance of the mesh from the true surface, in metres.
  ///   - equalizesExposure: Whether frames are brought to one exposure and white balance, as a whole and locally.
  ///   - imageMemory: In bytes.
  package init(meshError: Float, usesDepth: Bool, equalizesExposure: Bool, imageMemory: Int) {
    solvesGains = equalizesExposure
    removesGloss = equalizesExposure
    localExposure = equalizesExposure ? LocalExposure.Options() : nil
    self.usesDepth = usesDepth
    self.imageMemory = imageMemory
    analysis.limits.meshError = meshError
  }

  /// The options with at least an assumed error of the mesh, in metres.
  func held(to leastError: Float) -> BakeOptions {
    var options = self
    options.analysis.limits.meshError = max(analysis.limits.meshError, leastError)
    return options
  }

  /// The number of frames that may be decoded at the same time.
  func batchSize(_ frames: [Capture.Frame], bytesPerPixel: Int, reduction: Int) -> Int {
    let largest = frames.map { $0.imageSize.x * $0.imageSize.y }.max() ?? 1
    let bytes = largest / (reduction * reduction) * bytesPerPixel
    return max(1, min(Self.mostDecoded, imageMemory / max(bytes, 1)))
  }
}
