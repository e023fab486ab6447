import MeshPipeline
import MeshTestSupport
import Testing

@testable import Photogrammetry

/// How frames that disagree are mixed, and what keeps the mix sharp.
struct FrameMixingTests {
  private static func picture(
    _ width: Int, _ height: Int, _ value: (Int, Int) -> Int
  ) -> LinearImage {
    let pixels = (0..<width * height).map { pixel in
      SIMD4<UInt16>(repeating: UInt16(value(pixel % width, pixel / width)))
    }
    return LinearImage(width: width, height: height, pixels: pixels)
  }

  @Test func `codes are rounded and held`() {
    for value in stride(from: Float(-2.25), through: 65_540, by: 13.37) {
      let code = clampedToCode(SIMD4(value, value + 0.25, value + 0.75, 65_535 - value))
      for (place, wanted) in [value, value + 0.25, value + 0.75, 65_535 - value].enumerated() {
        #expect(Float(code[place]) == min(max(wanted.rounded(.toNearestOrEven), 0), 65_535))
      }
    }
    #expect(clampedToCode(SIMD4(.nan, .infinity, -.infinity, 1e20)) == SIMD4(0, 65_535, 0, 65_535))
  }

  @Test func `the cubic filter follows a parabola, and holds at borders`() {
    let image = Self.picture(24, 20) { 1000 + 30 * $0 + 50 * $1 + 3 * $0 * $0 + 2 * $0 * $1 }
    for step in 0..<200 {
      let x = 2 + 19 * Float((step * 37) % 200) / 200
      let y = 2 + 15 * Float((step * 61) % 200) / 200
      let found = image.bicubic(SIMD2(x + 0.5, y + 0.5))
      let wanted = 1000 + 30 * x + 50 * y + 3 * x * x + 2 * x * y
      #expect(abs(found.x - wanted) < 0.02 && found.x == found.w)
    }
    let even = Self.picture(9, 7) { _, _ in 4321 }
    for place in [SIMD2<Float>(0, 0), SIMD2(9, 7), SIMD2(1.2, 6.4), SIMD2(-1, 3), SIMD2(7.5, 3.5)] {
      #expect(abs(even.bicubic(place).y - 4321) < 0.01)
    }
  }

  @Test func `detail is what is finer than four pixels`() {
    func detail(_ image: LinearImage, _ x: Int, _ y: Int) -> Float {
      2 * (Float(image.pixels[y * image.width + x].w) - LinearImage.noDetail)
    }
    let ramp = Self.picture(40, 32) { 2000 + 200 * $0 + 300 * $1 }.withDetail()
    let board = Self.picture(40, 32) { 20_000 + (($0 + $1) % 2 == 0 ? 1000 : -1000) }.withDetail()
    for y in 2..<30 {
      for x in 2..<38 {
        #expect(abs(detail(ramp, x, y)) <= 2)
        #expect(abs(detail(board, x, y) - ((x + y) % 2 == 0 ? 1000 : -1000)) <= 2)
      }
    }
    // What is not a multiple of four wide or high is all there.
    let odd = Self.picture(7, 5) { _, _ in 9000 }.withDetail()
    #expect(odd.pixels.allSatisfy { $0 == SIMD4(9000, 9000, 9000, 32_768) })
  }

  /// What the frames of a room show of it, with errors of their poses, and how many see each vertex.
  private func selection(poseNoise: Double) throws -> (ViewSelection, counts: [Int]) {
    let capture = try SyntheticCapture.small {
      $0.frameCount = 8
      $0.poseNoise = (poseNoise, poseNoise / 2)
    }
    let surface = try ObservedSurface(capture.scene)
    let observations = try FrameObservations(
      BakeMesh(surface, edgeLimit: 0.1), on: surface, frames: capture.frames,
      options: BakeOptions.ofTests
    ) { _ in }
    let counts = (0..<observations.table.vertexCount).map {
      observations.table.range(of: $0).count
    }
    return (ViewSelection(observations, density: 40), counts)
  }

  @Test func `frames that disagree are doubted, mixed and sharpened`() throws {
    func means(poseNoise: Double) throws -> (doubt: Float, views: Float, boost: Float) {
      let (selection, counts) = try selection(poseNoise: poseNoise)
      let doubts = selection.calibration.consensus.disagreements()
      let boosts = DetailCompensation.boosts(selection.selected, doubts, strength: 1)
      var (doubt, views, boost, count) = (Float(0), Float(0), Float(0), Float(0))
      for vertex in doubts.indices where counts[vertex] > 2 {
        let weights = selection.selected.range(of: vertex).map {
          selection.selected.contributions[$0].weight
        }
        #expect(abs(weights.reduce(0, +) - 1) < 1e-4)
        let squares = weights.reduce(0) { $0 + $1 * $1 }
        #expect(boosts[vertex] >= 0 && boosts[vertex] <= doubts[vertex] * (1 - squares) + 1e-5)
        doubt += doubts[vertex]
        views += 1 / squares
        boost += boosts[vertex]
        count += 1
      }
      return (doubt / count, views / count, boost / count)
    }
    let exact = try means(poseNoise: 0)
    let noisy = try means(poseNoise: 0.04)
    #expect(noisy.doubt > exact.doubt + 0.1)
    #expect(noisy.views > 1.2 * exact.views)
    #expect(noisy.boost > exact.boost)
  }
}
