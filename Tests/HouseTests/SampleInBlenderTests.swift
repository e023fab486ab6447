import MeshTestSupport
import Testing

struct SampleInBlenderTests {
  @Test(.needs("bpy")) func `Blender shows the sample upright and at true scale`() throws {
    let view = try #require(try BlenderView.opening([Checkout.sample]).first)
    let scan = try Scan(at: Checkout.sample)
    #expect(view.faces == scan.faces.count && view.triangles)
    #expect(view.vertices == scan.positions.count)
    // Y up to Z up: x, -z, y.
    let low = scan.positions.reduce(SIMD3(repeating: .infinity)) { pointwiseMin($0, $1) }
    let high = scan.positions.reduce(SIMD3(repeating: -.infinity)) { pointwiseMax($0, $1) }
    for (seen, expected) in zip(
      try #require(view.low) + #require(view.high), [low.x, -high.z, low.y, high.x, -low.z, high.y])
    {
      #expect(abs(seen - expected) < 1e-5)
    }
    #expect(abs(try #require(view.facing["+z"]?.place) - low.y) < 0.1)
  }
}
