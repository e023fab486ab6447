import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Texts with several scans, and those that end early or hold identifiers.
@Suite struct PointTextScansTests {
  private func reading(_ name: String, _ contents: String) throws -> Reading {
    let folder = try TemporaryFolder()
    return try Reading(folder.write(name, contents))
  }

  // MARK: Scans

  @Test func `scans one after the other are one cloud with their numbers`() throws {
    for name in ["a.pts", "a.xyz"] {
      let reading = try reading(
        name, "2\n1 2 3 7 4 5 6\n2 2 3 8 4 5 6\n\n1\n9 9 9 5 1 2 3\n0\n1\n5 5 5 6 7 8 9\n")
      let cloud = reading.scene.pointClouds[0]
      #expect(cloud.positions.map(\.x) == [1, 2, 9, 5])
      #expect(cloud.attributes["scan"]?.values == .uint16([0, 0, 1, 2]))
      #expect(cloud.attributes["intensity"]?.values.doubles == [7, 8, 5, 6])
      #expect(cloud.colors?.map(\.red) == [4, 4, 1, 7])
      #expect(!reading.warnings.contains { $0.contains("ignored") })
    }
    let one = try reading("a.pts", "2\n1 2 3\n2 2 3\n").scene.pointClouds[0]
    #expect(one.attributes.isEmpty)
  }

  @Test func `a later scan may have other columns`() throws {
    let cloud = try reading("a.pts", "1\n1 2 3 7 4 5 6\n2\n2 2 3 9\n3 2 3 1\n").scene.pointClouds[0]
    #expect(cloud.positions.map(\.x) == [1, 2, 3])
    #expect(cloud.colors == [Color(red: 4, green: 5, blue: 6), .white, .white])
    #expect(cloud.attributes["intensity"]?.values.doubles == [7, 9, 1])
  }

  @Test func `colours of 16 bits stay so where scans are joined`() throws {
    let reading = try reading(
      "a.pts", "1\n1 2 3 7 4001 50002 60003\n1\n2 2 3 8 4002 50003 60004\n")
    let wide = reading.scene.pointClouds[0].wideColors
    #expect(
      wide?.map { [$0.red, $0.green, $0.blue] } == [
        [4001, 50_002, 60_003], [4002, 50_003, 60_004],
      ])
  }

  @Test func `colours out of range are told with the lines of each scan`() throws {
    let reading = try reading(
      "a.xyz", "x y z r g b\n2\n1 2 3 4 5 6\n1 2 3 -1 5 6\n\n1\n1 2 3 4 -1 6\n")
    let places = reading.warnings.map { $0.prefix { $0 != " " } }
    #expect(places == ["a.xyz:4:", "a.xyz:7:"], "\(reading.warnings)")
  }

  @Test func `a later scan that claims too many points is refused with its line`() throws {
    #expect(
      try readingFault("a.pts", "1\n1 2 3\n5\n2 2 3\n3 2 3\n")
        == "a.pts:3: the file claims 5 points, but has 2 lines after this one")
    #expect(try readingFault("a.pts", "1\n1 2 3\n5\n").hasPrefix("a.pts:3: the file claims 5"))
    #expect(try readingFault("a.pts", "1\n1 2 3\n1\n1 2 x\n").hasPrefix("a.pts:4:"))
  }

  @Test func `scans far from zero have one origin`() throws {
    let reading = try reading(
      "a.pts", "1\n583000.001 4507000 30\n1\n583001.002 4507001 31\n")
    #expect(reading.scene.origin == SIMD3(583_000, 4_507_000, 0))
    #expect(abs(reading.scene.pointClouds[0].positions[1].x - 1.002) < 1e-6)
  }

  // MARK: Ends

  @Test(arguments: [
    ("a.xyz", "1.25 2.25 3.25\n4.25 5.25 6.25\n7.25 8.2", 3, "has 2 of 3"),
    ("a.csv", "x,y,z\n1.25,2.25,3.25\n4.25,5.25,6.25\n7.25,", 4, "has 1 of 3"),
    ("a.xyz", "1.25 2.25 3.25\n4.25 5.25 6.25\n7.25 8.25 9.2", 3, "within its last number"),
    ("a.xyz", "1.25 2.25 3.25\n4.25 5\n7.25 8.25 9.25\n4.25 5.25 6.25\n1 2\n", 2, "has 2 of 3"),
    ("a.xyz", "1.25 2.25 3.25\n4.25 5.25 6.25\n7.25 8.25\n", 3, "has 2 of 3"),
    ("a.pts", "3\n1.25 2.25 3.25\n4.25 5.25 6.25\n7.25 8.2", 4, "has 2 of 3"),
  ])
  func `rows that lack numbers are left out, and it is asked whether the file is complete`(
    name: String, contents: String, line: Int, reason: String
  ) throws {
    let reading = try reading(name, contents)
    let xs = reading.scene.pointClouds[0].positions.map(\.x)
    #expect(xs.count >= 2 && xs[0] == 1.25 && !xs.contains(1))
    let warning = try #require(reading.warnings.first { $0.contains("is the file complete?") })
    #expect(warning.hasPrefix("\(name):\(line):") && warning.contains(reason), "\(warning)")
  }

  @Test func `the last row has the columns of the last scan`() throws {
    let first = "1\n1 2 3 7 4 5 6\n"
    for rows in ["2\n2 2 3 9\n3 2 3 9", "1\n2 2 3 9"] {
      let whole = try reading("a.pts", first + rows)
      #expect(!whole.warnings.contains { $0.contains("complete") })
      #expect(whole.scene.pointClouds[0].positions.last?.x == (rows.hasPrefix("1") ? 2 : 3))
    }
    let cut = try reading("a.pts", "1\n1 2 3\n3\n2 2 3 9 4 5 6\n3 2 3 9 4 5 6\n4 2 3 9")
    #expect(cut.scene.pointClouds[0].positions.map(\.x) == [1, 2, 3])
    #expect(cut.warnings.contains { $0.contains("the last row has 4 of 7 numbers") })
  }

  @Test(arguments: [
    "1 2 3\n4 5 6\n7 8 9", "1.25 2 3.5\n4 5 6.25\n7 8 9.1", "1.25 2.25 3.25\n4.25 5.25 6.00",
  ])
  func `a last line without an end is usual`(contents: String) throws {
    #expect(try reading("a.xyz", contents).warnings == [])
  }

  @Test func `a file of short rows is not points`() throws {
    #expect(
      try readingFault("a.xyz", "1 2 3\n4 5\n6 7\n8 9\n").contains("the line has 2 columns"))
    #expect(try readingFault("a.xyz", "1 2 3\n4 5 6\n6 x\n").hasPrefix("a.xyz:3:"))
  }

  // MARK: Zero and identifiers

  @Test func `points at zero don't cost a national grid its millimetres`() throws {
    for zeros in ["0 0 0\n", "0.000 0.000 0.000\n"] {
      let rows = "583000.001 4507000.002 30\n583000.003 4507001.004 31\n583001.5 4507000.5 32\n"
      let reading = try reading("a.xyz", zeros + rows + zeros)
      let scene = reading.scene
      #expect(scene.origin == SIMD3(583_000, 4_507_000, 0))
      #expect(abs(scene.pointClouds[0].positions[2].x - 0.003) < 1e-6)
      #expect(scene.unseenPointCount == 2)
    }
  }

  @Test func `identifiers in a column are exact`() throws {
    let a: UInt64 = 18_446_744_073_709_551_615
    let b: UInt64 = 9_007_199_254_740_993
    for (name, text) in [
      ("a.csv", "id,x,y,z\n\(a),1,2,3\n\(b),4,5,6\n"),
      ("a.xyz", "# x y z Track_ID\n1 2 3 \(a)\n4 5 6 \(b)\n"),
      ("a.xyz", "\(a) 1 2 3\n\(b) 4 5 6\n"), ("a.txt.xyz", "1 2 3 \(a)\n4 5 6 \(b)\n"),
    ] {
      let cloud = try reading(name, text).scene.pointClouds[0]
      #expect(cloud.positions == [Vector3(1, 2, 3), Vector3(4, 5, 6)])
      #expect(cloud.attributes.identifier?.values == .uint64([a, b]), "\(text)")
    }
    let small = try reading("a.csv", "x,y,z,id\n1,2,3,7\n4,5,6,8\n").scene.pointClouds[0]
    #expect(small.attributes["id"]?.values == .uint64([7, 8]))
    let fault = try readingFault("a.csv", "x,y,z,id\n1,2,3,7\n4,5,6,\(a)0\n")
    #expect(fault.contains("a whole number from 0 to"), "\(fault)")
  }

  @Test(arguments: ["-1", "0.5", "-2.5e0"])
  func `a column of identifiers with another number is read as numbers`(odd: String) throws {
    // The sample has 1024 rows of each block, and misses the last row.
    func text(_ first: String, _ last: String) -> String {
      "x,y,z,id\n1,2,3,\(first)\n" + String(repeating: "1,2,3,7\n", count: 1500) + "4,5,6,\(last)\n"
    }
    let reading = try reading("a.csv", text("7", odd))
    let values = reading.scene.pointClouds[0].attributes["id"]?.values.doubles
    #expect(values?.count == 1502 && values?[0] == 7 && values?[1501] == Double(odd))
    #expect(reading.warnings == [])
    let rounded = try self.reading("a.csv", text("9007199254740993", odd))
    #expect(rounded.warnings.count == 1)
    #expect(rounded.warnings[0].contains("a.csv:1503: 'id' is not a whole number"))
    #expect(rounded.warnings[0].contains("above 9007199254740992 are rounded"))
    #expect(try readingFault("a.csv", text("7", "x")).hasPrefix("a.csv:1503:"))
  }
}
