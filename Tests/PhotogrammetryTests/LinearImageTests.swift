import Testing

@testable import Photogrammetry

struct LinearImageTests {
  @Test func `a place is split into whole pixels and the rest`() {
    for value: Float in [-3, -2.75, -0.5, -1e-7, 0, 0.25, 1, 1.999_999, 2, 1023.5, 8191.75] {
      let (x, y, part) = LinearImage.split(SIMD2(value, 7.25))
      #expect(abs(Float(x) + part.x - value) < 1e-6)
      #expect((0...1).contains(part.x))
      #expect(y == 7 && part.y == 0.25)
    }
    // No trap, whatever comes.
    _ = LinearImage.split(SIMD2(.nan, .infinity))
  }

  /// Catmull and Rom's spline reproduces parabolas.
  @Test func `a parabola is sampled exactly between its pixels, bilinearly a line`() {
    let (width, height) = (16, 12)
    func parabola(_ x: Float, _ y: Float) -> Float { 100 + 30 * x * x + 50 * y * y + 20 * x * y }
    func line(_ x: Float, _ y: Float) -> Float { 100 + 600 * x + 900 * y }
    let image = LinearImage(
      width: width, height: height,
      pixels: (0..<width * height).map { place in
        let (x, y) = (Float(place % width), Float(place / width))
        return SIMD4(UInt16(parabola(x, y)), UInt16(line(x, y)), 7, 0)
      })
    for (x, y) in [(5, 5), (1.25, 9.5), (12.875, 1), (7.5, 6.125)] as [(Float, Float)] {
      let place = SIMD2(x + 0.5, y + 0.5)
      #expect(abs(image.bicubic(place).x - parabola(x, y)) < 0.01)
      #expect(abs(image.bicubic(place).y - line(x, y)) < 0.01)
      #expect(abs(image.bilinear(place).y - line(x, y)) < 0.01)
    }
    // Beyond the border the last pixels go on, by either way.
    #expect(image.bicubic(SIMD2(-2, -2)) == SIMD4(100, 100, 7, 0))
    #expect(image.bilinear(SIMD2(99, 99)).y == line(15, 11))
  }
}
