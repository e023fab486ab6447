import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

struct LASReadingTests {
  private func reading(_ fixture: LASFixture) throws -> Reading {
    let folder = try TemporaryFolder()
    return try Reading(folder.write("a.las", fixture.bytes))
  }

  /// Two points of format 3: the rest of a record after the coordinates.
  private var old: LASFixture {
    var fixture = LASFixture(format: 3)
    func rest(_ second: Bool) -> [UInt8] {
      LASFixture.little(UInt16(second ? 65_535 : 7)) + [second ? 0b1101_0010 : 0b0000_1001]
        + [second ? 0b1000_0010 : 6] + [second ? 0xF6 : 10, 9] + LASFixture.little(UInt16(300))
        + LASFixture.little((second ? 1.5 : 1e9).bitPattern)
        + [UInt16(257), 0, second ? 65_535 : 514].flatMap { LASFixture.little($0) }
    }
    fixture.points = [
      LASFixture.point(100, -200, 50, rest(false)), LASFixture.point(0, 1, 2, rest(true)),
    ]
    return fixture
  }

  @Test func `fields of the older formats are attributes`() throws {
    let reading = try reading(old)
    let cloud = try #require(reading.scene.pointClouds.first)
    #expect(reading.warnings == [])
    #expect(reading.scene.coordinateSystem == .blender)
    #expect(cloud.positions == [Vector3(1, -2, 0.5), Vector3(0, 0.01, 0.02)])
    #expect(cloud.colors == [Color(red: 1, green: 0, blue: 2), Color(red: 1, green: 0, blue: 255)])
    let classes = try #require(cloud.classes)
    #expect(classes.labels.map { classes.names[Int($0)] } == ["building", "ground"])
    let expected: [String: CustomAttribute.Values] = [
      "intensity": .uint16([7, 65_535]), "return_number": .uint8([1, 2]),
      "number_of_returns": .uint8([1, 2]), "scan_direction_flag": .uint8([0, 1]),
      "edge_of_flight_line": .uint8([0, 1]), "withheld": .uint8([0, 1]),
      "scan_angle_rank": .int8([10, -10]), "user_data": .uint8([9, 9]),
      "point_source_id": .uint16([300, 300]), "gps_time": .float64([1e9, 1.5]),
    ]
    for attribute in cloud.attributes { #expect(attribute.values == expected[attribute.name]) }
    #expect(Set(cloud.attributes.map(\.name)) == Set(expected.keys))
  }

  @Test func `names of classes and extra bytes come from the header`() throws {
    var fixture = LASFixture(minor: 4, format: 6)
    fixture.records = [
      ("other", 4, [1, 2, 3]),
      (
        "LASF_Spec", 0,
        [2] + LASFixture.text("Floor", 15) + [70] + LASFixture.text("wall decoration", 15)
      ),
      (
        "LASF_Spec", 4,
        LASFixture.extra("Amplitude", type: 3, options: 24, scale: 0.5, shift: 10)
          + LASFixture.extra("NormalX", type: 9) + LASFixture.extra("NormalY", type: 9)
          + LASFixture.extra("NormalZ", type: 9) + LASFixture.extra("id", type: 7)
          + LASFixture.extra("", type: 0, options: 3) + LASFixture.extra("pair", type: 14)
      ),
    ]
    fixture.points = [2, 70].map { (code: UInt8) in
      LASFixture.point(1, 2, 3, [0, 0, 0x11, 0, code] + [UInt8](repeating: 0, count: 13))
        + LASFixture.little(UInt16(code))
        + [Float(0), 0, 1].flatMap { LASFixture.little($0.bitPattern) }
        + LASFixture.little(UInt64(code) << 40) + [1, 2, 3]
        + LASFixture.little(Int16(-5)) + LASFixture.little(Int16(6))
    }
    let reading = try reading(fixture)
    let cloud = try #require(reading.scene.pointClouds.first)
    #expect(reading.warnings == [])
    let classes = try #require(cloud.classes)
    #expect(classes.labels.map { classes.names[Int($0)] } == ["floor", "wall-decoration"])
    #expect(cloud.normals == [Vector3(0, 0, 1), Vector3(0, 0, 1)])
    #expect(
      cloud.attributes == [
        CustomAttribute("Amplitude", values: .float64([11, 45])),
        CustomAttribute("id", values: .uint64([2 << 40, 70 << 40])),
        CustomAttribute("pair", width: 2, values: .int16([-5, 6, -5, 6])),
      ])
  }

  @Test func `points of a national grid keep their millimetres`() throws {
    var fixture = LASFixture(scale: SIMD3(repeating: 0.001), offset: SIMD3(450_000, 5.4e6, 0))
    fixture.points = [
      LASFixture.point(123_251, 11_001_125, 312_500, [UInt8](repeating: 0, count: 8)),
      LASFixture.point(124_253, 11_002_127, 313_500, [UInt8](repeating: 0, count: 8)),
    ]
    let reading = try reading(fixture)
    let positions = try #require(reading.scene.pointClouds.first).positions
    #expect(positions == [Vector3(123.251, 1.125, 312.5), Vector3(124.253, 2.127, 313.5)])
    #expect(reading.scene.origin == SIMD3(450_000, 5_411_000, 0))
    #expect(reading.warnings == [])
  }

  // MARK: Damage

  private func fault(_ change: (inout [UInt8]) -> Void) throws -> String {
    var bytes = old.bytes
    change(&bytes)
    return try readingFault("a.las", bytes)
  }

  private func put(_ number: some FixedWidthInteger, at offset: Int, _ bytes: inout [UInt8]) {
    bytes.replaceSubrange(
      offset..<offset + number.bitWidth / 8, with: LASFixture.little(number))
  }

  @Test func `a header that lies is refused`() throws {
    #expect(try fault { $0 = [] }.hasPrefix("a.las: byte 0: does not begin with LASF"))
    #expect(try fault { $0[0] = 0 }.hasPrefix("a.las: byte 0: does not begin with LASF"))
    #expect(
      try fault { $0.removeLast($0.count - 100) } == "a.las: byte 100: the file ends in the header")
    #expect(try fault { $0[25] = 9 } == "a.las: byte 24: is LAS 1.9; 1.0 to 1.4 can be read")
    #expect(try fault { put(UInt16(9), at: 94, &$0) }.contains("a header of 9 bytes"))
    #expect(
      try fault { put(UInt32.max, at: 96, &$0) }.contains("the points begin at byte 4294967295"))
    #expect(
      try fault { put(UInt32(1 << 20), at: 100, &$0) }.contains("claims 1048576 variable length"))
    #expect(try fault { $0[104] = 33 }.contains("has points of format 33"))
    #expect(try fault { $0[104] = 131 }.contains("(LAZ): decompress it with 'laszip'"))
    #expect(try fault { put(UInt16(33), at: 105, &$0) }.contains("take 34 bytes, not 33"))
    #expect(try fault { put(UInt16(65_535), at: 105, &$0) }.contains("room for at most 0"))
    #expect(try fault { put(UInt32(0), at: 107, &$0) }.contains("the file has no points"))
    #expect(
      try fault { put(UInt32(5), at: 107, &$0) }.contains(
        "claims 5 points, but the file has room for at most 2"))
    #expect(try fault { put(0.0.bitPattern, at: 139, &$0) }.contains("scale and offset"))
    #expect(try fault { put(Double.nan.bitPattern, at: 155, &$0) }.contains("scale and offset"))
    #expect(try fault { $0.removeLast(35) }.contains("has room for at most 0"))
  }

  /// As laspy reads them, too: by what is there.
  @Test func `the points that are there are read, and those that are missing told`() throws {
    func read(_ bytes: [UInt8]) throws -> Reading {
      let folder = try TemporaryFolder()
      return try Reading(folder.write("a.las", bytes))
    }
    let whole = try read(old.bytes).scene
    var cut = old.bytes
    cut.removeLast()
    var wrong = old.bytes
    put(UInt32(3), at: 107, &wrong)
    for (bytes, claimed, count) in [(cut, 2, 1), (wrong, 3, 2)] {
      let reading = try read(bytes)
      #expect(reading.scene.pointCount == count)
      #expect(
        reading.scene.pointClouds[0].positions
          == Array(whole.pointClouds[0].positions.prefix(count)))
      #expect(
        reading.warnings.contains(
          "a.las: the header claims \(claimed) points, but the file has room for \(count), which are read; is it complete?"
        ), "\(reading.warnings)")
    }
  }

  @Test(arguments: [1 << 40, UInt64.max])
  func `more points than anyone has are refused at once`(count: UInt64) throws {
    var fixture = LASFixture(minor: 4, format: 6, claimedCount: count)
    fixture.points = [LASFixture.point(1, 2, 3, [UInt8](repeating: 0, count: 18))]
    let message = try readingFault("a.las", fixture.bytes)
    #expect(
      message
        == "a.las: byte 247: the header claims \(count) points, but the file has room for at most 1"
    )
  }

  @Test func `records that extend into the points, or compress them, are refused`() throws {
    var fixture = old
    fixture.records = [("laszip encoded", 22_204, [])]
    #expect(try readingFault("a.las", fixture.bytes).contains("compressed (LAZ)"))
    fixture.records = [("other", 1, [1, 2, 3])]
    var bytes = fixture.bytes
    put(UInt16.max, at: 227 + 20, &bytes)
    #expect(try readingFault("a.las", bytes).contains("extends into the points"))
    fixture.records = [("LASF_Spec", 4, LASFixture.extra("a", type: 10))]
    let reading = try reading(fixture)
    #expect(reading.warnings == ["a.las: describes more extra bytes than its points have"])
  }

  @Test func `coordinates beyond single precision are no trap`() throws {
    var fixture = LASFixture(scale: SIMD3(repeating: 1e300), offset: SIMD3(repeating: 1e308))
    fixture.points = [LASFixture.point(.max, .min, 0, [UInt8](repeating: 0, count: 8))]
    #expect(try reading(fixture).scene.bounds.isEmpty, "no finite point")
  }
}
