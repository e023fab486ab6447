import MeshPipeline
import MeshTestSupport
import Testing

@testable import Rendering

struct SplatRenderingTests {
  @Test func `splats are coloured points, and transparent ones hide nothing`() throws {
    // A wall of blue splats, before it one of red ones that are hardly there.
    var cloud = PointCloud()
    for row in 0..<30 {
      for column in 0..<30 {
        for depth in 0..<2 {
          cloud.positions.append(
            Vector3(Float(column) / 30, Float(row) / 30, Float(depth) / 2))
        }
      }
    }
    let red = cloud.positions.map { $0.z > 0 }
    let constant = Float(SphericalHarmonics.constant)
    cloud.attributes = [
      CustomAttribute(
        "f_dc", width: 3,
        values: .float32(
          red.flatMap { ($0 ? [0.5, -0.5, -0.5] : [-0.5, -0.5, 0.5]) as [Float] }
            .map { $0 / constant })),
      CustomAttribute("opacity", values: .float32(red.map { $0 ? -4 : 4 })),
      CustomAttribute(
        "scale", width: 3, values: .float32([Float](repeating: -4, count: 3 * red.count))),
      CustomAttribute(
        "rot", width: 4, values: .float32(red.flatMap { _ in [1, 0, 0, 0] as [Float] })),
    ]
    let renderer = try SceneRenderer(
      Scene(pointClouds: [cloud]), style: RenderStyle(shading: .unlit))
    let view = camera(at: SIMD3(0.5, 0.5, 3), size: SIMD2(16, 16), focalLength: 32)
    let picture = try renderer.picture(from: view).image
    let middle = picture.color(8, 8)
    #expect(middle.x < 10 && middle.y < 10 && middle.z > 245, "\(middle)")
    #expect(renderer.box.size.z == 0)
  }
}
