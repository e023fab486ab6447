import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

struct PointTextReadingTests {
  private func reading(_ name: String, _ contents: String) throws -> Reading {
    let folder = try TemporaryFolder()
    return try Reading(folder.write(name, contents))
  }

  private func cloud(_ name: String, _ contents: String) throws -> PointCloud {
    try #require(reading(name, contents).scene.pointClouds.first)
  }

  // MARK: Delimiters

  @Test(arguments: [
    ("a.xyz", "0 0 0\n1 2 3\n4 5.5 -6\n"),
    ("a.xyz", "  0\t0 0 \r\n\r\n1 2   3\r\n4 5.5 -6"),
    ("a.xyz", "# made by hand\n//a comment\n0;0;0\n1; 2; 3\n4;5.5;-6\n"),
    ("a.csv", "X,Y,Z\n0,0,0\n1,2,3\n4,5.5,-6\n"),
    ("a.csv", "\u{FEFF}\"z\",\"y\",\"x\"\n0,0,0\n3,2,1\n-6, 5.5, 4,\n"),
    ("a.asc", "//X Y Z\n0,0,0\n1,2,3\n4,5.5,-6\n"),
    ("a.pts", "3\n0 0 0\n1 2 3\n4 5.5 -6\n"),
    ("a.pts", "0 0 0\n1 2 3\n4 5.5 -6\n"),
    ("a.xyz", "Easting Northing Elevation\n0 0 0\n1 2 3\n4 5.5 -6e0\n"),
  ])
  func `the same points in every spelling`(name: String, contents: String) throws {
    let reading = try reading(name, contents)
    let cloud = try #require(reading.scene.pointClouds.first)
    #expect(cloud.positions == [.zero, Vector3(1, 2, 3), Vector3(4, 5.5, -6)])
    #expect(cloud.colors == nil && cloud.normals == nil && cloud.attributes == [])
    #expect(reading.warnings == [])
  }

  // MARK: Colours

  private func rows(_ count: Int, _ color: (Int) -> String) -> String {
    (0..<count).map { "\($0) 0 0.5 \(color($0))\n" }.joined()
  }

  @Test(arguments: ["", "x y z r g b\n"])
  func `whole numbers that are mostly above 255 have 16 bits`(header: String) throws {
    let text = header + rows(100) { "\(600 * $0) \(600 * $0 + 1) 65535" }
    let reading = try reading("a.xyz", text)
    let cloud = try #require(reading.scene.pointClouds.first)
    #expect(cloud.wideColors?[2] == WideColor(red: 1200, green: 1201, blue: 65_535))
    #expect(cloud.colors?[2] == Color(red: 5, green: 5, blue: 255))
    #expect(reading.warnings == [])
  }

  @Test(arguments: ["", "x y z r g b\n"])
  func `a few colours out of range are told, not taken for another range`(header: String) throws {
    let text =
      header + rows(50) { "\($0) 200 7" } + "9 9 9 300 0 -1\n" + rows(9) { _ in "1 2 3" }
      + "9 9 9 0 256 0\n"
    let reading = try reading("a.xyz", text)
    let colors = try #require(reading.scene.pointClouds.first?.colors)
    #expect(colors[1] == Color(red: 1, green: 200, blue: 7))
    #expect(colors[50] == Color(red: 255, green: 0, blue: 0))
    let line = header.isEmpty ? 51 : 52
    #expect(
      reading.warnings == [
        "a.xyz:\(line): the point has a colour outside 0 to 255, as has 1 other; each such value is "
          + "replaced by the nearest end of this range"
      ])
  }

  @Test func `classes out of range are told`() throws {
    let reading = try reading(
      "a.csv", "x,y,z,classification\n0,0,0,2\n1,0,0,-1\n2,0,0,70000\n3,0,0,2.5\n")
    #expect(reading.warnings.count == 1)
    #expect(
      reading.warnings.first?.hasPrefix("a.csv:3: the point has a class that is not a whole number")
        == true)
  }

  // MARK: Columns

  @Test func `a header names the columns, in any order`() throws {
    let cloud = try cloud(
      "a.csv",
      """
      Intensity;B;G;R;x;y;z;Nx;Ny;Nz;Classification;GpsTime;scalar_confidence
      -5;3;2;1;0;0;0;0;0;2;2;1234567890.125;1
      7.5;255;0;9;1;1;1;0;1;0;1;1234567891.125;2
      """)
    #expect(cloud.positions == [.zero, Vector3(1, 1, 1)])
    #expect(cloud.colors == [Color(red: 1, green: 2, blue: 3), Color(red: 9, green: 0, blue: 255)])
    #expect(cloud.normals == [Vector3(0, 0, 1), Vector3(0, 1, 0)])
    #expect(cloud.confidences == [1, 2])
    #expect(cloud.classes?.labels == [2, 1])
    #expect(cloud.attributes["intensity"]?.values == .float32([-5, 7.5]))
    #expect(
      cloud.attributes["gpstime"]?.values == .float64([1_234_567_890.125, 1_234_567_891.125]))
  }

  @Test(arguments: [
    ("a.pts", "2\n0 0 0 -9 1 2 3\n1 1 1 40 4 5 6\n", "intensity rgb", 0),
    ("a.pts", "2\n0 0 0 9 1 2 3\n1 1 1 40 4 5 6\n", "intensity rgb", 0),
    ("a.pts", "2\n0 0 0 0 1 2 3\n1 1 1 0 4 5 6\n", "rgb", 0),
    ("a.xyz", "0 0 0 1 2 3\n1 1 1 4 5 6\n", "rgb", 0),
    ("a.xyz", "0 0 0 1 2 3 0 0 1\n1 1 1 4 5 6 0.6 0 0.8\n", "rgb normals", 0),
    ("a.xyz", "0 0 0 0 0 1 1 2 3\n1 1 1 0.6 0 0.8 4 5 6\n", "rgb normals", 0),
    ("a.xyz", "0 0 0 0.0 0.0 1.0\n1 1 1 0.6 0 0.8\n", "normals", 0),
    ("a.xyz", "0 0 0 0.0 0.2 0.4\n1 1 1 0.6 0.1 0.8\n", "rgb", 0),
    ("a.xyz", "0 0 0 1 2 3 0.5\n1 1 1 4 5 6 0.25\n", "intensity rgb", 1),
    ("a.xyz", "0 0 0 1.5\n1 1 1 2.5\n", "intensity", 1),
    ("a.xyz", "0 0 0 1.5 300\n1 1 1 2.5 700\n", "column_5 intensity", 1),
  ])
  func `columns without names are known by their values`(
    name: String, contents: String, found: String, warnings: Int
  ) throws {
    let reading = try reading(name, contents)
    let cloud = try #require(reading.scene.pointClouds.first)
    let names =
      cloud.attributes.map(\.name).sorted() + (cloud.colors == nil ? [] : ["rgb"])
      + (cloud.normals == nil ? [] : ["normals"])
    #expect(names.joined(separator: " ") == found)
    #expect(reading.warnings.count == warnings)
  }

  @Test func `colours may be fractions, and of 16 bits`() throws {
    let fractions = try cloud("a.xyz", "x y z r g b\n0 0 0 0.0 0.5 1.0\n")
    #expect(fractions.colors == [Color(red: 0, green: 128, blue: 255)])
    let words = try cloud("a.xyz", "x y z r g b\n0 0 0 0 257 65535\n")
    #expect(words.colors == [Color(red: 0, green: 1, blue: 255)])
  }

  @Test func `points of a national grid keep their millimetres`() throws {
    let reading = try reading(
      "a.xyz", "450123.251 5411001.125 312.5\n450124.253 5411002.127 313.5\n")
    let positions = try #require(reading.scene.pointClouds.first).positions
    #expect(positions == [Vector3(123.251, 1.125, 312.5), Vector3(124.253, 2.127, 313.5)])
    #expect(reading.scene.origin == SIMD3(450_000, 5_411_000, 0))
    #expect(reading.warnings == [])
  }

  @Test func `a file of another name is read if it holds points`() throws {
    let registry = FormatRegistry(builtInFormats)
    func id(_ contents: String) -> String? {
      registry.reader(forHead: FileHead(Array(contents.utf8), fileSize: contents.utf8.count))?.id
    }
    #expect(id("0 0 0\n1 2 3\n") == "xyz")
    #expect(id("x;y;z;r;g;b\n0;0;0;1;2;3\n1;2;3;4;5;6\n") == "xyz")
    #expect(id("0 0\n1 2\n") == nil)
    #expect(id("1 PINHOLE 640 480 500 500 320 240\n2 PINHOLE 640 480 500 500 320 240\n") == nil)
    #expect(id("Dear reader, there are 3 points\n") == nil)
  }

  // MARK: Faults

  @Test(arguments: [
    ("a.xyz", "", "a.xyz:1: the file has no points"),
    ("a.xyz", "# nothing\n\n", "a.xyz:2: the file has no points"),
    ("a.xyz", "hello world\n", "a.xyz:1: is neither a point nor a header"),
    ("a.csv", "Lon,Lat,Height\n11.5,48.1,5\n", "a.csv:1: its columns are degrees of longitude"),
    ("a.csv", "longitude;latitude\n11;48\n", "a.csv:1: its columns are degrees of longitude"),
    ("a.xyz", "1 2\n3 4\n", "a.xyz:1: a point has 2 numbers; it needs at least three"),
    ("a.xyz", "1 2 3\n4 5 6 7\n", "a.xyz:2: expected the end of the line, but found '7'; the line"),
    ("a.xyz", "1 2 3\n4 x 6\n", "a.xyz:2: expected a number, but found 'x'"),
    (
      "a.xyz", "1,5 2,5 3,5\n1,5 2,5 3,5\n",
      "a.xyz:1: expected a number, but found '1,5'; are these d"
    ),
    (
      "a.csv", "x;y;z\n1;2;3\n1,5;2,5;3,5\n",
      "a.csv:3: expected a number, but found '1,5'; are these"
    ),
    ("a.csv", "1,5, 2,5, 3,5\n", "a.csv:1: expected a number, but found '1,5,'; are these decimal"),
    ("a.xyz", "# x y z\n1 2 3\n\n4 nan 6\n7 8 9\n", "a.xyz:4: a coordinate is not a finite number"),
    ("a.xyz", "1 2 3\n4 1e300 6\n", "a.xyz:2: a coordinate is not a finite number"),
    ("a.csv", "x,y,z,w\n1,2,3\n", "a.csv:2: a point has 3 numbers, but the header names 4"),
    ("a.csv", "x,y,z\na,b,c\n1,2,3\n", "a.csv:2: expected a number, found 'a'"),
    ("a.pts", "3\n1 2 3\n4 5 6\n", "a.pts:1: the file claims 3 points, but has 2 lines after this"),
    ("a.pts", "1099511627776\n1 2 3\n", "a.pts:1: the file claims 1099511627776 points, but has 1"),
    ("a.pts", "0\n1 2 3\n", "a.pts:1: the file claims to have no points"),
    ("a.pts", "5\n", "a.pts:1: the file has no points"),
    ("a.xyz", "1\u{0} 2 3\n", "a.xyz:1: is not text, or text in UTF-16"),
    ("a.xyz", String(repeating: "1 ", count: 40_000), "a.xyz:1: is longer than 65536 bytes"),
  ])
  func `a fault names its line`(name: String, contents: String, message: String) throws {
    let fault = try readingFault(name, contents)
    #expect(fault.hasPrefix(message), "\(fault)")
  }

  @Test func `lines after the points of a PTS file are ignored with a warning`() throws {
    let reading = try reading("a.pts", "1\n1 2 3\n4 5 6\n")
    #expect(reading.scene.pointCount == 1)
    #expect(reading.warnings == ["a.pts: lines after the last element are ignored (1)"])
  }
}
