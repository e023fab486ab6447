import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

@Suite struct PLYReadingTests {
  /// A square of two triangles in text.
  private let square = """
    ply
    format ascii 1.0
    comment made by hand
    element vertex 4
    property float x
    property float y
    property float z
    element face 2
    property list uchar int vertex_indices
    end_header
    0 0 0
    1 0 0
    1 1 0
    0 1 0
    3 0 1 2
    3 0 2 3

    """

  @Test func `text with any line ending gives the same mesh`() throws {
    for ending in ["\n", "\r\n", "\r"] {
      let text = square.split(separator: "\n", omittingEmptySubsequences: false)
        .joined(separator: ending)
      let mesh = try Reading.mesh("a.ply", text)
      #expect(
        mesh.positions == [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(1, 1, 0), Vector3(0, 1, 0)])
      #expect(mesh.indices == [0, 1, 2, 0, 2, 3])
    }
  }

  @Test func `many elements take time in proportion to their number`() throws {
    try expectProportionalTime(upTo: 30_000) { count in
      let elements = (0..<count).map { "element e\($0) 0\n" }.joined()
      let text = square.replacing("element vertex", with: elements + "element vertex")
      let mesh = try Reading.mesh("a.ply", text)
      #expect(mesh.indices == [0, 1, 2, 0, 2, 3])
    }
  }

  /// Everything at once: odd types, unknown elements and lists before, between and after.
  private func rich(_ kind: Kind) -> [UInt8] {
    let file = PLYFixture(kind)
    file.line("comment classification 2 floor")
    file.line("comment classification 40 Coffee Machine")
    file.element("camera", 2, ["property list ushort double lens", "property char flag"])
    file.element(
      "vertex", 4,
      [
        "property list uchar short extra", "property double z", "property uchar red",
        "property uchar green", "property uchar blue", "property float confidence",
        "property float x", "property ushort unknown", "property float y", "property short nx",
        "property short ny", "property short nz",
      ])
    file.element(
      "face", 2,
      [
        "property uchar flags", "property list uint ushort vertex_index", "property int label",
        "property list uchar float texcoord",
      ])
    file.element("edge", 1, ["property int vertex1", "property int vertex2"])
    file.endHeader()
    file.list(.uint16, [1.5, 2.5], .float64).value(-1, .int8).endRecord()
    file.list(.uint16, [], .float64).value(10, .int8).endRecord()
    for (x, y) in [(0.0, 0.0), (1, 0), (1, 1), (0, 1)] {
      file.list(.uint8, [Double](repeating: 10, count: Int(x + y)), .int16)
      file.value(0.1, .float64).value(255 * x, .uint8).value(0, .uint8).value(10, .uint8)
      file.value(x + y, .float32).value(x, .float32).value(13, .uint16).value(y, .float32)
      file.value(0, .int16).value(0, .int16).value(7, .int16).endRecord()
    }
    file.value(0, .uint8).list(.uint32, [0, 1, 2, 3], .uint16).value(40, .int32)
    file.list(.uint8, [0, 0, 1, 0, 1, 1, 0, 1], .float32).endRecord()
    file.value(0, .uint8).list(.uint32, [2, 1, 0], .uint16).value(2, .int32)
    file.list(.uint8, [], .float32).endRecord()
    file.value(1, .int32).value(2, .int32).endRecord()
    return file.bytes
  }

  @Test(arguments: Kind.allCases)
  func `any order, any types, unknown elements`(_ kind: Kind) throws {
    let folder = try TemporaryFolder()
    let reading = try Reading(folder.write("a.ply", rich(kind)))
    let mesh = try #require(reading.scene.meshes.first)
    #expect(reading.warnings.isEmpty)
    #expect(
      mesh.positions == [
        Vector3(0, 0, 0.1), Vector3(1, 0, 0.1), Vector3(1, 1, 0.1), Vector3(0, 1, 0.1),
      ])
    #expect(mesh.indices == [0, 1, 2, 0, 2, 3, 2, 1, 0])
    #expect(mesh.colors?[1] == Color(red: 255, green: 0, blue: 10))
    #expect(mesh.confidences == [0, 1, 2, 1])
    #expect(mesh.normals == [Vector3](repeating: Vector3(0, 0, 1), count: 4))
    #expect(
      mesh.textureCoordinates == [
        Vector2(0, 0), Vector2(1, 0), Vector2(1, 1), Vector2(0, 0), Vector2(1, 1), Vector2(0, 1),
        .zero, .zero, .zero,
      ])
    let classes = try #require(mesh.classes)
    #expect(
      classes.labels.map { classes.names[Int($0)] } == [
        "coffee-machine", "coffee-machine", "floor",
      ])
  }

  @Test(arguments: Kind.allCases)
  func `a face takes the class that most of its vertices have`(_ kind: Kind) throws {
    let file = PLYFixture(kind)
    file.element(
      "vertex", 4,
      ["property float x", "property float y", "property float z", "property uchar classification"])
    file.element("face", 3, ["property list uchar int vertex_indices"])
    file.endHeader()
    for (index, label) in [1.0, 2, 2, 3].enumerated() {
      file.value(Double(index), .float32).value(0, .float32).value(Double(index * index), .float32)
      file.value(label, .uint8).endRecord()
    }
    for face in [[0.0, 1, 2], [1, 3, 2], [3, 1, 0]] { file.list(.uint8, face, .int32).endRecord() }
    let folder = try TemporaryFolder()
    let mesh = try #require(try Reading(folder.write("a.ply", file.bytes)).scene.meshes.first)
    #expect(mesh.classes?.labels == [2, 2, 3])
  }

  @Test(arguments: Kind.allCases)
  func `strips become triangles that wind alike`(_ kind: Kind) throws {
    let file = PLYFixture(kind)
    file.element("vertex", 5, ["property float x", "property float y", "property float z"])
    file.element("tristrips", 1, ["property list int int vertex_indices"])
    file.endHeader()
    for index in 0..<5 {
      file.value(Double(index), .float32).value(Double(index % 2), .float32).value(0, .float32)
      file.endRecord()
    }
    file.list(.int32, [0, 1, 2, 3, 3, -1, 2, 3, 4], .int32).endRecord()
    let folder = try TemporaryFolder()
    let mesh = try #require(try Reading(folder.write("a.ply", file.bytes)).scene.meshes.first)
    #expect(mesh.indices == [0, 1, 2, 2, 1, 3, 2, 3, 4])
  }

  @Test func `a binary body that begins with a newline is read from there`() throws {
    for ending in ["\n", "\r\n"] {
      let file = PLYFixture(.littleEndian, lineEnding: ending)
      file.element("vertex", 1, ["property uchar x", "property uchar y", "property uchar z"])
      file.endHeader()
      file.value(10, .uint8).value(13, .uint8).value(10, .uint8)
      let folder = try TemporaryFolder()
      let cloud = try Reading(folder.write("a.ply", file.bytes)).scene.pointClouds.first
      #expect(cloud?.positions == [Vector3(10, 13, 10)])
    }
  }

  @Test(arguments: Kind.allCases)
  func `an origin keeps what single precision would lose far from zero`(_ kind: Kind) throws {
    // A square of 10 cm in UTM zone 32, where single precision has steps of half a metre.
    let corners = [SIMD3(0.0, 0, 0), SIMD3(0.1, 0, 0), SIMD3(0.1, 0.1, 0), SIMD3(0, 0.1, 0)].map {
      $0 + SIMD3(691_608.25, 5_336_000.5, 515.75)
    }
    let file = PLYFixture(kind)
    file.element("camera", kind == .ascii ? 0 : 2, ["property float view", "property uchar mode"])
    let types: [NumberType] = [.float64, .float64, .float64, .uint8]
    file.element(
      "vertex", 4, ["x", "y", "z"].map { "property double \($0)" } + ["property uchar red"])
    file.element("face", 2, ["property list uchar int vertex_indices"])
    file.endHeader()
    if kind != .ascii {
      for _ in 0..<2 { file.value(1, .float32).value(2, .uint8) }
    }
    for corner in corners {
      for (value, type) in zip([corner.x, corner.y, corner.z, 9], types) { file.value(value, type) }
      file.endRecord()
    }
    for face in [[0.0, 1, 2], [0, 2, 3]] {
      file.list(.uint8, face, .int32)
      file.endRecord()
    }
    let folder = try TemporaryFolder()
    let reading = try Reading(folder.write("a.ply", file.bytes))
    let mesh = try #require(reading.scene.meshes.first)
    let origin = SIMD3(692_000.0, 5_336_000, 0)
    for (position, corner) in zip(mesh.positions, corners) {
      #expect((position.double + origin - corner).length < 5e-5)
    }
    #expect(reading.warnings == [])
    #expect(reading.scene.origin == origin)

    for isText in [false, true] {
      let output = OutputSet(folder: folder.path, mainFileName: "b.ply")
      try PLY.write(
        reading.scene, to: output, in: WritingContext(options: ["ascii": .init(.bool(isText))]))
      let again = try Reading(folder.path + "/b.ply")
      #expect(again.warnings == [])
      #expect(again.scene.meshes.first?.positions == mesh.positions)
    }
  }

  @Test func `points keep their colours, classes and confidence`() throws {
    let folder = try TemporaryFolder()
    let text = """
      ply
      format ascii 1.0
      element vertex 2
      property float x
      property float y
      property float z
      property float red
      property float green
      property float blue
      property float quality
      property float scalar_Classification
      element face 0
      property list uchar int vertex_indices
      end_header
      0 0 0 1 0.5 0 2 7.0
      1e3 -2.5 nan 0 0 0 0.5 0
      """
    let reading = try Reading(folder.write("a.ply", text))
    let cloud = try #require(reading.scene.pointClouds.first)
    #expect(reading.scene.meshes.isEmpty)
    #expect(cloud.positions[0] == .zero)
    #expect(
      cloud.colors == [Color(red: 255, green: 128, blue: 0), Color(red: 0, green: 0, blue: 0)])
    #expect(cloud.confidences == [2, 0.5])
    #expect(cloud.classes?.labels == [7, 0])
    #expect(reading.warnings == ["a.ply: vertices are not finite (1); 'clean' removes them"])
  }

  @Test func `pictures named in comments are found, one for each number`() throws {
    let folder = try TemporaryFolder()
    try folder.write("wall paper.png", [0x89, 0x50, 0x4E, 0x47])
    let text = square.replacing(
      "comment made by hand",
      with: "comment TextureFile   wall paper.png \ncomment TextureFile b.png"
    ).replacing(
      "vertex_indices\n",
      with: "vertex_indices\nproperty list uchar float texcoord\nproperty int texnumber\n"
    ).replacing("3 0 1 2", with: "3 0 1 2 6 0 0 1 0 1 1 1").replacing(
      "3 0 2 3", with: "3 0 2 3 0 -1")
    let reading = try Reading(folder.write("a.ply", text))
    #expect(reading.scene.materials.map(\.name) == ["wall paper", "b", "default"])
    #expect(reading.scene.meshes[0].faceMaterials == [1, 2])
    #expect(reading.scene.textures.map(\.fileName) == ["wall paper.png"])
    #expect(reading.warnings == ["a.ply: the image 'b.png' does not exist and is ignored"])
  }

  @Test func `damaged text is told with its line`() throws {
    func fault(_ old: String, _ new: String) throws -> String {
      try readingFault("a.ply", square.replacing(old, with: new))
    }
    #expect(try fault("1 1 0\n", "1 x 0\n") == "a.ply:13: expected a number, but found 'x'")
    #expect(try fault("1 1 0\n", "1 1\n") == "a.ply:13: expected a number, but the line ends")
    #expect(
      try fault("1 1 0\n", "1 1 0 0\n") == "a.ply:13: expected the end of the line, but found '0'")
    #expect(
      try fault("3 0 2 3\n", "3 0 2 4\n")
        == "a.ply:16: the face refers to vertex 4, but there are 4")
    #expect(
      try fault("3 0 2 3\n", "2 0 2\n") == "a.ply:16: a face has 2 corners; it needs at least three"
    )
    #expect(try fault("3 0 2 3\n", "") == "a.ply:16: the file ends before 'face' 2 of 2")
    #expect(try fault("3 0 2 3\n", "99999 0 2\n") == "a.ply:16: a list of 99999 does not fit here")
    #expect(
      try fault("face 2", "face 3000000000")
        == "a.ply:8: the header claims 3000000000 of 'face', but the file is too short")
    #expect(try fault("face 2", "face -2") == "a.ply:8: expected 'element NAME COUNT'")
    #expect(try fault("float y", "flaot y") == "a.ply:6: unknown type 'flaot'")
    #expect(
      try fault("end_header", "end_haeder") == "a.ply:10: unknown word 'end_haeder' in the header")
    #expect(try fault("format ascii 1.0\n", "") == "a.ply:9: the header has no 'format'")
    #expect(try fault("ply\n", "plx\n") == "a.ply:1: is not a PLY file")
    #expect(try fault("float z", "float w") == "a.ply: the vertices have no x, y and z")
    #expect(try readingFault("a.ply", "") == "a.ply:1: is not a PLY file")
    #expect(
      try readingFault("a.ply", "ply\nformat ascii 1.0\n")
        == "a.ply:2: the header has no 'end_header'")
  }

  @Test func `a remark that stands in the header without its word is passed over`() throws {
    let folder = try TemporaryFolder()
    let text = """
      ply
      format ascii 1.0
      Scanned on a Tuesday
      element vertex 1
      property float x
      property float y
      property float z
      end_header
      1 2 3

      """
    let reading = try Reading(folder.write("a.ply", text))
    #expect(reading.scene.pointClouds.first?.positions == [Vector3(1, 2, 3)])
    #expect(reading.warnings == ["a.ply:3: not a line of a PLY header; it is ignored"])
    let misspelt = text.replacing("property float z", with: "proprety float z")
    #expect(
      try readingFault("a.ply", misspelt)
        == "a.ply:7: unknown word 'proprety float z' in the header")
  }

  @Test(arguments: Kind.allCases)
  func `faces without indices are refused, beside strips too`(_ kind: Kind) throws {
    let file = PLYFixture(kind)
    file.element("vertex", 3, ["property float x", "property float y", "property float z"])
    file.element("face", 2, ["property uchar label"])
    file.element("tristrips", 1, ["property list uchar int vertex_indices"])
    file.endHeader()
    for index in 0..<3 {
      for part in 0..<3 { file.value(Double(index * part), .float32) }
      file.endRecord()
    }
    for _ in 0..<2 { file.value(1, .uint8).endRecord() }
    file.list(.uint8, [0, 1, 2], .int32).endRecord()
    #expect(
      try readingFault("a.ply", file.bytes) == "a.ply: the element 'face' has no vertex_indices")
  }

  @Test(arguments: Kind.allCases)
  func `lists of vertices and texture coordinates of strips are passed over`(_ kind: Kind) throws {
    let file = PLYFixture(kind)
    file.element(
      "vertex", 3,
      [
        "property float x", "property float y", "property float z",
        "property list uchar int vertex_indices",
      ])
    file.element(
      "tristrips", 1,
      ["property list uchar float texcoord", "property list uchar int vertex_indices"])
    file.endHeader()
    for index in 0..<3 {
      for part in 0..<3 { file.value(Double(index * part), .float32) }
      file.list(.uint8, [7], .int32).endRecord()
    }
    file.list(.uint8, [1], .float32).list(.uint8, [0, 1, 2], .int32).endRecord()
    let folder = try TemporaryFolder()
    let mesh = try #require(try Reading(folder.write("a.ply", file.bytes)).scene.meshes.first)
    #expect(mesh.vertexCount == 3)
    #expect(mesh.indices == [0, 1, 2])
  }

  @Test func `damaged binary is told with its byte`() throws {
    func file(_ indices: [Double]) -> PLYFixture {
      let file = PLYFixture(.littleEndian)
      file.element("vertex", 3, ["property float x", "property float y", "property float z"])
      file.element("face", 1, ["property list uchar int vertex_indices"])
      file.endHeader()
      for _ in 0..<9 { file.value(0, .float32) }
      file.list(.uint8, indices, .int32)
      return file
    }
    let good = file([0, 1, 2])
    let size = good.bytes.count
    #expect(
      try readingFault("a.ply", file([0, 1, 3]).bytes)
        == "a.ply: byte \(size - 4): face 0 refers to vertex 3, but there are 3")
    #expect(
      try readingFault("a.ply", file([0, 1, -2]).bytes)
        == "a.ply: byte \(size - 4): face 0 refers to vertex -2, but there are 3")
    #expect(
      try readingFault("a.ply", good.bytes.dropLast())
        == "a.ply: byte \(size - 13 + 1): a list of 3 does not fit here")
    #expect(
      try readingFault("a.ply", good.bytes.dropLast(20))
        == "a.ply:3: the header claims 3 of 'vertex', but the file is too short")
  }
}

private func readingFault(_ name: String, _ bytes: ArraySlice<UInt8>) throws -> String {
  try readingFault(name, Array(bytes))
}
