import MeshPipeline
import MeshTestSupport
import Testing

struct SphericalHarmonicsTests {
  @Test func `values are those of the definition`() {
    for direction in SplatFixtures.directions {
      #expect(
        abs(SplatFixtures.harmonic(0, 0, direction) - SphericalHarmonics.constant) < 1e-14)
      for (index, values) in SphericalHarmonics.values(in: direction).enumerated() {
        let degree = index + 1
        #expect(values.count == 2 * degree + 1)
        for order in -degree...degree {
          let expected = SplatFixtures.harmonic(degree, order, direction)
          #expect(abs(values[order + degree] - expected) < 1e-12, "\(degree), \(order)")
        }
      }
    }
  }

  @Test func `a mirror changes signs alone, and no rotation nothing`() {
    let images = SphericalHarmonics.images(under: Transform(scale: SIMD3(1, 1, -1)))
    var place = 0
    for degree in 1...3 {
      for order in -degree...degree {
        var expected = SIMD8<Float>.zero
        expected[order + degree] = (degree + order).isMultiple(of: 2) ? 1 : -1
        #expect(images[place] == expected)
        place += 1
      }
    }
    let own = SphericalHarmonics.images(under: .identity)
    #expect(own.allSatisfy { $0.sum() == 1 && ($0 * $0).sum() == 1 })
  }
}
