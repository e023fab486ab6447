import MeshpipeScene
import SurfaceKernels
import Testing

struct FlatMapTests {
  /// Of 16,384 texels one may turn a normal, as some beside edges do.
  @Test(arguments: [(0, UInt8(200), true), (1, 200, true), (2, 200, false), (16_384, 129, true)])
  func `a map is flat if hardly a texel turns a normal`(
    turning: Int, code: UInt8, isFlat: Bool
  ) {
    var pixels = [UInt8](repeating: 128, count: 3 * 128 * 128)
    for texel in 0..<128 * 128 {
      pixels[3 * texel + 2] = 255
      if texel < turning { pixels[3 * texel + 1] = code }
    }
    #expect(MapPage.isFlat(Image(width: 128, height: 128, pixels: pixels)) == isFlat)
  }
}
