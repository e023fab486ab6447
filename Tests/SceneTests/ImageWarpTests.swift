import MeshPipeline
import Testing

struct ImageWarpTests {
  private static func camera(_ warp: ImageWarp?) -> Camera {
    var frame = Capture.Frame(
      name: "a", image: .file("a.jpg"), imageSize: SIMD2(640, 480),
      intrinsics: Capture.Intrinsics(
        focalLength: SIMD2(500, 510), principalPoint: SIMD2(322, 238)), pose: .identity)
    frame.warp = warp
    return Camera(frame)
  }

  /// Shifts of up to three pixels in 640.
  private static func warp() -> ImageWarp? {
    ImageWarp(
      columns: 5, rows: 4,
      shifts: (0..<20).map { SIMD2(Float($0 % 5) - 2, Float($0 / 5) - 1) * (1.5 / 640) })
  }

  @Test func `nodes have their shifts, and what lies between them the mean`() throws {
    let shifts = [SIMD2<Float>(0, 0), SIMD2(4, 0), SIMD2(0, 8), SIMD2(4, 8)]
    let warp = try #require(ImageWarp(columns: 2, rows: 2, shifts: shifts))
    for (place, expected) in [
      (SIMD2<Float>(0, 0), shifts[0]), (SIMD2(1, 0), shifts[1]), (SIMD2(0, 1), shifts[2]),
      (SIMD2(1, 1), shifts[3]), (SIMD2(0.5, 0.25), SIMD2(2, 2)), (SIMD2(-3, 9), shifts[2]),
      (SIMD2(.nan, 0), shifts[0]),
    ] { #expect(warp.shift(at: place) == expected) }
  }

  @Test func `a grid needs two nodes a side and a shift for each`() {
    #expect(ImageWarp(columns: 1, rows: 2, shifts: [.zero, .zero]) == nil)
    #expect(ImageWarp(columns: 2, rows: 2, shifts: [.zero]) == nil)
  }

  @Test func `a camera projects through its warp, and rays go back through it`() throws {
    let warp = try #require(Self.warp())
    let (plain, warped) = (Self.camera(nil), Self.camera(warp))
    var greatest: Float = 0
    for x in stride(from: Float(-0.6), through: 0.6, by: 0.1) {
      for y in stride(from: Float(-0.4), through: 0.4, by: 0.1) {
        let point = SIMD3<Float>(2 * x, 2 * y, -2)
        let straight = try #require(plain.project(point))
        let pixel = try #require(warped.project(point))
        let place = SIMD2(straight.x, straight.y) / plain.size
        let shift = warp.shift(at: place) * 640
        #expect(abs(pixel.x - straight.x - shift.x) < 1e-3)
        #expect(abs(pixel.y - straight.y - shift.y) < 1e-3)
        greatest = max(greatest, abs(shift.x))
        let back = warped.position + warped.ray(through: SIMD2(pixel.x, pixel.y)) * pixel.z
        #expect((back - point).length < 1e-4)
        let local = warped.warpedLocal(point)
        let flat = SIMD2(local.x, local.y) / local.z * warped.focalLength + warped.principalPoint
        #expect(abs(flat.x - pixel.x) < 1e-2 && abs(flat.y - pixel.y) < 1e-2)
      }
    }
    #expect(greatest > 2.5)
  }
}
