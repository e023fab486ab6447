import MeshpipeBase
import MeshpipeScene
import POSIX
import SurfaceKernels

/// The relative brightness and sharpness of each frame.
package struct FramePhotometry: Sendable {
  /// The factors of a frame's linear light, per channel.
  package var gains: [SIMD4<Float>]
  /// The share of the others' fine detail that a frame shows: well below 1 if it is blurred.
  package var sharpness: [Float]
  /// The gains of the frames; nil if frames are not levelled.
  package private(set) var leveling: FrameGains?

  /// The mean squared gradient, in the units of ``ImagePyramid``, below which a point is plain: noise, which says
  /// nothing about blur.
  private static let leastEnergy: Float = 60
  /// The difference of the logarithms of energies at which an observation has half its weight: blur of a whole
  /// frame shows everywhere, an occluder in some places.
  private static let energyScale: Float = 0.5
  /// No frame counts as sharper than this multiple of the median: more is noise or sharpening of the camera.
  private static let greatestSharpness: Float = 1.5

  /// - Parameters:
  ///   - solvesGains: Whether frames are levelled; otherwise all gains are 1.
  ///   - exposures: The capture's record for each frame; empty if it has none.
  ///   - sessions: The number of each frame's session; empty if there is one.
  init(
    _ table: ObservationTable, geometry: GainSamples.Geometry? = nil,
    exposures: [Capture.Exposure?] = [], sessions: [Int] = [], solvesGains: Bool = true
  ) {
    gains = [SIMD4<Float>](repeating: SIMD4(1, 1, 1, 1), count: table.frameCount)
    if solvesGains, table.frameCount > 0 {
      let known = exposures.isEmpty ? Array(repeating: nil, count: table.frameCount) : exposures
      let leveling = FrameGains(
        GainSamples(table, geometry), exposures: known, sessions: sessions)
      gains = leveling.gains
      self.leveling = leveling
    }
    sharpness = Self.sharpness(table)
  }

  private static func sharpness(_ table: ObservationTable, sampleLimit: Int = 20_000) -> [Float] {
    let stride = max(1, table.vertexCount / sampleLimit)
    var offsets = [0]
    var observations: [GainSolver.Observation] = []
    for vertex in Swift.stride(from: 0, to: table.vertexCount, by: stride)
    where table.range(of: vertex).count > 1 {
      for index in table.range(of: vertex) {
        let (measurement, frame) = (
          table.observations[index].measurement, table.observations[index].frame
        )
        observations.append(
          .init(
            frame: Int32(truncatingIfNeeded: frame),
            value: log(max(measurement.energy, 1)) + log(max(measurement.resolution, 1)),
            weight: measurement.energy > leastEnergy ? measurement.confidence : 0))
      }
      offsets.append(observations.count)
    }
    let energies = GainSolver(
      offsets: offsets, observations: observations, frameCount: table.frameCount, scale: energyScale
    ).solve(.weak(frameCount: table.frameCount)).levels
    guard let middle = energies.median() else { return [] }
    return energies.map { min(greatestSharpness, exp(($0 - middle) / 2)) }
  }
}
