import MeshpipeScene
import POSIX
import SurfaceKernels

/// The factors of each frame's light that make frames show the same surface alike.
///
/// Overlaps alone determine gains badly over a long path: a surface that looks brighter at grazing
/// angles makes each frame "a percent darker than the last", and a hundred of them a factor of
/// three. So gains are drawn to their expected values (the exposures of the capture, or equal ones)
/// with a strength derived from the differences between neighbouring frames; brightness that grows with
/// the angle of view is estimated with the gains; and a result that fails a check is solved again
/// with a stronger prior. What whole sessions differ by, in other light or by another camera, is found first and
/// expected of their frames (``SessionLevels``).
package struct FrameGains: Sendable {
  /// The gains of each frame for red, green and blue; the fourth is 1.
  private(set) var gains: [SIMD4<Float>]
  package private(set) var prior: ExposurePrior
  /// The result of the check.
  package private(set) var check: GainCheck
  /// The number of times that the prior's deviation was halved because the check failed.
  package private(set) var stiffenings = 0

  /// The error with which all observations of a frame together determine its level relative to its neighbours', however
  /// many they are: they share the effects of vignetting, tone mapping and reflections; a logarithm, so 3 %.
  private static let systematicError: Float = 0.03
  /// The error of one observation, as a logarithm: dominant when there are few.
  private static let singleError: Float = 0.2
  /// The least weight by which that error is divided: a frame with less, of 1 an observation, sees nothing.
  private static let leastWeight: Float = 1e-3
  /// The standard deviation of a surface's brightness at a grazing angle, as a logarithm (65 %).
  private static let slopeDeviation: Float = 0.5
  /// Deviations, as logarithms, above which an observation is an outlier: of an occluder or a misaligned edge.
  ///
  /// Colour differs less than brightness between views of one surface.
  static let luminanceScale: Float = 0.08
  static let chromaScale: Float = 0.04
  /// Each halves the prior's deviation: after five, levels are practically the expected ones.
  private static let mostStiffenings = 5

  /// - Parameter sessions: The number of each frame's session; empty if there is one.
  init(_ samples: GainSamples, exposures: [Capture.Exposure?], sessions: [Int] = []) {
    let differences = ExposureDifferences(samples)
    prior = ExposurePrior(exposures, differences.within(sessions))
    let ofSessions = SessionLevels(samples, sessions, expected: prior.expected)
    prior.add(ofSessions)
    let chroma = Self.chroma(samples, ofSessions, deviation: prior.chromaDeviation)
    var levels = Self.luminance(samples, prior, stiffness: 1)
    check = GainCheck(samples, levels, prior)
    while let fault = check.fault, stiffenings < Self.mostStiffenings {
      stiffenings += 1
      levels = Self.luminance(samples, prior, stiffness: Float(1 << (2 * stiffenings)))
      let found = check.firstFault ?? fault
      check = GainCheck(samples, levels, prior)
      check.firstFault = found
    }
    gains = zip(levels, chroma).map { level, chroma in
      SIMD4(exp(-level - chroma.x), exp(-level - chroma.y), exp(-level - chroma.z), 1)
    }
  }

  /// The logarithm of each frame's light.
  private static func luminance(
    _ samples: GainSamples, _ prior: ExposurePrior, stiffness: Float
  ) -> [Float] {
    let deviations = prior.deviations.map { $0 / stiffness.squareRoot() }
    let solution = solve(samples, deviations, scale: luminanceScale) {
      $0.luminance - prior.expected[Int($0.frame)]
    }
    return zip(solution.levels, prior.expected).map { $0 + $1 }
  }

  /// The differences of red, green and blue of each frame from their mean, as logarithms.
  private static func chroma(
    _ samples: GainSamples, _ ofSessions: SessionLevels?, deviation: Float
  ) -> [SIMD3<Float>] {
    let expected = (0..<samples.frameCount).map { ofSessions?.chroma(ofFrame: $0) ?? .zero }
    let deviations = [Float](repeating: deviation, count: samples.frameCount)
    let channels = Parallel.map(count: 3) { channel in
      solve(samples, deviations, scale: chromaScale) {
        $0.chroma.simd[channel] - expected[Int($0.frame)][channel]
      }.levels
    }
    return (0..<samples.frameCount).map { frame in
      let levels = SIMD3(channels[0][frame], channels[1][frame], channels[2][frame])
      return levels - levels.sum() / 3 + expected[frame]
    }
  }

  private static func solve(
    _ samples: GainSamples, _ deviations: [Float], scale: Float,
    _ value: (GainSamples.Sample) -> Float
  ) -> GainSolver.Solution {
    var weights = [Float](repeating: 0, count: samples.frameCount)
    let observations = samples.samples.map { sample in
      weights[Int(sample.frame)] += sample.weight
      return GainSolver.Observation(
        frame: sample.frame, value: value(sample), weight: sample.weight,
        obliquity: sample.obliquity)
    }
    let strengths = zip(weights, deviations).map { weight, deviation in
      let samplingError = singleError * singleError / max(weight, leastWeight)
      return (systematicError * systematicError + samplingError) / (deviation * deviation)
    }
    let ratio = systematicError / slopeDeviation
    return GainSolver(
      offsets: samples.offsets, groups: samples.groups, observations: observations,
      frameCount: samples.frameCount, scale: scale
    ).solve(GainSolver.Prior(strengths: strengths, slopeStrength: ratio * ratio))
  }
}

/// Whether levels of frames are plausible.
package struct GainCheck: Sendable {
  package enum Fault: Sendable, Equatable {
    /// The largest difference in brightness on the model that a frame's exposure doesn't explain,
    /// as a logarithm.
    case brightness(frame: Int, deviation: Float)
    /// The largest steady rise or fall of gains along the path, as a logarithm.
    case trend(Float)
    /// The largest share of the frames' light that gains push above white.
    case clipping(Float)
  }

  /// By frame: the logarithm of the ratio of the model's brightness to that of the photograph, for
  /// frames that differ only by their expected exposure; 0 for a frame that shows nothing.
  package private(set) var brightness: [Float]
  /// The share of light below white that gains push above it.
  package private(set) var clippedShare: Float
  package private(set) var fault: Fault?
  /// The checks that failed before levels were solved with a stronger prior.
  package var firstFault: Fault?

  /// A frame's brightness on the model must stay within 7 % of its photograph's.
  static let brightnessLimit: Float = 0.07
  /// The additional deviation allowed over that without any levelling.
  private static let brightnessExcess: Float = 0.02
  /// A steady drift of gains over the whole path that real exposures hardly ever have: its rise as a logarithm
  /// (35 %), how closely gains follow it, and in how many frames; fewer follow a line by chance.
  private static let trendLimit: Float = 0.3
  private static let trendCorrelation: Float = 0.85
  private static let fewestFramesOfTrend = 12
  /// The share of light that may be pushed above white: highlights, but no walls.
  private static let clippingLimit: Float = 0.03
  /// Light above this is white in the photograph already.
  private static let white: Float = 0.9 * 65_535
  /// The weight of observations above which a vertex has a light, and what is divided by at least.
  private static let leastVertexWeight: Float = 1e-6
  private static let traceWeight: Float = 1e-9

  /// - Parameter levels: The logarithm of each frame's light.
  init(_ samples: GainSamples, _ levels: [Float], _ prior: ExposurePrior) {
    (brightness, clippedShare) = Self.measure(samples, levels, prior.expected)
    let (unlevelled, _) = Self.measure(samples, prior.expected, prior.expected)
    fault = Self.fault(
      of: levels, prior: prior, brightness: brightness, unlevelled: unlevelled,
      clippedShare: clippedShare)
  }

  private static func fault(
    of levels: [Float], prior: ExposurePrior, brightness: [Float], unlevelled: [Float],
    clippedShare: Float
  ) -> Fault? {
    if prior.isTrusted {
      // Views of a glossy surface differ without any gain: no prior corrects that.
      let excesses = zip(brightness, unlevelled).map { levelled, unlevelled in
        abs(levelled) > brightnessLimit ? abs(levelled) - abs(unlevelled) : 0
      }
      if let worst = excesses.indices.max(by: { excesses[$0] < excesses[$1] }),
        excesses[worst] > brightnessExcess
      {
        return .brightness(frame: worst, deviation: brightness[worst])
      }
      return nil
    }
    let (trend, correlation) = Self.trend(zip(levels, prior.expected).map { $0 - $1 })
    if levels.count >= fewestFramesOfTrend, abs(trend) > trendLimit,
      abs(correlation) > trendCorrelation
    {
      return .trend(trend)
    }
    return clippedShare > clippingLimit ? .clipping(clippedShare) : nil
  }

  /// The rise of values from first to last along their regression line, and how closely they follow
  /// it.
  static func trend(_ values: [Float]) -> (rise: Float, correlation: Float) {
    guard values.count > 2 else { return (0, 0) }
    let middle = Float(values.count - 1) / 2
    let mean = values.reduce(0, +) / Float(values.count)
    var (across, along, both) = (Float(0), Float(0), Float(0))
    for (index, value) in values.enumerated() {
      let (x, y) = (Float(index) - middle, value - mean)
      along += x * x
      across += y * y
      both += x * y
    }
    guard across > 0 else { return (0, 0) }
    return (both / along * 2 * middle, both / (along * across).squareRoot())
  }

  private static func measure(
    _ samples: GainSamples, _ levels: [Float], _ expected: [Float]
  ) -> (brightness: [Float], clippedShare: Float) {
    var model = [Float](repeating: 0, count: samples.frameCount)
    var photograph = model
    var (clipped, total) = (Float(0), Float(0))
    for vertex in 0..<samples.vertexCount {
      let range = samples.range(of: vertex)
      var (sum, weight) = (Float(0), traceWeight)
      for index in range {
        let sample = samples.samples[index]
        sum += sample.weight * (sample.luminance - levels[Int(sample.frame)])
        weight += sample.weight
      }
      guard weight > leastVertexWeight else { continue }
      let light = exp(sum / weight)
      for index in range where samples.samples[index].weight > 0 {
        let sample = samples.samples[index]
        let frame = Int(sample.frame)
        let seen = exp(sample.luminance)
        photograph[frame] += sample.area * seen
        model[frame] += sample.area * light
        total += sample.area
        if seen < white, seen * exp(-levels[frame]) > 65_535 { clipped += sample.area }
      }
    }
    let logs = model.indices.map { frame in
      photograph[frame] > 0 ? log(model[frame] / photograph[frame]) + expected[frame] : 0
    }
    return (logs, clipped / max(total, traceWeight))
  }
}
