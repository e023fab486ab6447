import MeshPipeline

/// How frames are observed, calibrated, selected and composited.
package struct BakeOptions: Sendable {
  package var sightings = FrameSightings.Options()
  package var shares = ViewShares.Options()
  package var solvesGains = true
  /// Whether surfaces that look brighter at grazing angles get their colour from views without
  /// reflections.
  package var removesGloss = true
  package var usesDepth = true
  /// How frames are levelled to the consensus locally; nil for one gain per frame.
  package var leveling: FrameLeveling.Options? = FrameLeveling.Options()
  /// How much of the fine detail that blending removes is restored: see ``DetailBoost``.
  package var detailBoost: Float = 0.36
  /// Whether objects that the mesh lacks are masked out: see ``ForegroundVote``.
  package var leavesOutForeground = true
  /// The most memory for decoded frames at the same time, in bytes; and for observations of vertices,
  /// unless ``leastViews`` of each take more.
  package var imageMemory = 256 << 20
  /// The number of observations of each vertex that are kept in any case: see ``ViewTable``.
  package var leastViews = 32

  package init() {}

  /// The same with at least an assumed error of the mesh, in metres.
  func held(to leastError: Float) -> BakeOptions {
    var options = self
    options.sightings.limits.meshError = max(sightings.limits.meshError, leastError)
    return options
  }

  /// The number of frames that may be decoded at the same time.
  func batchSize(_ frames: [Capture.Frame], bytesPerPixel: Int, reduction: Int) -> Int {
    let largest = frames.map { $0.imageSize.x * $0.imageSize.y }.max() ?? 1
    let bytes = largest / (reduction * reduction) * bytesPerPixel
    return max(1, min(8, imageMemory / max(bytes, 1)))
  }
}
