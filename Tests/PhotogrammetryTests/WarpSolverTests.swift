import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Photogrammetry

struct WarpSolverTests {
  private static let size = SIMD2<Float>(960, 720)

  /// Up to two pixels, over a wave of the picture's size.
  private static func bent(_ pixel: SIMD2<Float>, of size: SIMD2<Float> = size) -> SIMD2<Float> {
    let place = pixel / size
    return SIMD2(2 * sin(2 * .pi * place.x), 1.5 * cos(.pi * (place.x + place.y))) * (size.x / 960)
  }

  /// Spots of a plane that slide on it, as eight frames see them; the third is bent.
  private static func solver(bend: Float) -> WarpSolver {
    var generator = SeededGenerator(seed: 7)
    func random(_ range: ClosedRange<Float>) -> Float { .random(in: range, using: &generator) }
    var starts = [0]
    var observations: [WarpSolver.Observation] = []
    for _ in 0..<1500 {
      let place = SIMD2(random(0...1), random(0...1)) * size
      let slide = SIMD2(random(-1...1), random(-1...1))
      for frame in 0..<8 {
        let turn = Float(frame) * 0.2
        let derivatives = (SIMD2(cos(turn), sin(turn)), SIMD2(-sin(turn), cos(turn)))
        let predicted = place + SIMD2(Float(frame), 0)
        var observed = predicted + derivatives.0 * slide.x + derivatives.1 * slide.y
        if frame == 2 { observed += bent(predicted) * bend }
        observations.append(
          .init(frame: frame, predicted: predicted, derivatives: derivatives, observed: observed))
      }
      starts.append(observations.count)
    }
    return WarpSolver(
      sizes: Array(repeating: size, count: 8), starts: starts, observations: observations)
  }

  @Test func `a bent picture is straightened, also where spots took no part`() {
    let solver = Self.solver(bend: 1)
    let none = [ImageWarp?](repeating: nil, count: 8)
    func worst(_ warps: [ImageWarp?]) -> Float {
      let misses = solver.residuals(warps)
      return stride(from: 2, to: misses.count, by: 8).map { misses[$0] }.sorted()[1425]
    }
    #expect(worst(none) > 1.5)
    #expect(worst(solver.warps { $0 % 5 != 0 }) < 0.3)
  }

  @Test func `what agrees is left alone`() {
    for warp in Self.solver(bend: 0).warps(where: { _ in true }) {
      for shift in warp?.shifts ?? [] { #expect((shift * shift).sum().squareRoot() < 0.02 / 960) }
    }
  }

  @Test func `shifts are limited`() {
    let solver = Self.solver(bend: 20)
    for warp in solver.warps(where: { _ in true }) {
      for shift in warp?.shifts ?? [] {
        #expect((shift * shift).sum().squareRoot() <= 4.0001 / 960)
      }
    }
  }

  @Test func `a banded system is solved`() {
    var matrix = BandedMatrix(count: 6, width: 2)
    for node in 0..<6 { matrix.add(3, node, node) }
    for node in 2..<6 { matrix.tie(node, node - 2, 1) }
    let solution: [Double] = [1, -2, 3, 0, 5, 8]
    var values = solution.indices.map { node in
      3 * solution[node]
        + [node - 2, node + 2].filter { solution.indices.contains($0) }.reduce(0) {
          $0 + solution[node] - solution[$1]
        }
    }
    matrix.factor()
    matrix.solve(&values)
    for (found, expected) in zip(values, solution) { #expect(abs(found - expected) < 1e-9) }
  }
}

/// Pictures of a plane with a texture of grains, of which one may be bent.
struct PictureWarpTests {
  private static let size = SIMD2(480, 360)

  private static func frame(_ index: Int) -> Capture.Frame {
    Capture.Frame(
      name: "\(index)", image: .file("none"), imageSize: size,
      intrinsics: Capture.Intrinsics(
        focalLength: SIMD2(400, 400), principalPoint: SIMD2(240, 180)),
      pose: SyntheticCapture.pose(
        at: SIMD3(0.15 * Double(index) - 0.2, 0.05, 1), lookingAt: SIMD3(0.05, 0, 0)))
  }

  /// A smooth texture on the plane z = 0 whose like is nowhere else.
  private static func code(at point: SIMD3<Float>) -> UInt8 {
    var value: Float = 128
    for wave in 1...12 {
      let number = Float(wave)
      let direction = SIMD2(cos(number * 2.4), sin(number * 2.4))
      let place = direction.x * point.x + direction.y * point.y
      value += 14 * sin(place * (40 + 13 * number) + number * number)
    }
    return UInt8(min(max(value, 0), 255))
  }

  /// - Parameter bend: Moves what the second frame shows.
  private static func warps(bend: @Sendable (SIMD2<Float>) -> SIMD2<Float>) throws -> [ImageWarp?] {
    let corners = [Vector3(-2, -2, 0), Vector3(2, -2, 0), Vector3(2, 2, 0), Vector3(-2, 2, 0)]
    let surface = try ObservedSurface(positions: corners, indices: [0, 1, 2, 0, 2, 3])
    let sources = (0..<4).map { index in
      let frame = frame(index)
      let camera = Camera(frame)
      let codes = (0..<size.x * size.y).map { pixel in
        var place = SIMD2(Float(pixel % size.x), Float(pixel / size.x)) + 0.5
        if index == 1 { place -= bend(place) }
        let ray = camera.ray(through: place)
        return code(at: camera.position - ray * (camera.position.z / ray.z))
      }
      return PoseRefiner.Source(
        frame: frame, grayscale: GrayscaleImage(width: size.x, height: size.y, codes: codes),
        mask: ReliabilityMask(frame, width: 160, of: surface, depth: nil))
    }
    let settings = PoseRefiner.Settings(
      expectedShift: 0.01, expectedTurn: 0.003, greatestShift: 0.05, greatestTurn: 0.03,
      findsWarps: true)
    var pictures = BandPassImages(of: sources)
    return PoseRefiner(surface: surface, settings: settings)
      .warps(
        of: sources, pictures.ofWidth(960), at: sources.map(\.frame.pose),
        PatchTracks.Search(columns: 16, partners: 3, reach: 4, findsEdges: true))
  }

  @Test func `a bent picture is registered to the others, and exact ones stay`() throws {
    let size = SIMD2<Float>(Self.size)
    let warps = try Self.warps { pixel in
      let place = pixel / size
      return SIMD2(1.6 * sin(.pi * place.x), 1.2 * cos(.pi * place.y))
    }
    let warp = try #require(warps[1])
    var misses: [Float] = []
    for y in stride(from: Float(0.15), through: 0.85, by: 0.1) {
      for x in stride(from: Float(0.15), through: 0.85, by: 0.1) {
        let truth = SIMD2(1.6 * sin(.pi * x), 1.2 * cos(.pi * y))
        // What others give way is as good.
        let others = warps[0]?.shift(at: SIMD2(x, y)) ?? .zero
        let miss = (warp.shift(at: SIMD2(x, y)) - others) * size.x - truth
        misses.append((miss * miss).sum().squareRoot())
      }
    }
    misses.sort()
    #expect(misses[misses.count / 2] < 0.15, "\(misses)")
    #expect(misses[misses.count * 9 / 10] < 0.3, "\(misses)")
  }

  @Test func `frames that agree get no warp`() throws {
    #expect(try Self.warps { _ in .zero }.allSatisfy { $0 == nil })
  }
}
