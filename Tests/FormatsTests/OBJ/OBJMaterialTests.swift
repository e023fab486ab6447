import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@Suite struct OBJMaterialTests {
  private let triangle = "v 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\n"
  private let face = "f 1/1 2/2 3/3\n"

  @Test func `libraries with spaces in their names, several in a row`() throws {
    let folder = try TemporaryFolder()
    try folder.write("my room.mtl", "newmtl red\nKd 1 0 0\n")
    try folder.write("b.mtl", "newmtl blue\nKd 0 0 1\nd 0.5\n")
    let path = try folder.write(
      "a.obj", triangle + "mtllib my room.mtl b.mtl\nusemtl red\n" + face + "usemtl blue\n" + face)
    let reading = try Reading(path)
    #expect(reading.warnings.isEmpty)
    #expect(reading.scene.materials.map(\.name) == ["red", "blue"])
    #expect(reading.scene.materials.map(\.baseColor) == [SIMD4(1, 0, 0, 1), SIMD4(0, 0, 1, 0.5)])
    #expect(reading.scene.meshes[0].faceMaterials == [0, 1])
    #expect(reading.openedFiles == ["my room.mtl", "b.mtl"].map { folder.path + "/" + $0 })
  }

  // Copying the library at every statement takes minutes.
  @Test func `a library of many materials takes time in proportion to its length`() throws {
    try expectProportionalTime(upTo: 20_000) { count in
      let folder = try TemporaryFolder()
      let library = (0..<count).map { "newmtl m\($0)\nKd 1 0 0\nNs 3\n" }.joined()
      try folder.write("a.mtl", library)
      let uses = "usemtl m\(count - 1)\n"
      let reading = try Reading(
        try folder.write("a.obj", "mtllib a.mtl\n" + triangle + uses + face))
      #expect(reading.warnings.isEmpty)
      #expect(reading.scene.materials.map(\.baseColor) == [SIMD4(1, 0, 0, 1)])
    }
  }

  @Test func `pictures with options, spaces and backslashes are found`() throws {
    let folder = try TemporaryFolder()
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 1, 2, 3]
    try folder.write("maps/wall paper.png", png)
    try folder.write("lone.jpg", [0xFF, 0xD8, 0xFF, 0])
    try folder.write(
      "a.mtl",
      """
      newmtl\tone\t
        Kd 0 0 0
        map_Kd -s 2 2 1 -o 0.5 -bm 1.5 -clamp on maps\\wall paper.png\t
      newmtl two
        map_Kd C:\\Users\\me\\lone.jpg
        map_Bump -bm 0.3 maps/wall paper.png
      """)
    let path = try folder.write(
      "a.obj", "mtllib a.mtl\n" + triangle + "usemtl one\n" + face + "usemtl two\n" + face)
    let reading = try Reading(path)
    #expect(reading.warnings.isEmpty)
    #expect(reading.scene.textures.map(\.fileName) == ["wall paper.png", "lone.jpg"])
    #expect(reading.scene.textures.map(\.encoding) == [.png, .jpeg])
    #expect(reading.scene.textures[0].bytes == png)
    #expect(reading.scene.materials[0].baseColor == SIMD4(1, 1, 1, 1))
    #expect(reading.scene.materials.map(\.baseColorTexture) == [0, 1])
    #expect(reading.scene.materials[1].normalTexture == 0)
    #expect(
      reading.scene.meshes[0].textureCoordinates
        == [
          Vector2(0.5, 0), Vector2(2.5, 0), Vector2(2.5, 2), Vector2(0, 0), Vector2(1, 0),
          Vector2(1, 1),
        ])
  }

  @Test func `what is missing is a warning`() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.mtl", "newmtl one\nmap_Kd gone.png\nKd 1 x 0\n")
    let path = try folder.write(
      "a.obj",
      "mtllib a.mtl\nmtllib no such.mtl\n" + triangle + face + "usemtl one\n" + face
        + "usemtl two\n" + face)
    let reading = try Reading(path)
    #expect(
      reading.warnings == [
        "a.mtl:3: an invalid statement was ignored",
        "a.obj: the material library 'no such.mtl' does not exist and is ignored",
        "a.mtl: the image 'gone.png' does not exist and is ignored",
        "a.obj: the material 'two' is in no library; such faces get a plain one",
      ])
    #expect(reading.scene.materials.map(\.name) == ["default", "one", "two"])
    #expect(reading.scene.meshes[0].faceMaterials == [0, 1, 2])
  }

  @Test(arguments: [
    "../secret.mtl", "sub/../../secret.mtl", "link.mtl", "linked/secret.mtl", "ABSOLUTE",
  ])
  func `nothing outside the folder is opened unless it is allowed`(_ name: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("secret.mtl", "newmtl one\nKd 1 0 0\n")
    try folder.write("scan/sub/x", "")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/scan/link.mtl", withDestinationPath: "../secret.mtl")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/scan/linked", withDestinationPath: "..")
    let named = name == "ABSOLUTE" ? folder.path + "/secret.mtl" : name
    let path = try folder.write(
      "scan/a.obj", "mtllib \(named)\n" + triangle + "usemtl one\n" + face)
    let closed = try Reading(path)
    #expect(
      closed.warnings == [
        "a.obj: the material library '\(named)' is outside the scan's folder and was not opened; --allow-external opens it"
      ])
    #expect(closed.openedFiles.isEmpty)
    #expect(closed.scene.materials[0].baseColor == SIMD4(1, 1, 1, 1))
    let open = try Reading(path, allowsExternalFiles: true)
    #expect(open.warnings.isEmpty)
    #expect(open.scene.materials[0].baseColor == SIMD4(1, 0, 0, 1))
  }

  @Test func `classes come from groups, else objects, else materials`() throws {
    let folder = try TemporaryFolder()
    func names(_ statements: [String]) throws -> [String]? {
      let body = statements.map { $0 + "\n" + face }.joined()
      let mesh = try #require(
        try Reading(folder.write("a.obj", triangle + body)).scene.meshes.first)
      return mesh.classes.map { classes in classes.labels.map { classes.names[Int($0)] } }
    }
    #expect(
      try names(["", "g Wall_3", "g my lamp", "g floor.001"]) == [
        "none", "wall", "my-lamp", "floor",
      ])
    #expect(try names(["g a\no Ceiling", "g b\no x"]) == ["ceiling", "x"])
    #expect(try names(["usemtl wallDecoration", "usemtl None"]) == ["wall-decoration", "none"])
    #expect(try names(["usemtl None", "usemtl leg"]) == nil)
    #expect(try names(["g room wall", "g room floor_mesh"]) == ["wall", "room-floor-mesh"])
  }
}
