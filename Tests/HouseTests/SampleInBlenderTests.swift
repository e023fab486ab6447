import MeshTestSupport
import Testing

struct SampleInBlenderTests {
  @Test(.needs("bpy")) func `Blender shows the sample upright and at true scale`() throws {
    let view = try #require(try BlenderView.opening([Checkout.sample]).first)
    let scan = try Scan(at: Checkout.sample)
    #expect(view.faces == scan.faces.count && view.triangles)
    #expect(view.vertices == scan.positions.count)
    let box = scan.boxInBlender
    let corners = try #require(view.low) + #require(view.high)
    for (seen, scanned) in zip(corners, box.low + box.high) { #expect(abs(seen - scanned) < 1e-5) }
    #expect(abs(try #require(view.facing["+z"]?.place) - box.low[2]) < 0.1)
  }
}
