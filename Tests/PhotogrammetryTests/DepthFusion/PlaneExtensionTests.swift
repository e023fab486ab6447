import Testing

@testable import Photogrammetry

/// Planes go on over pixels whose depth is not believed, and end where there is nothing.
struct PlaneExtensionTests {
  private static let size = SIMD2(40, 30)

  /// Planes that face the camera, at a distance for each pixel; nil for none.
  private static func extended(
    _ distance: (_ x: Int, _ y: Int) -> Float?, depth: (_ x: Int, _ y: Int) -> Float
  ) -> [Float?] {
    let pixels = (0..<size.x * size.y).map { SIMD2($0 % size.x, $0 / size.x) }
    var planes = pixels.map { pixel in
      distance(pixel.x, pixel.y).map { SIMD4<Float>(0, 0, 1, $0) } ?? .zero
    }
    var weights: [Float] = planes.map { $0.w > 0 ? 1 : 0 }
    PlaneExtension(
      size: size, focalLength: SIMD2(40, 40), principalPoint: SIMD2(20, 15),
      edge: DepthNoise.sensor.edge
    )
    .extend(&planes, &weights) { depth(pixels[$0].x, pixels[$0].y) }
    return planes.indices.map { weights[$0] > 0 ? planes[$0].w : nil }
  }

  @Test func `mixed pixels at an edge continue the nearer side`() {
    // Two surfaces with two unsure columns between, whose depths go from one to the other.
    let result = Self.extended(
      { x, _ in x < 19 ? 1 : x > 20 ? 2 : nil }, depth: { x, _ in x < 20 ? 1.2 : 1.7 })
    for index in result.indices {
      #expect(result[index].map { abs($0 - (index % 40 < 20 ? 1 : 2)) < 1e-5 } == true)
    }
  }

  @Test func `surfaces end where nothing was measured beside them`() {
    let isKnown = { (x: Int, y: Int) in 10..<30 ~= x && 8..<22 ~= y }
    let result = Self.extended(
      { isKnown($0, $1) ? 2 : nil }, depth: { isKnown($0, $1) ? 2 : 0 })
    for index in result.indices {
      #expect((result[index] != nil) == isKnown(index % 40, index / 40))
    }
  }

  @Test func `an unsure surface behind does not widen the one before it`() {
    let result = Self.extended({ x, _ in x < 20 ? 1 : nil }, depth: { x, _ in x < 20 ? 1 : 3 })
    for index in result.indices { #expect((result[index] != nil) == (index % 40 < 20)) }
  }

  @Test func `glass is whole where some pixels show it`() {
    // Each fifth pixel, scattered, shows the pane; others show what is behind it, or nothing.
    let shows = { (x: Int, y: Int) in (7 * x + 11 * y + x * y) % 5 == 0 }
    let result = Self.extended(
      { shows($0, $1) ? 2.5 : nil },
      depth: { shows($0, $1) ? 2.5 : ($0 + $1) % 2 == 0 ? 4 : 0 })
    let found = result.compactMap(\.self)
    #expect(found.count > 1000)
    #expect(found.allSatisfy { abs($0 - 2.5) < 1e-5 })
  }
}
