import MeshPipeline
import MeshTestSupport
import Testing

@testable import Stages

/// A room of known colours, photographed and painted on its vertices.
struct BakeColorsTests {
  @Test func `vertices and points get the colours of the room`() throws {
    let capture = try SyntheticCapture.small { $0.cell = 0.3 }
    var scene = capture.scene
    scene.pointClouds = [PointCloud(name: "points", positions: scene.meshes[0].positions)]
    let baked = try BakeColors(BakeColors.Parameters()).run(scene, in: StageContext())
    let colors = try #require(baked.meshes[0].colors)
    #expect(baked.pointClouds[0].colors?.count == colors.count)
    var errors: [Float] = []
    for (position, color) in zip(baked.meshes[0].positions, colors)
    where position.y > 0 && position.y < 1.1 {
      errors.append(abs(Float(color.green) - capture.code(at: position.simd).y))
    }
    errors.sort()
    #expect(errors[errors.count / 2] < 8)
  }

  @Test(arguments: [true, false])
  func `colours over a texture are told of`(isTextured: Bool) throws {
    let capture = try SyntheticCapture.small { $0.cell = 0.6 }
    var scene = capture.scene
    scene.materials = [Material(name: "plain"), Material(name: "painted")]
    scene.materials[1].baseColorTexture = 0
    scene.meshes[0].faceMaterials = Array(
      repeating: isTextured ? 1 : 0, count: scene.meshes[0].faceCount)
    scene.meshes[0].textureCoordinates = Array(
      repeating: Vector2(0, 0), count: scene.meshes[0].indices.count)
    let context = StageContext()
    _ = try BakeColors(BakeColors.Parameters()).run(scene, in: context)
    #expect(context.warnings.contains { $0.contains("put 'bake-colors' before") } == isTextured)
    withExtendedLifetime(capture) {}
  }
}
