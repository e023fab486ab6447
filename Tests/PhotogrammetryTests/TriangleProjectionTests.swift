import MeshPipeline
import Testing

@testable import Photogrammetry
@testable import SurfaceKernels

/// Triangles that are painted with what a distorted lens shows of them.
struct TriangleProjectionTests {
  /// A camera at the origin that looks along −Z through a barrel lens, stronger than a phone's.
  private static let camera = Camera(
    Capture.Frame(
      name: "0", image: .file("0.png"), imageSize: SIMD2(640, 480),
      intrinsics: .init(focalLength: SIMD2(500, 500), principalPoint: SIMD2(320, 240)),
      distortion: .radialTangential(
        numerator: SIMD3(-0.2, 0.05, 0), denominator: .zero, tangential: .zero), pose: .identity))

  /// A picture whose red and green are a hundred times the column and the row.
  private static let view = BakedFrame(
    camera: camera,
    image: LinearImage(
      width: 640, height: 480,
      pixels: (0..<640 * 480).map { pixel -> SIMD4<UInt16> in
        let (row, column) = pixel.quotientAndRemainder(dividingBy: 640)
        return SIMD4(UInt16(100 * column), UInt16(100 * row), 0, 0)
      }),
    scale: .meters, tolerance: 10)

  /// Small ones are painted in perspective between their corners, large ones by the lens, texel by texel; the largest is
  /// around the axis, where the bent sides leave the centre in place.
  @Test(arguments: [
    (SIMD2<Float>(-0.5, -0.4), Float(0.02)), (SIMD2(0.4, 0.3), 0.1), (SIMD2(0.3, -0.4), 0.15),
    (SIMD2(-0.3, -0.3), 0.9),
  ])
  func `each texel shows what the lens has there`(corner: SIMD2<Float>, side: Float) throws {
    let (a, b, c) = (
      SIMD3(corner.x, corner.y, -1), SIMD3(corner.x + side, corner.y, -1.1),
      SIMD3(corner.x, corner.y + side, -1)
    )
    let texels = Int((side * 600).rounded(.up))
    let texelTriangle = try #require(
      TexelTriangle(SIMD2(0, 0), SIMD2(texels, 0), SIMD2(0, texels), fractionBits: 0))
    let projection = TriangleProjection(
      of: (a, b, c), texelTriangle, in: Self.view, outlines: 0)
    for weights in [SIMD3<Float>(0.6, 0.2, 0.2), SIMD3(0, 0.5, 0.5), SIMD3(0.4, 0.6, 0)] {
      func mean(_ a: SIMD3<Float>, _ b: SIMD3<Float>, _ c: SIMD3<Float>) -> SIMD3<Float> {
        a * weights.x + b * weights.y + c * weights.z
      }
      let pixel = try #require(Self.camera.project(mean(a, b, c)))
      let color = try #require(
        projection.color(at: mean(projection.a, projection.b, projection.c), boost: 0))
      // The centre of the first pixel is at a half.
      let shown = SIMD2(color.x, color.y) / 100 + 0.5
      #expect(abs(shown.x - pixel.x) < 0.15 && abs(shown.y - pixel.y) < 0.15, "\(shown) \(pixel)")
    }
  }
}
