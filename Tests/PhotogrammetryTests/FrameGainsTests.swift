import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Photogrammetry

/// How exposures are levelled, on made observations whose gains are known.
struct FrameGainsTests {
  /// Frames walk along a floor and two walls; each sees what lies up to eight steps ahead of it.
  private struct Walk {
    var frameCount = 100
    var reach = 8
    /// What each frame's light is multiplied with, as a logarithm.
    var exposures: [Float] = []
    /// What light at a place grows by for each step nearer to the camera, as a logarithm: how a surface
    /// looks that is darker the steeper one looks at it.
    var darkening: Float = 0
    /// What the cosine of the view makes of light, as a logarithm.
    var gloss: (Float) -> Float = { _ in 0 }
    /// Whether views say from where they look.
    var hasAngles = true
    var clipsAbove: Float = .infinity
    /// What each frame's red, green and blue are multiplied with, as logarithms.
    var tints: [SIMD3<Float>] = []

    func samples() -> GainSamples {
      var random = SeededGenerator(seed: 5)
      var samples = GainSamples(frameCount: frameCount)
      for place in 0..<frameCount + reach {
        for point in 0..<18 {
          // Below the camera, or to its side, by up to three steps.
          let height = 1 + Float(point % 10) * 0.2
          let albedo = Float.random(in: -1...1, using: &random)
          let normal = [SIMD3<Float>(0, 1, 0), SIMD3(1, 0, 0), SIMD3(-1, 0, 0)][point % 3]
          let frames = max(0, place - reach)..<min(frameCount, place)
          let views = frames.map { frame in
            let distance = Float(place - frame)
            let noise = Float.random(in: -0.03...0.03, using: &random)
            let sight = (normal * height - SIMD3(0, 0, distance)).normalized
            let cosine = height / (height * height + distance * distance).squareRoot()
            var light = log(20_000) + albedo + noise + gloss(cosine)
            light += darkening * distance
            if !exposures.isEmpty { light += exposures[frame] }
            let isClipped = light > clipsAbove
            return GainSamples.Sample(
              frame: Int32(frame), luminance: min(light, clipsAbove),
              chroma: Vector3(tints.isEmpty ? .zero : tints[frame]), weight: isClipped ? 0 : 1,
              cosine: hasAngles ? cosine : 1, direction: Vector3(sight), area: 1)
          }
          samples.append(views, normal: normal)
        }
      }
      return samples
    }

    func gains(recorded: Bool) -> FrameGains {
      let known = (0..<frameCount).map { frame in
        let light = exposures.isEmpty ? 0 : exposures[frame]
        return Capture.Exposure(duration: 1.0 / 60, iso: 100 * exp(Double(light)))
      }
      return FrameGains(samples(), exposures: recorded ? known : known.map { _ in nil })
    }
  }

  /// The logarithms of gains, 0 in the mean.
  private func logarithms(_ gains: FrameGains) -> [Float] {
    let logs = gains.gains.map { log($0.y) }
    let mean = logs.reduce(0, +) / Float(logs.count)
    return logs.map { $0 - mean }
  }

  /// The errors of gains against the exposures that they are to undo.
  private func errors(_ gains: FrameGains, _ walk: Walk) -> [Float] {
    let mean = walk.exposures.reduce(0, +) / Float(walk.frameCount)
    return zip(logarithms(gains), walk.exposures).map { abs($0 + ($1 - mean)) }
  }

  @Test(arguments: [true, false])
  func `a hundred frames that are each a percent darker do not drift`(isRecorded: Bool) {
    // Nothing tells of the angle: the bias looks just like exposures that fall along the path.
    var walk = Walk()
    (walk.darkening, walk.hasAngles) = (0.01, false)
    let gains = walk.gains(recorded: isRecorded)
    for value in logarithms(gains) { #expect(abs(value) < log(1.08)) }
    #expect(gains.check.fault == nil)
    // Without a prior of the size that phones show the same observations make a factor of 2.5.
    let samples = walk.samples()
    let observations = samples.samples.map {
      GainSolver.Observation(frame: $0.frame, value: $0.luminance, weight: $0.weight)
    }
    let free = GainSolver(
      offsets: samples.offsets, observations: observations, frameCount: 100, scale: 0.08
    ).solve(.weak(frameCount: 100)).levels
    #expect((free.max() ?? 0) - (free.min() ?? 0) > log(2.2))
  }

  @Test func `gloss is told from exposure by the angle of view`() {
    var walk = Walk()
    walk.gloss = { log(1 + 0.9 * (1 - $0) * (1 - $0)) }
    let logs = logarithms(walk.gains(recorded: false))
    for value in logs { #expect(abs(value) < 0.03) }
  }

  @Test func `recorded exposures are recovered`() {
    var walk = Walk()
    walk.darkening = 0.01
    walk.exposures = (0..<100).map { Float(($0 / 10 * 7) % 5) * 0.15 - 0.3 }
    let gains = walk.gains(recorded: true)
    #expect(gains.prior.source == .recorded)
    #expect((errors(gains, walk).max() ?? 1) < 0.06)
  }

  @Test func `steps of exposure that nobody recorded are levelled for the most part`() {
    var walk = Walk()
    walk.exposures = (0..<100).map { frame in
      0.25 * sin(Float(frame) * 0.7) + ((frame / 25) % 2 == 0 ? 0.15 : -0.15)
    }
    let gains = walk.gains(recorded: false)
    #expect(gains.prior.source == .none)
    // Frames that show the same, up to four steps apart; over the whole path a part may remain.
    func steps(_ levels: [Float]) -> Float {
      (0..<96).map { frame in
        (1...4).map { abs(levels[frame + $0] - levels[frame]) }.reduce(0, +)
      }.reduce(0, +)
    }
    let left = zip(logarithms(gains), walk.exposures).map { $0 + $1 }
    #expect(steps(left) < 0.15 * steps(walk.exposures))
    let before = walk.exposures.map { $0 * $0 }.reduce(0, +)
    #expect(errors(gains, walk).map { $0 * $0 }.reduce(0, +) < 0.2 * before)
  }

  @Test func `recorded exposures that photographs contradict are not believed`() {
    var walk = Walk()
    walk.exposures = (0..<100).map { $0 % 2 == 0 ? 0.1 : -0.1 }
    let known = (0..<100).map { Capture.Exposure(duration: $0 % 4 < 2 ? 0.01 : 0.03, iso: 100) }
    let gains = FrameGains(walk.samples(), exposures: known)
    #expect(gains.prior.source == .none && gains.prior.isContradicted)
    #expect((errors(gains, walk).max() ?? 1) < 0.04)
  }

  @Test func `observations near white count for nothing`() {
    // Of an overexposed frame only what is dark enough tells how bright it is.
    var table = ObservationTable(vertexCount: 400, maximumObservations: 8)
    let frames = (0..<3).map { frame in
      var seen = VertexMeasurements()
      for vertex in 0..<400 {
        let light = Float(5000 + 150 * vertex) * (frame == 1 ? 1.5 : 1)
        let code = UInt16(min(light, 65_535))
        seen.append(
          vertex,
          FrameAnalysis.Measurement(
            color: SIMD4(code, code, code, 900), resolution: 1, confidence: 1))
      }
      return seen
    }
    table.add(frames, of: 3)
    let samples = GainSamples(table, nil)
    for sample in samples.samples where sample.luminance > log(0.86 * 65_535) {
      #expect(sample.weight == 0)
    }
    let gains = FrameGains(samples, exposures: [nil, nil, nil]).gains
    #expect(abs(gains[0].y / gains[1].y - 1.5) < 0.03)
  }

  @Test func `sessions in another light and white balance are levelled`() {
    var walk = Walk(frameCount: 60)
    walk.exposures = (0..<60).map { $0 < 30 ? 0 : 0.5 }
    let tint = SIMD3<Float>(0.12, -0.02, -0.1)
    walk.tints = (0..<60).map { $0 < 30 ? .zero : tint }
    let known = [Capture.Exposure?](
      repeating: Capture.Exposure(duration: 1.0 / 60, iso: 100), count: 60)
    // What the phone records of both sessions is the same: the light was not.
    let sessions = (0..<60).map { $0 < 30 ? 0 : 1 }
    let gains = FrameGains(walk.samples(), exposures: known, sessions: sessions).gains
    let difference = (0..<3).map { log(gains[5][$0] / gains[55][$0]) }
    for channel in 0..<3 { #expect(abs(difference[channel] - (0.5 + tint[channel])) < 0.03) }
  }

  @Test func `grazing views weigh less than frontal ones`() {
    let geometry = GainSamples.Geometry(
      positions: [Vector3(0, 0, 0)], normals: [Vector3(0, 0, 1)],
      cameras: [SIMD3(0, 0, 2), SIMD3(3, 0, 0.3)])
    var table = ObservationTable(vertexCount: 1, maximumObservations: 2)
    var seen = VertexMeasurements()
    seen.append(
      0, FrameAnalysis.Measurement(color: SIMD4(9000, 9000, 9000, 0), resolution: 1, confidence: 1))
    table.add([seen, seen], of: 2)
    let samples = GainSamples(table, geometry).samples
    #expect(abs(samples[0].weight - 1) < 1e-5 && samples[0].obliquity < 1e-5)
    #expect(samples[1].weight < 0.11 && samples[1].obliquity > 0.8)
  }

  @Test func `gains that rise steadily along the path are held back`() {
    // Exposures fall by 1.5 % a frame in steps that neighbours show clearly, which nobody recorded.
    var walk = Walk()
    walk.hasAngles = false
    walk.exposures = (0..<100).map { Float(50 - $0) * 0.015 + ($0 % 2 == 0 ? 0.08 : -0.08) }
    let gains = walk.gains(recorded: false)
    guard case .trend(let rise) = gains.check.firstFault else {
      Issue.record("no trend was found")
      return
    }
    #expect(rise < -0.3 && gains.stiffenings > 0 && gains.check.fault == nil)
    // The jumps from frame to frame are levelled all the same.
    let logs = logarithms(gains)
    for frame in 20..<79 { #expect(abs(logs[frame + 1] - logs[frame]) > 0.1) }
  }

  @Test func `the same gains come of any number of observations`() {
    // A wall photographed with ten times as many vertices is no better evidence of exposures.
    var walk = Walk()
    walk.frameCount = 30
    (walk.darkening, walk.hasAngles) = (0.02, false)
    let once = walk.samples()
    var often = GainSamples(frameCount: 30)
    for vertex in 0..<once.vertexCount {
      for _ in 0..<10 { often.append(once.samples[once.range(of: vertex)], normal: .zero) }
    }
    let unknown = [Capture.Exposure?](repeating: nil, count: 30)
    let few = logarithms(FrameGains(once, exposures: unknown))
    let many = logarithms(FrameGains(often, exposures: unknown))
    for (one, other) in zip(few, many) { #expect(abs(one - other) < 0.02) }
  }
}
