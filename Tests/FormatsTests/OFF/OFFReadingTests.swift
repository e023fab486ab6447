import Formats
import MeshPipeline
import MeshTestSupport
import Testing

@Suite struct OFFReadingTests {
  private let square = "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n"

  private func warnings(_ contents: String) throws -> [String] {
    let folder = try TemporaryFolder()
    return try Reading(folder.write("a.off", contents)).warnings
  }

  @Test(arguments: [
    "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
    // Comments and empty lines anywhere, other line ends, no last line end.
    "# made by hand\nOFF # a word\n\n4 1 0 # counts\n# vertices\n0 0 0\n1 0 0 # second\n\n1 1 0\n0 1 0\n# faces\n4 0 1 2 3",
    "OFF\r\n4 1 0\r\n0 0 0\r\n1 0 0\r\n1 1 0\r\n0 1 0\r\n4 0 1 2 3\r\n",
    "\u{FEFF}off\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
    // Counts in the first line, glued to the keyword, without edges, one a line; no keyword.
    "OFF 4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
    "OFF4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
    "OFF\n4 1\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
    "OFF\n4\n1\n0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
    "OFF\n4\n1\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
    "4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
    "nOFF\n3\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
    // Words without lines, and a face over several lines.
    "OFF 4 1 0 0 0 0 1 0 0 1 1 0 0 1 0 4 0 1 2 3",
    "OFF\n4 1 0\n0 0 0 1 0 0 1 1 0 0 1 0\n4 0 1 2 3\n",
    "OFF\n4 1 0\n0\n0\n0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n",
    "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1\n2 3\n",
  ])
  func `the same square in every spelling`(contents: String) throws {
    let folder = try TemporaryFolder()
    let reading = try Reading(folder.write("a.off", contents))
    let mesh = try #require(reading.scene.meshes.first)
    #expect(
      mesh.positions == [
        Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(1, 1, 0), Vector3(0, 1, 0),
      ])
    #expect(mesh.indices == [0, 1, 2, 0, 2, 3])
    #expect(mesh.faceMaterials == nil)
    #expect(reading.warnings == [])
  }

  @Test func `vertices have what the keyword says, in its order`() throws {
    let mesh = try Reading.mesh(
      "a.off",
      """
      STCNOFF
      3 1 0
      0 0 0  0 0 2  1 0 0 0.5  0.25 0
      1 0 0  0 0 2  0 1 0 1    0.5 0
      1 1 0  0 0 2  0 0 1 1    1 1
      3 2 0 1
      """)
    #expect(mesh.normals == [Vector3](repeating: Vector3(0, 0, 1), count: 3))
    #expect(
      mesh.colors == [
        Color(red: 255, green: 0, blue: 0, alpha: 128), Color(red: 0, green: 255, blue: 0),
        Color(red: 0, green: 0, blue: 255),
      ])
    #expect(mesh.textureCoordinates == [Vector2(1, 1), Vector2(0.25, 0), Vector2(0.5, 0)])
  }

  @Test func `colours of three or four bytes are read`() throws {
    for (numbers, alpha) in [("200 100 1", UInt8(255)), ("200 100 1 7", 7)] {
      let mesh = try Reading.mesh(
        "a.off", "COFF\n3 1 0\n0 0 0 \(numbers)\n1 0 0 \(numbers)\n1 1 0 \(numbers)\n3 0 1 2\n")
      let color = Color(red: 200, green: 100, blue: 1, alpha: alpha)
      #expect(mesh.colors == [color, color, color])
    }
  }

  @Test func `faces have colours`() throws {
    let folder = try TemporaryFolder()
    let faces = "4 0 1 2 3 255 0 0\n3 0 1 2 0 0 255 51\n3 0 1 3\n3 0 1 2 7\n3 1 2 3 255 0 0\n"
    let contents = square.replacing("4 1 0", with: "4 5 0").replacing("4 0 1 2 3\n", with: faces)
    let scene = try Reading(folder.write("a.off", contents)).scene
    let red = Color(red: 255, green: 0, blue: 0)
    let blue = Color(red: 0, green: 0, blue: 255, alpha: 51)
    #expect(scene.meshes[0].faceColors == [red, red, blue, .white, .white, red])
    #expect(scene.materials == [] && scene.meshes[0].faceMaterials == nil)
  }

  @Test func `a concave polygon is cut inside`() throws {
    let mesh = try Reading.mesh(
      "a.off", "OFF\n4 1 0\n0 0 0\n2 1 0\n0 2 0\n1 1 0\n4 0 1 2 3\n")
    #expect(mesh.indices == [0, 1, 3, 1, 2, 3])
  }

  @Test func `a file without faces is a point cloud`() throws {
    let folder = try TemporaryFolder()
    let scene = try Reading(folder.write("a.off", "COFF\n1 0 0\n1 2 3 255 0 9 255\n")).scene
    #expect(scene.pointClouds[0].positions == [Vector3(1, 2, 3)])
    #expect(scene.pointClouds[0].colors == [Color(red: 255, green: 0, blue: 9)])
  }

  @Test func `what is left out is told`() throws {
    #expect(
      try warnings(square.replacing("4 1 0", with: "4 3 0") + "2 0 1\n1 0\n")
        == ["a.off: faces of fewer than three corners are left out (2)"])
    #expect(
      try warnings(square + "4 3 2 1 0\n")
        == ["a.off: line 8 and everything after it belong to no face and are ignored"])
    #expect(
      try warnings("OFF\n3 1 0\n0 0 0 9\n1 0 0 9\n1 1 0 9\n3 0 1 2\n")
        == ["a.off: the last 1 of 4 numbers of vertices are ignored"])
  }

  @Test func `damage is told with its line`() throws {
    func fault(_ old: String, _ new: String) throws -> String {
      try readingFault("a.off", square.replacing(old, with: new))
    }
    #expect(
      try fault("4 0 1 2 3", "4 0 1 2 4")
        == "a.off:7: the face refers to vertex 4, but there are 4, counted from 0")
    #expect(
      try fault("4 0 1 2 3", "4 0 1 2 -1") == "a.off:7: expected the number of a vertex, found '-1'"
    )
    #expect(
      try fault("4 0 1 2 3", "1000000000 0 1 2 3")
        == "a.off:7: a face has 1000000000 corners, for which the file has no room")
    #expect(
      try fault("4 0 1 2 3\n", "4 0 1 2")
        == "a.off:7: a face has 4 corners, for which the file has no room")
    #expect(try fault("4 0 1 2 3\n", "") == "a.off:7: the file ends after 0 of 1 faces")
    #expect(
      try fault("1 1 0\n0 1 0\n4 0 1 2 3\n", "")
        == "a.off:2: the header claims 4 vertices, but the file has room for at most 3")
    #expect(try fault("0 1 0", "0 1") == "a.off:6: a vertex has fewer than 3 numbers")
    #expect(try fault("0 1 0", "0 1 x") == "a.off:6: expected a number, found 'x'")
    #expect(
      try fault("4 1 0", "4000000000 1 0")
        == "a.off:2: the header claims 4000000000 vertices, but the file has room for at most 6")
    #expect(try fault("4 1 0", "4 x 0") == "a.off:2: expected the number of faces, found 'x'")
    #expect(try fault("OFF", "PLY") == "a.off:1: begins with 'PLY'; is this an OFF file?")
    #expect(try fault("OFF", "4OFF").contains("fourth coordinate"))
    #expect(try fault("OFF", "nOFF\n5").contains("5 coordinates"))
    #expect(try readingFault("a.off", "") == "a.off:1: the file is empty")
    #expect(try readingFault("a.off", "OFF\n0 0 0\n") == "a.off: contains no vertices")
  }

  // MARK: Binary

  private func binary(_ keyword: String, _ numbers: [any BinaryNumber]) -> [UInt8] {
    Array("\(keyword) BINARY\n".utf8) + numbers.flatMap(\.highestByteFirst)
  }

  @Test func `the binary form is read`() throws {
    let folder = try TemporaryFolder()
    let bytes = binary(
      "COFF",
      [3, 1, 0]
        + [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 1].map { Float($0) }
        + [3, 0, 1, 2, 0])
    let mesh = try #require(try Reading(folder.write("a.off", bytes)).scene.meshes.first)
    #expect(mesh.positions == [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(1, 1, 0)])
    #expect(mesh.colors?[2] == Color(red: 0, green: 0, blue: 255))
    #expect(mesh.indices == [0, 1, 2])
  }

  @Test func `damage of the binary form is told with its byte`() throws {
    #expect(
      try readingFault("a.off", binary("OFF", [2_000_000_000, 1, 0]))
        == "a.off: byte 23: the file claims 2000000000 vertices, but has room for 0")
    let vertices = [any BinaryNumber](repeating: Float(0), count: 9)
    #expect(
      try readingFault("a.off", binary("OFF", [3, 1, 0] + vertices + [3, 0, 1, 9, 0]))
        == "a.off: byte 75: the face refers to vertex 9, but there are 3, counted from 0")
    #expect(
      try readingFault("a.off", binary("OFF", [3, 1, 0] + vertices + [2_000_000_000, 0]))
        == "a.off: byte 63: the file claims 2000000000 corners of a face, but has room for 1")
  }
}

private protocol BinaryNumber {
  var highestByteFirst: [UInt8] { get }
}

extension Float: BinaryNumber {
  fileprivate var highestByteFirst: [UInt8] {
    withUnsafeBytes(of: bitPattern.bigEndian) { Array($0) }
  }
}

extension Int: BinaryNumber {
  fileprivate var highestByteFirst: [UInt8] {
    withUnsafeBytes(of: Int32(self).bigEndian) { Array($0) }
  }
}
