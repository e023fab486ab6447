import Formats
import MeshPipeline
import MeshTestSupport
import Testing

/// Names of pictures and libraries as programs of Windows and modellers write them.
@Suite struct SideFileNameTests {
  init() { AssimpWorker.executable = Program.meshpipe }

  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 1]

  private func reading(
    _ name: [UInt8], library: [UInt8] = Array("a.mtl".utf8), in folder: TemporaryFolder
  ) throws -> Reading {
    try folder.write("a.mtl", Array("newmtl a\nmap_Kd ".utf8) + name + Array("\n".utf8))
    let start = Array("mtllib ".utf8) + library
    let rest = "\nv 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nusemtl a\nf 1/1 2/2 3/3\n"
    return try Reading(folder.write("a.obj", start + Array(rest.utf8)))
  }

  @Test(arguments: [
    ("T.PNG", "t.png"), ("t.png", "T.Png"), ("\"t.png\"", "t.png"), ("'my t.png'", "my t.png"),
    ("file:///C:/a%20b/t%201.png", "t 1.png"), ("file://localhost/c/t%201.png", "t 1.png"),
    ("file:t.png", "t.png"), ("FILE:///D|/x/t.png", "t.png"), ("t%201.png", "t 1.png"),
    ("Textures\\T.png", "textures/t.png"), ("C:\\Users\\me\\Textures\\T.png", "t.png"),
    ("\\\\server\\share\\t.png", "t.png"), ("./T.png", "t.png"), ("\u{FEFF}t.png", "t.png"),
    ("t.png \t\r", "t.png"), ("Ku\u{308}che.png", "K\u{FC}che.png"), ("KÜCHE.png", "Küche.png"),
    ("file:///C:/K%C3%BCche.png", "Küche.png"), ("file:///C:/K%FCche.png", "Küche.png"),
    ("100%.png", "100%.png"), ("a#1.png", "a#1.png"),
  ])
  func `a picture is found`(name: String, file: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(file, Self.png)
    let reading = try reading(Array(name.utf8), in: folder)
    #expect(reading.warnings.isEmpty, "\(reading.warnings)")
    #expect(reading.scene.textures.map(\.bytes) == [Self.png])
  }

  @Test(arguments: [
    ([0x4B, 0xFC, 0x63, 0x68, 0x65] as [UInt8], "Küche"),
    ([0x4B, 0x81, 0x63, 0x68, 0x65], "Küche"),
    ([0x95, 0x94, 0x89, 0xAE], "部屋"), ([0xBF, 0xCD, 0xCC, 0xFC], "客厅"),
    ([0xEA, 0xEE, 0xEC, 0xED, 0xE0, 0xF2, 0xE0], "комната"),
    ([0xAA, 0xAE, 0xAC, 0xAD, 0xA0, 0xE2, 0xA0], "комната"),
  ])
  func `names in a code page of Windows are found`(bytes: [UInt8], file: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("\(file).png", Self.png)
    let reading = try reading(bytes + Array(".png".utf8), in: folder)
    #expect(reading.warnings.isEmpty, "\(reading.warnings)")
    #expect(reading.scene.textures.count == 1)
  }

  @Test(arguments: ["A.MTL", "\"a.mtl\"", "file:///C:/x/a.mtl", "x\\A.mtl", "./a.mtl "])
  func `a library is found`(name: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("t.png", Self.png)
    let reading = try reading(Array("t.png".utf8), library: Array(name.utf8), in: folder)
    #expect(reading.warnings.isEmpty, "\(reading.warnings)")
    #expect(reading.scene.textures.count == 1)
  }

  @Test func `the exact name comes before others in case, and one of several is told`() throws {
    let folder = try TemporaryFolder()
    try folder.write("t.png", Self.png + [2])
    try folder.write("T.png", Self.png + [3])
    let exact = try reading(Array("T.png".utf8), in: folder)
    #expect(exact.warnings.isEmpty)
    #expect(exact.scene.textures.map(\.bytes) == [Self.png + [3]])
    let other = try reading(Array("T.PNG".utf8), in: folder)
    #expect(other.scene.textures.count == 1)
    #expect(
      other.warnings.count == 1 && other.warnings[0].contains("in another case; 'T.png' is taken"))
  }

  @Test func `another ending of pictures is taken if it is the only one, with a warning`() throws {
    let folder = try TemporaryFolder()
    try folder.write("t.jpeg", [0xFF, 0xD8, 0xFF, 0])
    try folder.write("t.txt", "no picture")
    let found = try reading(Array("C:\\x\\T.jpg".utf8), in: folder)
    #expect(found.scene.textures.map(\.fileName) == ["t.jpeg"])
    #expect(found.warnings == ["'C:\\x\\T.jpg' does not exist; 't.jpeg' is taken"])
    try folder.write("t.tif", "II")
    let several = try reading(Array("t.jpg".utf8), in: folder)
    #expect(several.scene.textures.isEmpty)
    #expect(several.warnings == ["a.mtl: the image 't.jpg' does not exist and is ignored"])
  }

  @Test(arguments: [
    "file:///etc/hostname", "%2e%2e/secret.png", "..%5Csecret.png", "\"../SECRET.png\"",
  ])
  func `no spelling leads out of the folder`(name: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("secret.png", Self.png)
    try folder.write("in/a.mtl", "newmtl a\nmap_Kd \(name)\n")
    let path = try folder.write(
      "in/a.obj",
      "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nusemtl a\nf 1/1 2/2 3/3\n")
    let reading = try Reading(path)
    #expect(reading.scene.textures.isEmpty)
    #expect(reading.warnings.count == 1)
  }

  @Test func `glTF, COLLADA and USD find pictures in the same way`() throws {
    let folder = try TemporaryFolder()
    try folder.write("t.png", RarePictures.bmp())
    let scene = try reading(Array("t.png".utf8), in: folder).scene
    for format in [GLTF.self, COLLADA.self, USDA.self] as [any WritableFormat.Type] {
      let output = OutputSet(folder: folder.path, mainFileName: "b.\(format.extensions[0])")
      try format.write(scene, to: output, in: WritingContext())
      let written = try FileSystem.names(inFolder: folder.path).filter { $0.hasPrefix("b_t.") }
      let picture = try #require(written.first)
      let text = String(decoding: try FileSystem.contents(of: output.mainPath), as: UTF8.self)
      #expect(text.contains(picture))
      try folder.write(
        "b.\(format.extensions[0])", text.replacing(picture, with: picture.uppercased()))
      let reading = try Reading(output.mainPath)
      #expect(reading.scene.textures.count == 1, "\(format.name): \(reading.warnings)")
      try FileSystem.removeFile("\(folder.path)/\(picture)")
      let lost = try Reading(output.mainPath)
      #expect(lost.warnings.contains { $0.contains("does not exist") }, "\(format.name)")
    }
  }
}
