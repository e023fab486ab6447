import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

struct GLTFWritingTests {
  private func check(_ scene: Scene, as format: any WritableFormat.Type) throws -> GLTFChecker {
    let folder = try TemporaryFolder()
    let file = "a scän.\(format.extensions[0])"
    try format.write(
      scene, to: OutputSet(folder: folder.path, mainFileName: file), in: WritingContext())
    return try GLTFChecker(path: folder.path + "/" + file)
  }

  @Test(arguments: [GLB.self, GLTF.self] as [any WritableFormat.Type])
  func `files hold what the specification demands`(format: any WritableFormat.Type) throws {
    var hard = SceneFixtures.room
    hard.meshes[0].cornerNormals = hard.meshes[0].indices.indices.map {
      Vector3(SIMD3<Float>(1, Float($0 % 3), Float($0 % 2)).normalized)
    }
    var broken = SceneFixtures.room
    broken.meshes[0].normals?[3] = .zero
    broken.meshes[0].normals?[4] = Vector3(.nan, 0, 0)
    broken.meshes[0].textureCoordinates?[5] = Vector2(.infinity, 0)
    var both = SceneFixtures.room
    both.meshes.append(MeshFixtures.cube)
    both.pointClouds = SceneFixtures.points.pointClouds
    let scenes = [
      SceneFixtures.room, SceneFixtures.classifiedRoom, SceneFixtures.points, hard, broken, both,
      Scene(meshes: [MeshFixtures.cube]),
    ]
    for scene in scenes { #expect(try check(scene, as: format).faults == []) }
  }

  @Test func `vertices are cut only where faces of different kind meet`() throws {
    let room = SceneFixtures.classifiedRoom
    let checker = try check(room, as: GLB.self)
    let primitives = checker.list("meshes")[0]["primitives"] as? [[String: Any]] ?? []
    #expect(primitives.count == 3)
    let counts = primitives.map { primitive in
      let position = (primitive["attributes"] as? [String: Int])?["POSITION"] ?? 0
      return checker.list("accessors")[position]["count"] as? Int
    }
    // The wall's 5 by 5, the floor's 7 by 7 and the table's 3 by 3 vertices.
    #expect(counts == [25, 49, 9])
    #expect(
      checker.list("materials").map { $0["name"] as? String } == ["wall", "floor", "table"])
    #expect(checker.list("nodes").count == 1)
  }

  @Test func `a material says which class it is of, once`() throws {
    var scene = SceneFixtures.room
    scene.materials[1].name = "Table.001"
    let checker = try check(scene, as: GLB.self)
    #expect(checker.faults == [])
    #expect(
      checker.list("materials").map { $0["name"] as? String }
        == ["Plaster wall", "Plaster floor", "Table.001"])
    let classes = checker.list("materials").map {
      ($0["extras"] as? [String: String])?["classification"]
    }
    #expect(classes == ["wall", "floor", "table"])
  }

  @Test(arguments: [GLB.self, GLTF.self] as [any WritableFormat.Type])
  func `a material that no lamp shades stays one`(format: any WritableFormat.Type) throws {
    var scene = SceneFixtures.room
    scene.materials[1].isUnlit = true
    let checker = try check(scene, as: format)
    #expect(checker.faults == [])
    let extensions = checker.list("materials").map { $0["extensions"] as? [String: [String: Int]] }
    #expect(extensions == [nil, nil, ["KHR_materials_unlit": [:]]])
    #expect(checker.document["extensionsUsed"] as? [String] == ["KHR_materials_unlit"])
    let folder = try TemporaryFolder()
    let file = "a.\(format.extensions[0])"
    try format.write(
      scene, to: OutputSet(folder: folder.path, mainFileName: file), in: WritingContext())
    let reader = try #require(format as? any ReadableFormat.Type)
    let read = try reader.read(folder.path + "/" + file, in: ReadingContext())
    #expect(read.materials.map(\.isUnlit) == scene.materials.map(\.isUnlit))
  }

  @Test func `many vertices get wide indices`() throws {
    let checker = try check(
      Scene(meshes: [MeshFixtures.grid(columns: 260, rows: 260)]), as: GLB.self)
    #expect(checker.faults == [])
    let types = checker.list("accessors").map { $0["componentType"] as? Int }
    #expect(types.contains(5125))
  }

  @Test func `a scene that is Z-up in centimetres gets a root that turns it`() throws {
    var scene = SceneFixtures.classifiedRoom
    let system = CoordinateSystem(up: .z, forward: .y, metersPerUnit: 0.01)
    scene.apply(scene.coordinateSystem.transform(to: system))
    scene.coordinateSystem = system
    let checker = try check(scene, as: GLB.self)
    #expect(checker.faults == [])
    let root = try #require(checker.list("nodes").last)
    #expect(root["children"] as? [Int] == [0])
    let matrix = try #require(root["matrix"] as? [Double])
    #expect(matrix == [0.01, 0, 0, 0, 0, 0, -0.01, 0, 0, 0.01, 0, 0, 0, 0, 0, 1])
  }

  @Test func `colours become linear and texture coordinates count from above`() throws {
    let checker = try check(SceneFixtures.room, as: GLB.self)
    let primitives = checker.list("meshes")[0]["primitives"] as? [[String: Any]] ?? []
    let attributes = primitives[0]["attributes"] as? [String: Int] ?? [:]
    // All blue is 200: by the definition of sRGB ((200 / 255 + 0.055) / 1.055) ^ 2.4 = 0.57758.
    for color in checker.values(ofAccessor: attributes["COLOR_0"] ?? 0) {
      #expect(abs(color[2] / 65535 - 0.57758) < 1e-4)
      #expect(color[3] == 65535)
    }
    let places = checker.values(ofAccessor: attributes["TEXCOORD_0"] ?? 0)
    #expect(places.map { $0[1] }.max() == 1)
    #expect(places.map { $0[1] }.min() == 0.25)
  }

  @Test func `pictures are embedded in GLB and lie beside glTF`() throws {
    for format in [GLB.self, GLTF.self] as [any WritableFormat.Type] {
      let folder = try TemporaryFolder()
      try format.write(
        SceneFixtures.room, to: OutputSet(folder: folder.path, mainFileName: "x.\(format.id)"),
        in: WritingContext())
      let checker = try GLTFChecker(path: folder.path + "/x.\(format.id)")
      let image = try #require(checker.list("images").first)
      #expect(try Array(checker.data(ofImage: image)) == SceneFixtures.picture)
      let names = try FileSystem.names(inFolder: folder.path)
      #expect(
        names == (format.id == "glb" ? ["x.glb"] : ["x.bin", "x.gltf", "x_wall-paper.png"]))
    }
  }

  @Test func `what glTF can't hold is refused or said`() throws {
    let context = WritingContext()
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "x.glb")
    #expect(throws: UnwritableScene.self) { try GLB.write(Scene(), to: output, in: context) }
    var scene = SceneFixtures.room
    (scene.textures[0].encoding, scene.textures[0].bytes) = (.tga, [1, 2, 3])
    try GLB.write(scene, to: output, in: context)
    #expect(context.stage.warnings.count == 1)
    scene.meshes[0].positions[7].y = .nan
    let error = #expect(throws: UnwritableScene.self) {
      try GLB.write(scene, to: output, in: context)
    }
    #expect(error == .positionNotFinite(mesh: "Living room", vertex: 7, remedy: nil))
  }
}
