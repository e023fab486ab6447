import SurfaceKernels

/// What all frames of a session differ by from those of others that show the same surface: another light, another white
/// balance, another camera.
///
/// Frames are drawn to their expected levels, and neighbours say how strongly: within a session they hardly differ, and
/// between sessions they may by as much as they like.
struct SessionLevels: Sendable {
  private let sessions: [Int]
  /// The logarithm of each session's light, and of red, green and blue relative to it; 0 in the mean over the surface that
  /// sessions share.
  private let luminance: [Float]
  private let chroma: [SIMD3<Float>]

  /// - Parameters:
  ///   - sessions: The number of each frame's session.
  ///   - expected: The logarithm of the light that each frame is expected to show of the same surface.
  /// - Returns: Nil for one session.
  init?(_ samples: GainSamples, _ sessions: [Int], expected: [Float]) {
    guard let last = sessions.max(), last > 0 else { return nil }
    func levels(scale: Float, _ value: (GainSamples.Sample) -> Float) -> [Float] {
      let observations = samples.samples.map { sample in
        GainSolver.Observation(
          frame: Int32(sessions[Int(sample.frame)]), value: value(sample), weight: sample.weight)
      }
      return GainSolver(
        offsets: samples.offsets, observations: observations, frameCount: last + 1, scale: scale
      ).solve(.weak(frameCount: last + 1)).levels
    }
    self.sessions = sessions
    luminance = levels(scale: FrameGains.luminanceScale) {
      $0.luminance - expected[Int($0.frame)]
    }
    let channels = (0..<3).map { channel in
      levels(scale: FrameGains.chromaScale) { $0.chroma.simd[channel] }
    }
    chroma = (0...last).map { SIMD3(channels[0][$0], channels[1][$0], channels[2][$0]) }
  }

  func luminance(ofFrame frame: Int) -> Float { luminance[sessions[frame]] }

  func chroma(ofFrame frame: Int) -> SIMD3<Float> {
    let own = chroma[sessions[frame]]
    return own - own.sum() / 3
  }
}
