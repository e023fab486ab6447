import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

struct FlatNormalMapTests {
  @Test func `a mesh that lost nothing gets no normal map`() throws {
    let waves = MeshFixtures.sheet(40) { x, z in 0.02 * sin(9 * x) * cos(9 * z) }
    let heavy = Scene(meshes: [waves])
    let context = StageContext()
    let result = try BakeMaps.baked(heavy, from: heavy, context)
    #expect(result.textures.map(\.fileName) == ["occlusion.png"])
    #expect(result.materials.map(\.normalTexture) == [nil])
    #expect(result.meshes[0].tangents == nil && result.meshes[0].normals != nil)
    #expect(context.notes.first { $0.key == "flatNormals" }?.value == true)
    // A dent of a degree, somewhere.
    var dented = heavy
    dented.meshes[0].positions[820].y += 0.0005
    let dent = try BakeMaps.baked(dented, from: heavy) { $0.maps = [.normal] }
    #expect(dent.textures.map(\.fileName) == ["normal.png"])
    #expect(dent.meshes[0].tangents != nil)
  }
}
