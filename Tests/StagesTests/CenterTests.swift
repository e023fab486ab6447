import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct CenterTests {
  @Test func `bottom puts the lowest side on the ground`() throws {
    var parameters = Center.Parameters()
    parameters.at = .bottom
    let scene = try Center(parameters).run(Scene(meshes: [MeshFixtures.cube]), in: StageContext())
    #expect(scene.bounds.minimum == SIMD3(-0.5, 0, -0.5))
  }
}
