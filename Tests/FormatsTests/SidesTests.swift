import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// From where the faces of a file are seen.
struct SidesTests {
  private func scene(isDoubleSided: Bool) -> Scene {
    var mesh = MeshFixtures.cube
    mesh.faceMaterials = .init(repeating: 0, count: 12)
    return Scene(meshes: [mesh], materials: [Material(name: "m", isDoubleSided: isDoubleSided)])
  }

  private func isDoubleSided(
    _ scene: Scene, _ format: BuiltInFormats.BothWays, _ sides: String?
  ) throws -> Bool? {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.\(format.extensions[0])")
    let options = sides.map { ["sides": JSONValue(.string($0))] } ?? [:]
    try format.write(scene, to: output, in: WritingContext(options: options))
    return try format.read(output.mainPath, in: ReadingContext()).materials.first?.isDoubleSided
  }

  @Test(
    arguments: [GLB.self, GLTF.self, USDA.self, USDC.self, USDZ.self] as [BuiltInFormats.BothWays])
  func `an output says it, whatever the materials do`(format: BuiltInFormats.BothWays) throws {
    for own in [true, false] {
      let scene = scene(isDoubleSided: own)
      #expect(try isDoubleSided(scene, format, nil) == own)
      #expect(try isDoubleSided(scene, format, "both") == true)
      #expect(try isDoubleSided(scene, format, "front") == false)
    }
    let plain = Scene(meshes: [MeshFixtures.cube])
    #expect(try isDoubleSided(plain, format, nil) == true)
    #expect(try isDoubleSided(plain, format, "front") == false)
  }

  @Test func `the materials of OBJ have no back, with and without a library`() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("m.mtl", "newmtl a\nKd 1 0 0\n")
    let faces = "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\nusemtl b\nf 1 3 2\n"
    for text in [faces, "mtllib m.mtl\n" + faces] {
      let scene = try Reading(folder.write("a.obj", text)).scene
      #expect(scene.materials.map(\.isDoubleSided) == [true, true])
    }
  }
}
