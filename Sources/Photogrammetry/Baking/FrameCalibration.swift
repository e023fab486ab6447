package import MeshpipeScene
import SurfaceKernels

/// The results of all frames' observations together, for each frame and for the surface: gains and sharpness, objects
/// that the mesh lacks, and the colours that frames agree on.
package struct FrameCalibration: Sendable {
  package let frames: [Capture.Frame]
  package let domain: BakeDomain
  let options: BakeOptions
  package let photometry: FramePhotometry
  package let consensus: ColorConsensus
  /// The share of the vertices that are glossy: see ``GlossEstimate``.
  package let glossyShare: Float
  /// The mesh's depths as each frame sees it; nil for frames that could not be read.
  let depthBounds: [DepthBounds?]
  /// Where frames show objects that the mesh lacks; nil for frames that don't.
  package let foregrounds: [ForegroundMask?]
  package let faults: FrameFaults

  /// Reduces the weight of observations that are masked, and stores in each how well it agrees.
  init(
    _ frames: [Capture.Frame], _ domain: BakeDomain, _ analyzed: inout AnalyzedFrames,
    spacing: [Float], options: BakeOptions
  ) {
    self.frames = frames
    self.domain = domain
    self.options = options
    depthBounds = analyzed.depthBounds
    faults = analyzed.faults
    let geometry = GainSamples.Geometry(
      positions: domain.mesh.positions, normals: domain.mesh.normals,
      cameras: frames.map { SIMD3<Float>($0.pose.translation) })
    photometry = FramePhotometry(
      analyzed.table, geometry: geometry, exposures: frames.map(\.exposure),
      sessions: frames.map(\.session),
      solvesGains: options.solvesGains)
    let vote = ForegroundVote(
      frames, thumbnails: analyzed.thumbnails, depthBounds: depthBounds, photometry: photometry,
      scale: domain.surface.scale,
      meshError: options.analysis.limits.meshError)
    foregrounds = options.leavesOutForeground ? vote.masks() : frames.map { _ in nil }
    vote.doubt(
      &analyzed.table, at: domain.borders.samplePositions, spacing: spacing, foregrounds)
    let gloss =
      options.removesGloss
      ? GlossEstimate(
        analyzed.table, photometry, geometry, offsets: domain.offsets, neighbors: domain.neighbors)
      : nil
    glossyShare = gloss.map { $0.share } ?? 0
    consensus = ColorConsensus(&analyzed.table, photometry, geometry: geometry, gloss: gloss)
  }

  /// The colour of each vertex, filled where no frame sees it.
  package func filledColors() -> [SIMD4<Float>] { domain.filled(consensus.colors) }

  /// Whether any frame contributes to each face of the surface.
  package func seenFaces() -> [Bool] {
    let mesh = domain.mesh
    var isSeen = [Bool](repeating: false, count: domain.surface.faceCount)
    for triangle in 0..<mesh.triangleCount {
      let (a, b, c) = mesh.vertices(ofTriangle: triangle)
      for vertex in [a, b, c] where consensus.colors[vertex].w > 0 {
        isSeen[Int(mesh.surfaceFaces[triangle])] = true
      }
    }
    return isSeen
  }
}
