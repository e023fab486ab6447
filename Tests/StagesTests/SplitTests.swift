import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct SplitTests {
  private func split(_ scene: Scene, by property: Split.Property) throws -> Scene {
    var parameters = Split.Parameters()
    parameters.by = property
    return try Split(parameters).run(scene, in: StageContext())
  }

  @Test func `each class becomes a mesh under its name`() throws {
    let scene = Scene(
      meshes: [MeshFixtures.allAttributes], materials: MeshFixtures.sceneWithEverything.materials)
    let result = try split(scene, by: .classification)
    #expect(result.meshes.map(\.name) == ["none", "wall", "floor", "ceiling"])
    #expect(result.meshes.map(\.faceCount) == [6, 6, 6, 6])
    for (index, mesh) in result.meshes.enumerated() {
      #expect(mesh.classes?.labels == [UInt16](repeating: UInt16(index), count: 6))
      // Every corner is where it was, with its texture coordinate.
      let whole = scene.meshes[0]
      for corner in 0..<18 {
        let before = 18 * index + corner
        #expect(
          mesh.positions[Int(mesh.indices[corner])] == whole.positions[Int(whole.indices[before])])
        #expect(mesh.textureCoordinates?[corner] == whole.textureCoordinates?[before])
        #expect(
          mesh.colors?[Int(mesh.indices[corner])] == whole.colors?[Int(whole.indices[before])])
      }
    }
  }

  @Test func `connected parts become meshes with numbers`() throws {
    var mesh = MeshFixtures.cube
    let offset = UInt32(mesh.vertexCount)
    mesh.positions += MeshFixtures.torus().positions
    mesh.indices += MeshFixtures.torus().indices.map { $0 + offset }
    let result = try split(Scene(meshes: [mesh, MeshFixtures.bowTie]), by: .component)
    #expect(result.meshes.map(\.name) == ["cube.1", "cube.2", "bow-tie"])
    #expect(result.meshes[0].positions.count == 8)
    #expect(abs(result.meshes[1].volume - MeshFixtures.torus().volume) < 1e-9)
  }

  @Test func `materials become meshes, and names stay different`() throws {
    var scene = MeshFixtures.sceneWithEverything
    scene.meshes.append(scene.meshes[0])
    let result = try split(scene, by: .material)
    #expect(result.meshes.map(\.name) == ["paint", "wood", "cube", "paint.2", "wood.2"])
  }

  @Test func `what is missing is an error`() {
    #expect(throws: Split.Failure.noClassification) {
      try split(Scene(meshes: [MeshFixtures.cube]), by: .classification)
    }
    #expect(throws: Split.Failure.noMaterials) {
      try split(Scene(meshes: [MeshFixtures.cube]), by: .material)
    }
  }
}
