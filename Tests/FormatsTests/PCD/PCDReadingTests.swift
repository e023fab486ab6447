import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

struct PCDReadingTests {
  private func reading(_ contents: [UInt8]) throws -> Reading {
    let folder = try TemporaryFolder()
    return try Reading(folder.write("a.pcd", contents))
  }

  @Test func `text has fields of any kind, and points that were not seen`() throws {
    let reading = try reading(Array(PCDFixture.text.utf8))
    let cloud = try #require(reading.scene.pointClouds.first)
    #expect(cloud.positions == [Vector3(1, 2, 3), Vector3(4, 5, 6)])
    #expect(cloud.normals == [Vector3(0, 0, 1), Vector3(0, 1, 0)])
    #expect(
      cloud.colors == [
        Color(red: 0, green: 255, blue: 255), Color(red: 255, green: 255, blue: 255),
      ])
    #expect(cloud.classes?.labels == [1, 2])
    #expect(
      cloud.attributes == [
        CustomAttribute("curvature", values: .float32([0.5, 0.25])),
        CustomAttribute("stamp", values: .uint64([1_600_000_000_000_000, 8])),
        CustomAttribute("hist", width: 2, values: .float32([1, 2, 3, 4])),
      ])
    #expect(reading.warnings.count == 2)
    #expect(reading.warnings[0].contains("are left out (2)"))
    #expect(reading.warnings[1].contains("viewpoint"))
  }

  @Test(arguments: [PCDFixture.binary, PCDFixture.compressed])
  func `binary files have the same points, compressed or not`(contents: [UInt8]) throws {
    let reading = try reading(contents)
    let cloud = try #require(reading.scene.pointClouds.first)
    #expect(reading.warnings == [])
    #expect(cloud.positions == [Vector3(1, 2, 3), Vector3(4, 5, 6)])
    #expect(
      cloud.colors == [
        Color(red: 1, green: 2, blue: 3), Color(red: 4, green: 5, blue: 6, alpha: 128),
      ])
    #expect(cloud.attributes == [CustomAttribute("stamp", values: .float64([-2, 0x1p40]))])
  }

  @Test func `points of a national grid keep their millimetres`() throws {
    let header = PCDFixture.header(
      "binary", fields: "x y z", size: "8 8 8", type: "F F F", count: "1 1 1")
    let numbers = [450_123.251, 5_411_001.125, 312.5, 450_124.253, 5_411_002.127, 313.5]
    let files = [
      Array(header.utf8) + numbers.flatMap { PCDFixture.little($0.bitPattern) },
      Array(
        (header.replacing("binary", with: "ascii")
          + "450123.251 5411001.125 312.5\n450124.253 5411002.127 313.5\n").utf8),
    ]
    for file in files {
      let reading = try reading(file)
      let positions = try #require(reading.scene.pointClouds.first).positions
      #expect(positions == [Vector3(123.251, 1.125, 312.5), Vector3(124.253, 2.127, 313.5)])
      #expect(reading.scene.origin == SIMD3(450_000, 5_411_000, 0))
      #expect(reading.warnings == [])
    }
  }

  // MARK: Damage

  private func fault(_ header: String, _ body: [UInt8]) throws -> String {
    try readingFault("a.pcd", Array(header.utf8) + body)
  }

  @Test func `wrong counts and sizes are refused`() throws {
    let body = PCDFixture.records
    func header(_ points: String, _ data: String = "binary") -> String {
      PCDFixture.header(data, points: points)
    }
    #expect(try fault("", []).contains("the header has no DATA"))
    #expect(try fault("hello\n", []) == "a.pcd:1: unknown word 'hello' in the header")
    #expect(try fault(header("POINTS 3"), body).contains("claims 3 points, but 2 by 1"))
    #expect(try fault(header("POINTS -3"), body).contains("a.pcd:8: expected 'POINTS NUMBER'"))
    #expect(
      try fault(header("WIDTH 1099511627776\nPOINTS 1099511627776"), body).contains("too short"))
    #expect(
      try fault(header("WIDTH 9223372036854775807\nHEIGHT 9\n"), body).contains(
        "but 9223372036854775807 by 9"))
    #expect(
      try fault(header("POINTS 2"), body.dropLast()).contains(
        "claims 2 of 'point', but the file is too short"))
    #expect(try fault(header("WIDTH 0\nPOINTS 0"), body).contains("the file has no points"))
    #expect(try fault(header("POINTS 2", "zip"), body).contains("DATA must be ascii, binary or"))
    let fields = "x y z"
    func other(size: String, type: String = "F F F", count: String = "1 1 1") throws -> String {
      try fault(
        PCDFixture.header("binary", fields: fields, size: size, type: type, count: count), body)
    }
    #expect(try other(size: "4 4").contains("there are 3 fields, but 2 values"))
    #expect(try other(size: "4 4 3").contains("'3' is invalid"))
    #expect(try other(size: "4 4 2").contains("field 'z' is a number of 2 bytes"))
    #expect(try other(size: "4 4 4", type: "F F X").contains("'X' is invalid"))
    #expect(try other(size: "4 4 4", count: "1 1 1099511627776").contains("is invalid"))
    #expect(try other(size: "8 8 8", count: "65536 65536 1").contains("is too large"))
    #expect(try other(size: "4 4 4", count: "2 1 1").contains("no x, y and z"))
    let flat = PCDFixture.header("ascii", fields: "x y", size: "4 4", type: "F F", count: "1 1")
    #expect(try fault(flat, body).contains("no fields x, y and z"))
  }

  @Test func `text with commas, too few numbers or lines is refused`() throws {
    let header = PCDFixture.header(
      "ascii", fields: "x y z", size: "4 4 4", type: "F F F", count: "1 1 1")
    func fault(_ lines: String) throws -> String { try self.fault(header, Array(lines.utf8)) }
    #expect(
      try fault("1,5 2,5 3,5\n1,5 2,5 3,5\n") == "a.pcd:10: expected a number, but found '1,5'")
    #expect(try fault("1000 2000 3000\n4 5\n") == "a.pcd:11: expected a number, but the line ends")
    #expect(try fault("1 2 3 4 5 6 7\n").contains("the end of the line, but found '4'"))
    #expect(try fault("1000 2000 3000\n").contains("the file ends before 'point' 2 of 2"))
    #expect(try fault("nan nan nan\nnan nan nan\n").contains("no point has finite coordinates"))
  }

  @Test func `colours and classes out of range are told with their lines`() throws {
    let header = PCDFixture.header(
      "ascii", fields: "x y z r g b label", size: "4 4 4 4 4 4 4", type: "F F F I I I U",
      count: "1 1 1 1 1 1 1")
    let reading = try reading(Array((header + "1 2 3 4 5 6 70000\n1 2 3 -1 5 6 1\n").utf8))
    #expect(reading.warnings.count == 2)
    #expect(reading.warnings[0].hasPrefix("a.pcd:11: the point has a colour outside 0 to 255"))
    #expect(reading.warnings[1].hasPrefix("a.pcd:10: the point has a class that is not a whole"))
  }

  @Test func `damaged compression is refused`() throws {
    let header = PCDFixture.header("binary_compressed")
    let lzf = PCDFixture.lzf
    func fault(_ packed: UInt32, _ size: UInt32, _ body: [UInt8]) throws -> String {
      try self.fault(header, PCDFixture.little(packed) + PCDFixture.little(size) + body)
    }
    let count = UInt32(lzf.count)
    #expect(try self.fault(header, [1, 2, 3]).contains("the file ends in the header"))
    #expect(try fault(count + 1, 54, lzf).contains("but the file is too short"))
    #expect(try fault(count, 55, lzf).contains("2 points can't be in"))
    #expect(try fault(count - 1, 54, lzf).contains("are damaged"))
    let claim = header.replacing("POINTS 2", with: "WIDTH 100000000\nPOINTS 100000000")
    let size = PCDFixture.little(UInt32(2_700_000_000))
    #expect(try self.fault(claim, PCDFixture.little(count) + size + lzf).contains("can't be in"))
    for place in lzf.indices {
      var damaged = lzf
      damaged[place] ^= 0xE0
      _ = try? fault(count, 54, damaged)
    }
  }
}
