import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Names of the pictures beside models, and that two models in a folder keep theirs apart.
struct TextureFilesTests {
  /// A face with a picture on each of its materials.
  private func scene(_ pictures: [String], bytes: [UInt8] = [1]) -> Scene {
    var mesh = Mesh(positions: [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0, 1, 0)])
    mesh.indices = pictures.flatMap { _ in [0, 1, 2] as [UInt32] }
    mesh.faceMaterials = pictures.indices.map { UInt32($0) }
    mesh.textureCoordinates = mesh.indices.map { Vector2(Float($0), 0) }
    return Scene(
      meshes: [mesh],
      materials: pictures.indices.map { Material(name: "m\($0)", baseColorTexture: $0) },
      textures: pictures.map { Texture(fileName: $0, encoding: .png, bytes: bytes) })
  }

  private func names(_ pictures: [String], beside model: String) -> [String] {
    let output = OutputSet(folder: "/", mainFileName: model)
    return TextureFiles(of: scene(pictures), beside: output).names.compactMap { $0 }
  }

  /// Writes a level of a model with a picture, and returns the picture's name.
  private func write(_ model: String, level: String, picture bytes: [UInt8]) throws -> String {
    let transaction = OutputTransaction()
    let output = try transaction.begin(model).ofLevel(level)
    let scene = scene(["skin.png"], bytes: bytes)
    let files = TextureFiles(of: scene, beside: output)
    try files.write(scene, to: output, in: WritingContext())
    let writer = try FileWriter(creating: output.mainPath)
    try writer.write(files.names[0] ?? "")
    try writer.finish()
    try transaction.seal(output)
    _ = try transaction.commit()
    return files.names[0] ?? ""
  }

  @Test func `levels of a model share equal pictures, and never change another's`() throws {
    let folder = try TemporaryFolder()
    // printf abc | sha256sum, printf abd | sha256sum
    let (first, second) = ("a_skin_ba7816bf.png", "a_skin_a52d159f.png")
    for level in ["lod0", "lod1"] {
      let model = "\(folder.path)/a_\(level).obj"
      #expect(try write(model, level: level, picture: Array("abc".utf8)) == first)
    }
    // Made again with another picture, alone: what the other level names is as it was.
    let model = "\(folder.path)/a_lod0.obj"
    #expect(try write(model, level: "lod0", picture: Array("abd".utf8)) == second)
    #expect(try FileSystem.contents(of: "\(folder.path)/\(first)") == Array("abc".utf8))
    // A level whose name is a part of the model's, too.
    let yellow = OutputSet(folder: folder.path, mainFileName: "yellow_low.obj").ofLevel("low")
    #expect(
      TextureFiles(of: scene(["skin.png"], bytes: [97]), beside: yellow).names
        == ["yellow_skin_ca978112.png"])
    // A picture that is named after the model.
    let skin = OutputSet(folder: folder.path, mainFileName: "skin_lod1.obj").ofLevel("lod1")
    #expect(
      TextureFiles(of: scene(["skin.png"], bytes: [97]), beside: skin).names
        == ["skin_ca978112.png"])
    let alone = "\(folder.path)/lod1.obj"
    #expect(try write(alone, level: "lod1", picture: [97]) == "skin_ca978112.png")
  }

  @Test(arguments: [
    ("mesh.obj", ["mesh.jpg"], ["mesh.jpg"]),
    ("chair.obj", ["mesh.jpg"], ["chair_mesh.jpg"]),
    ("chair.obj", ["chair-hi.jpg"], ["chair_hi.jpg"]),
    ("chair-hi.obj", ["chair.jpg"], ["chair-hi_chair.jpg"]),
    ("m.obj", ["mesh-1.png", "mesh-2.png"], ["m_mesh-1.png", "m_mesh-2.png"]),
    ("mesh.obj", ["mesh-1.png", "mesh_2.png"], ["mesh_1.png", "mesh_2.png"]),
    ("room_1.obj", ["room_1.jpg"], ["room_1_texture.jpg"]),
    ("room_1.obj", ["room_1_texture.jpg"], ["room_1_texture.jpg"]),
    (
      "a.v2.obj", ["plain", "a.v2.png", "A B.c.png"],
      ["a.v2_plain", "a.v2.png", "a.v2_A-B.c.png"]
    ),
    (
      "x.obj", ["", "", "x.png", "X.png", "x.png"],
      ["x_texture0.png", "x_texture1.png", "x.png", "x_X.png", "x_2.png"]
    ),
    // printf 'a b' | sha256sum
    ("a b.obj", ["a b.png", "c.png"], ["a_b-c8687a08_texture.png", "a_b-c8687a08_c.png"]),
  ])
  func `a picture is called after its model`(
    model: String, pictures: [String], expected: [String]
  ) {
    #expect(names(pictures, beside: model) == expected)
  }

  @Test func `no two models have a name in common`() {
    let stems = [
      "a", "b", "a b", "a_b", "a-b", "ab", "a.b", "a_b_b", "a b b", "a-2", "a_2", "a_texture",
      "a\\b", "-a", "a_a", "aa", "a~b", "a*b", "",
    ]
    let pictures = stems + ["2", "b_b", "texture", "b_texture"]
    var owners: [String: String] = [:]
    for stem in stems {
      for first in pictures {
        for second in ["2", "b_b", first] {
          for name in names([first + ".png", second + ".png"], beside: stem + ".obj") {
            #expect(owners[name, default: stem] == stem, "\(name)")
            owners[name] = stem
            #expect(!name.contains(" "))
          }
        }
      }
    }
  }

  @Test(arguments: [
    ("chair-hi.obj", "chair.obj"), ("a b.obj", "a_b.obj"), ("a_b.gltf", "a b.gltf"),
  ])
  func `two models in a folder show their own pictures`(first: String, second: String) throws {
    let folder = try TemporaryFolder()
    let transaction = OutputTransaction()
    var format: any (ReadableFormat & WritableFormat).Type = OBJ.self
    if first.hasSuffix(".gltf") { format = GLTF.self }
    let pictures: [[UInt8]] = [SceneFixtures.picture, SceneFixtures.picture + [0]]
    for (name, picture) in zip([first, second], pictures) {
      var scene = scene(["chair-hi.png"], bytes: picture)
      scene.materials[0].name = name == first ? "first" : "second"
      let output = try transaction.begin(folder.path + "/" + name)
      try format.write(scene, to: output, in: WritingContext())
      try transaction.seal(output)
    }
    _ = try transaction.commit()
    for (index, name) in [first, second].enumerated() {
      let scene = try format.read(folder.path + "/" + name, in: ReadingContext())
      #expect(scene.textures.map(\.bytes) == [pictures[index]])
      #expect(scene.materials.map(\.name) == [index == 0 ? "first" : "second"])
    }
  }
}
