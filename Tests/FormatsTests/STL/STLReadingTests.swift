import Formats
import MeshPipeline
import MeshTestSupport
import Testing

@Suite struct STLReadingTests {
  /// Two triangles of a square, in text.
  private let square = """
    solid my square
      facet normal 0 0 1
        outer loop
          vertex 0 0 0
          vertex 1 0 0
          vertex 1 1 0
        endloop
      endfacet
      facet normal 0 0 1
        outer loop
          vertex 0 -0 0
          vertex 1 1 0
          vertex 0 1 0
        endloop
      endfacet
    endsolid my square

    """

  /// The same in binary, its header beginning like that of a text.
  private func binary(count: UInt32 = 2) -> [UInt8] {
    var bytes = Array("solid but binary".utf8)
    bytes += [UInt8](repeating: 0x20, count: 80 - bytes.count)
    withUnsafeBytes(of: count.littleEndian) { bytes += $0 }
    for corners in [[0, 0, 0, 1, 0, 0, 1, 1, 0], [0, 0, 0, 1, 1, 0, 0, 1, 0]] {
      bytes += [UInt8](repeating: 0, count: 12)
      for corner in corners {
        withUnsafeBytes(of: Float(corner).bitPattern.littleEndian) { bytes += $0 }
      }
      bytes += [0, 0]
    }
    return bytes
  }

  @Test func `text and binary give the same welded mesh`() throws {
    let folder = try TemporaryFolder()
    for ending in ["\n", "\r\n", "\r"] {
      let mesh = try Reading.mesh("a.stl", square.replacing("\n", with: ending))
      #expect(mesh.name == "my square")
      #expect(mesh.positions.count == 4)
      #expect(mesh.indices == [0, 1, 2, 0, 2, 3])
    }
    let mesh = try #require(try Reading(folder.write("b.stl", binary())).scene.meshes.first)
    #expect(mesh.positions[3] == Vector3(0, 1, 0))
    #expect(mesh.indices == [0, 1, 2, 0, 2, 3])
    #expect(try Reading.mesh("a.stl", square.uppercased()).indices == mesh.indices)
  }

  @Test func `binary with something behind it is binary, whatever its header begins with`() throws {
    let folder = try TemporaryFolder()
    let reading = try Reading(folder.write("b.stl", binary() + [0x0A]))
    #expect(reading.scene.faceCount == 2)
    #expect(reading.warnings == ["b.stl: bytes after the last triangle are ignored (1)"])
    #expect(
      try readingFault("b.stl", Array(binary().dropLast(7)))
        == "b.stl: byte 80: the header claims 2 triangles, but the file has room for 1")
  }

  @Test func `names of solids may be classes`() throws {
    let mesh = try Reading.mesh("a.stl", square.replacing("my square", with: "Wall 2") + square)
    #expect(mesh.classes?.labels.prefix(2) == [1, 1])
    #expect(mesh.classes?.presentNames == ["wall", "my-square"])
  }

  @Test func `damage is told with its place`() throws {
    func fault(_ old: String, _ new: String) throws -> String {
      try readingFault("a.stl", square.replacing(old, with: new))
    }
    #expect(try fault("vertex 0 1 0", "vertex 0 1 x") == "a.stl:13: expected a number")
    #expect(try fault("vertex 0 1 0\n", "") == "a.stl:13: a facet has 2 corners instead of 3")
    #expect(
      try fault("vertex 0 1 0", "vretex 0 1 0")
        == "a.stl:13: unknown word 'vretex'; is this an STL file?")
    let cut = try #require(square.ranges(of: "vertex 0 1 0").first).lowerBound
    #expect(try readingFault("a.stl", String(square[..<cut])).hasSuffix("ends inside a facet"))
    #expect(try readingFault("a.stl", "") == "a.stl: contains no triangles")
    var bytes = binary(count: 4_000_000_000)
    bytes[0] = 0x58
    #expect(
      try readingFault("a.stl", bytes)
        == "a.stl: byte 80: the header claims 4000000000 triangles, but the file has room for 2")
  }
}
