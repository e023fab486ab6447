import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

extension SceneFixtures {
  /// The room with a second set of texture coordinates, opacity, factors and a normal map.
  static var bumpyRoom: Scene {
    var scene = room
    scene.meshes[0].secondTextureCoordinates = scene.meshes[0].textureCoordinates?.map {
      Vector2(1 - $0.y, 0.5 * $0.x)
    }
    scene.meshes[0].colors?[3].alpha = 51
    scene.materials[0].normalTexture = 1
    scene.materials[0].baseColor = SIMD4(1, 0.5, 0.25, 1)
    scene.materials[0].metallic = 0.25
    scene.textures.append(Texture(fileName: "bumps.png", encoding: .png, bytes: picture))
    return scene
  }
}

/// Scenes come back from what is written, in all forms.
struct USDReadBackTests {
  private static var room: Scene {
    var scene = SceneFixtures.bumpyRoom
    scene.materials[0].occlusionTexture = 1
    return scene
  }

  @Test func `a room comes back with its attributes, materials and classes`() throws {
    let folder = try TemporaryFolder()
    let room = Self.room
    let mesh = room.meshes[0]
    for path in try writeUSD(room, to: folder) {
      let reading = try Reading(path)
      #expect(reading.warnings == [], "\(path)")
      let found = try #require(reading.scene.meshes.first)
      #expect(found.name == mesh.name)
      #expect(found.positions == mesh.positions)
      #expect(found.indices == mesh.indices)
      #expect(found.textureCoordinates == mesh.textureCoordinates)
      #expect(found.secondTextureCoordinates == mesh.secondTextureCoordinates)
      #expect(found.colors == mesh.colors)
      #expect(found.confidences == mesh.confidences)
      let names = mesh.classes.map { classes in classes.labels.map { classes.names[Int($0)] } }
      #expect(
        found.classes.map { classes in classes.labels.map { classes.names[Int($0)] } } == names)
      func materials(_ mesh: Mesh, _ scene: Scene) -> [String] {
        mesh.faceMaterials?.map { scene.materials[Int($0)].name } ?? []
      }
      #expect(materials(found, reading.scene) == materials(mesh, room))
      let plaster = try #require(
        reading.scene.materials.first { $0.name == room.materials[0].name })
      #expect(plaster.baseColor == room.materials[0].baseColor)
      #expect(plaster.metallic == 0.25)
      func picture(_ index: Int?) -> [UInt8]? { index.map { reading.scene.textures[$0].bytes } }
      #expect(picture(plaster.baseColorTexture) == room.textures[0].bytes)
      #expect(picture(plaster.normalTexture) == SceneFixtures.picture)
      #expect(picture(plaster.occlusionTexture) == SceneFixtures.picture)
    }
  }

  @Test func `large arrays are compressed and come back`() throws {
    let folder = try TemporaryFolder()
    let grid = Scene(meshes: [MeshFixtures.grid(columns: 140, rows: 130)])
    for path in try writeUSD(grid, to: folder, named: "grid") {
      let found = try Reading(path).scene.meshes[0]
      #expect(found.indices == grid.meshes[0].indices)
      #expect(found.positions == grid.meshes[0].positions)
    }
  }

  @Test func `points come back with colours and classes`() throws {
    let folder = try TemporaryFolder()
    let cloud = SceneFixtures.points.pointClouds[0]
    for path in try writeUSD(SceneFixtures.points, to: folder, named: "points") {
      let found = try #require(try Reading(path).scene.pointClouds.first)
      #expect(found.positions == cloud.positions)
      #expect(found.colors == cloud.colors)
      #expect(found.normals == cloud.normals)
      #expect(
        found.classes.map { classes in classes.labels.map { classes.names[Int($0)] } }
          == cloud.classes.map { classes in classes.labels.map { classes.names[Int($0)] } })
    }
  }

  @Test func `a format is recognised by its first bytes, whatever the file is called`() throws {
    let folder = try TemporaryFolder()
    for (path, id) in zip(try writeUSD(Self.room, to: folder), ["usda", "usdc", "usdz"]) {
      let head = try #require(FileHead(ofFile: path))
      let found = builtInFormats.compactMap { $0 as? any ReadableFormat.Type }
        .first { $0.recognizes(head) }
      #expect(found?.id == id)
      let other = folder.path + "/other-\(id).usd"
      try FileManager.default.copyItem(atPath: path, toPath: other)
      #expect(try Reading(other).scene.faceCount == Self.room.faceCount)
    }
  }
}
