import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Photogrammetry
@testable import SurfaceKernels

/// Pictures that are decoded at a part of their size, since texels are wider than their pixels.
struct FrameReductionTests {
  /// A camera at the origin looks along −Z.
  private static func frame(_ path: String = "0.png") -> Capture.Frame {
    Capture.Frame(
      name: "0", image: .file(path), imageSize: SIMD2(320, 240),
      intrinsics: .init(focalLength: SIMD2(250, 250), principalPoint: SIMD2(160, 120)),
      pose: .identity)
  }

  @Test func `a texel is as wide as it is seen in the direction of the fewest pixels`() throws {
    // A triangle whose sides are ten texels long and 1 m, turned on the page, 4 m away.
    let triangle = try #require(
      TexelTriangle(SIMD2(0, 0), SIMD2(6, 8), SIMD2(-8, 6), fractionBits: 0))
    for angle in [Float(0), 0.4, 1.1] {
      let origin = SIMD3<Float>(0, 0, -4)
      let along = SIMD3(cos(angle), 0, sin(angle))
      // Its centre is what stands there.
      let middle = (along + SIMD3(0, 1, 0)) / 3
      let footprint = TexelFootprint(
        of: (origin - middle, origin + along - middle, origin + SIMD3(0, 1, 0) - middle), triangle,
        in: Camera(Self.frame()))
      // 250 pixels to 4 m at this distance.
      let wanted = 250 / 4 * 0.1 * cos(angle)
      #expect(abs(footprint.leastWidth / wanted - 1) < 0.02)
    }
  }

  @Test(
    arguments: [
      (1, 1), (2.9, 1), (3.1, 2), (5.9, 2), (6.1, 4), (11.9, 4), (12.1, 8), (900, 8),
    ] as [(Float, Int)])
  func `what is left has three pixels to two texels`(width: Float, factor: Int) {
    var reduction = FrameReduction()
    reduction.add(width, weight: 1000)
    #expect(reduction.factor(for: SIMD2(1920, 1440)) == factor)
    // Some may be seen from the side; and what is no number tells nothing.
    reduction.add(0.1, weight: 40)
    reduction.add(.nan, weight: 1000)
    #expect(reduction.factor(for: SIMD2(1920, 1440)) == factor)
    reduction.add(0.1, weight: 20)
    #expect(reduction.factor(for: SIMD2(1920, 1440)) == 1)
  }

  @Test func `no pixels are left over`() {
    var reduction = FrameReduction()
    reduction.add(100, weight: 1)
    #expect(reduction.factor(for: SIMD2(1920, 1081)) == 1)
    #expect(reduction.factor(for: SIMD2(1920, 1082)) == 2)
    #expect(reduction.factor(for: SIMD2(1924, 1080)) == 4)
    #expect(FrameReduction().factor(for: SIMD2(64, 64)) == 8)
  }

  @Test func `a reduced picture has the detail that the whole one has at its size`() {
    var random = SeededGenerator(seed: 3)
    let image = LinearImage(
      width: 48, height: 40,
      pixels: (0..<48 * 40).map { _ in SIMD4(repeating: UInt16(random.next() % 60_000)) })
    let whole = image.withDetail().halved()
    let half = image.halved().withDetail(reducedBy: 2)
    // The coarse picture is a plane over each pixel of the half: only rounding differs.
    for (first, second) in zip(whole.pixels, half.pixels) {
      #expect(abs(Int(first.w) - Int(second.w)) <= 3)
    }
    let quarter = image.halved().halved().withDetail(reducedBy: 4)
    #expect(quarter.pixels.allSatisfy { Float($0.w) == LinearImage.noDetail })
  }

  @Test func `texels are the mean of what is photographed, from a quarter of the picture`() throws {
    // A plate 4 m away, a wave of 1.5 m on it: 94 pixels, 15 texels.
    let folder = try TemporaryFolder()
    let frame = Self.frame("\(folder.path)/0.png")
    func light(_ x: Float) -> Float { 0.5 + 0.3 * sin(2 * .pi * x / 1.5) }
    let codes = SRGBTable.shared.codes
    var pixels: [UInt8] = []
    for pixel in 0..<320 * 240 {
      let x = (Float(pixel % 320) + 0.5 - 160) / 250 * 4
      pixels += [UInt8](repeating: codes[Int(light(x) * LinearImage.one)], count: 3)
    }
    try folder.write("0.png", try PNG.encode(Image(width: 320, height: 240, pixels: pixels)))
    let corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)].map {
      Vector3(Float($0.0) * 1.6, Float($0.1) * 1.2, -4)
    }
    let surface = try ObservedSurface(positions: corners, indices: [0, 1, 2, 0, 2, 3])
    let bakeMesh = BakeMesh(surface, edgeLimit: 0.5)
    let selection = try ViewSelection(
      FrameObservations(
        bakeMesh, on: surface, frames: [frame],
        options: BakeOptions(
          meshError: 0.02, usesDepth: true, equalizesExposure: true, imageMemory: 256 << 20)
      ) { _ in },
      density: 10
    )
    let atlas = try AtlasBuilder.unwrapped(
      positions: surface.positions, indices: surface.indices,
      options: AtlasOptions(texelsPerUnit: 10, pageSize: 64, maximumPages: 1, padding: 4))
    let raster = TriangleRaster(atlas, bakeMesh)
    let reduction = TextureAccumulator(raster, selection).reduction(of: 0, from: Camera(frame))
    #expect(reduction == 4)
    let composition = try TextureComposition(selection, raster) { _ in }
    var count = 0
    for triangle in 0..<bakeMesh.triangleCount {
      let (a, b, c) = bakeMesh.vertices(ofTriangle: triangle)
      raster.texelTriangle(of: triangle)?.forEachSpan { span in
        for column in span.columns {
          let weights = span.weights(atColumn: column)
          let x =
            bakeMesh.positions[a].x * weights.x + bakeMesh.positions[b].x * weights.y
            + bakeMesh.positions[c].x * weights.z
          // At an outline colours come from pixels inside it.
          guard abs(x) < 1.5 else { continue }
          let pixel =
            raster.firstPixel(of: span, ofTriangle: triangle) + 3
            * (column - span.columns.lowerBound)
          // The mean over a texel takes up to (π · 0.1 · √2 / 1.5)² / 6 of the wave, 1.2 codes; as
          // much again come from rounding to codes twice.
          let wanted = Float(codes[Int(light(x) * LinearImage.one)])
          #expect(abs(Float(composition.pixels[pixel]) - wanted) <= 3)
          count += 1
        }
      }
    }
    #expect(count > 600)
  }
}
