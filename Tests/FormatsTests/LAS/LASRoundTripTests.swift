import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// What LAS files keep when they are read and written again.
struct LASRoundTripTests {
  private static let keys: (user: String, id: UInt16, body: [UInt8]) = (
    "LASF_Projection", 34_735,
    ([1, 1, 0, 3, 1024, 0, 1, 1, 3072, 0, 1, 2263, 3076, 0, 1, 9003] as [UInt16])
      .flatMap { LASFixture.little($0) }
  )

  /// A grid of 40 points in feet, whose offset and step are those of no other program.
  private var feet: LASFixture {
    var fixture = LASFixture(
      records: [Self.keys], scale: SIMD3(0.00025, 0.00025, 0.01),
      offset: SIMD3(980_000.123, 200_000.5, -3))
    fixture.points = (0..<40).map { (point: Int32) in
      LASFixture.point(
        point * 4001, 100_000 - point * 333, point * 7, [UInt8](repeating: 0, count: 8))
    }
    return fixture
  }

  private func read(_ fixture: LASFixture) throws -> Scene {
    let folder = try TemporaryFolder()
    return try Reading(folder.write("a.las", fixture.bytes)).scene
  }

  private func written(
    _ scene: Scene, _ options: [String: JSONValue] = [:]
  ) throws -> (bytes: [UInt8], warnings: [String]) {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.las")
    let context = WritingContext(options: options)
    try LAS.write(scene, to: output, in: context)
    return (try FileSystem.contents(of: output.mainPath), context.stage.warnings)
  }

  private func number(_ bytes: [UInt8], _ offset: Int) -> Double {
    Double(bitPattern: bytes.span.word(at: offset))
  }

  private func header(_ bytes: [UInt8]) throws -> LASHeader { try LASHeader(bytes.span) }

  @Test func `coordinates in feet are the same numbers again, with their keys`() throws {
    let (bytes, warnings) = try written(read(feet))
    #expect(warnings == [])
    let header = try header(bytes)
    #expect(header.scale == SIMD3(0.00025, 0.00025, 0.001))
    #expect(header.offset == feet.offset)
    #expect(header.referenceRecords.map(\.body) == [Self.keys.body])
    // Only the older formats of points have keys.
    #expect(header.pointFormat.number == 0)
    for point in 0..<40 {
      let start = header.pointOffset + point * header.recordLength
      func step(_ axis: Int) -> Int32 { bytes.span.word(at: start + 4 * axis) }
      #expect(step(0) == Int32(point) * 4001 && step(1) == 100_000 - Int32(point) * 333)
      #expect(step(2) == Int32(point) * 70)
    }
  }

  @Test func `a scene that was turned is written in metres without its system, which is told`()
    throws
  {
    var scene = try read(feet)
    scene.apply(Transform(scale: SIMD3(2, 2, 2)))
    let (bytes, warnings) = try written(scene)
    #expect(warnings.count == 1 && warnings[0].contains("EPSG:2263 is left out"))
    let header = try header(bytes)
    #expect(header.referenceRecords == [] && header.scale == SIMD3(repeating: 0.0001))
    #expect(header.offset == .zero)
    // Other axes and units are no turn.
    var other = try read(feet)
    other.convert(to: .arkit)
    #expect(try written(other).bytes == written(read(feet)).bytes)
    other.apply(Transform(translation: SIMD3(1, 2, 3)))
    #expect(try written(other).warnings == [])
    // Another origin is another place.
    #expect(try written(read(feet), ["origin": [0, 0, 0]]).warnings.count == 1)
    let own = try read(feet).origin
    let same = try written(read(feet), ["origin": [own.x.json, own.y.json, own.z.json]])
    #expect(try same.warnings == [] && same.bytes == written(read(feet)).bytes)
  }

  @Test func `the formats of LAS 1_4 get the text of a zone whose keys are known`() throws {
    var fixture = feet
    fixture.records[0].body.replaceSubrange(22..<24, with: LASFixture.little(UInt16(25_832)))
    fixture.records[0].body.replaceSubrange(30..<32, with: LASFixture.little(UInt16(9001)))
    let header = try header(written(read(fixture)).bytes)
    #expect(header.pointFormat.number == 6 && header.prefersText)
    #expect(header.referenceRecords.count == 2)
    let again = try #require(LASReference(header.referenceRecords, prefersText: true))
    #expect(again.system.words == "EPSG:25832 (ETRS89 / UTM zone 32N)")
    // And LAS 1.2 gets keys.
    let old = try self.header(written(read(fixture), ["version": "1.2"]).bytes)
    #expect(old.referenceRecords.map(\.id) == [34_735])
  }

  @Test func `a finer step stays, and a coarser one becomes a part of itself`() throws {
    func step(_ scale: Double, _ options: [String: JSONValue] = [:]) throws -> Double {
      var fixture = LASFixture(scale: SIMD3(repeating: scale), offset: SIMD3(5, 5, 5))
      fixture.points = [LASFixture.point(7, 8, 9, [UInt8](repeating: 0, count: 8))]
      return try number(written(read(fixture), options).bytes, 131)
    }
    #expect(try step(1e-7) == 1e-7)
    #expect(try step(0.001) == 0.001)
    #expect(abs(try step(0.02) - 0.0002) < 1e-12)
    #expect(try step(1e-7, ["scale": 0.01]) == 0.01)
    let scene = Scene(pointClouds: [PointCloud(positions: [Vector3(1, 2, 3)])])
    #expect(try number(written(scene).bytes, 131) == 0.0001)
  }

  @Test(arguments: [[:], ["version": "1.2"], ["version": "1.3"]] as [[String: JSONValue]])
  func `GPS times keep what they count from, and the file its number and its scanner`(
    options: [String: JSONValue]
  ) throws {
    var fixture = LASFixture(minor: 4, format: 6)
    fixture.points = [
      LASFixture.point(
        1, 2, 3,
        [0, 0, 0x11, 0] + [UInt8](repeating: 0, count: 6)
          + LASFixture.little((3.5e8).bitPattern))
    ]
    func read(_ encoding: UInt8, _ number: UInt8, scanner: String = "scanner") throws -> Scene {
      var bytes = fixture.bytes
      (bytes[4], bytes[6]) = (number, encoding)
      bytes.replaceSubrange(26..<58, with: LASFixture.text(scanner, 32))
      let folder = try TemporaryFolder()
      return try Reading(folder.write("a.las", bytes)).scene
    }
    for encoding: UInt8 in [16, 17] {
      let bytes = try written(read(encoding, 7), options).bytes
      #expect(bytes[6] & 1 == encoding & 1 && bytes[4] == 7)
      #expect(LASHeader.name(bytes.span, 26..<58) == "scanner")
    }
    // Points of several files are of no single one.
    var both = try read(17, 7)
    both.append(try read(17, 8, scanner: "other"))
    let bytes = try written(both, options).bytes
    #expect(bytes[6] & 1 == 1 && bytes[4] == 0)
    #expect(LASHeader.name(bytes.span, 26..<58) == "OTHER")
  }

  // MARK: Classes

  private func classified(_ codes: [UInt8], _ table: [UInt8] = []) -> LASFixture {
    var fixture = LASFixture(minor: 4, format: 6)
    if !table.isEmpty { fixture.records = [("LASF_Spec", 0, table)] }
    fixture.points = codes.map {
      LASFixture.point(Int32($0), 0, 0, [0, 0, 0x11, 0, $0] + [UInt8](repeating: 0, count: 13))
    }
    return fixture
  }

  private func codes(_ scene: Scene) throws -> [UInt8] {
    let bytes = try written(scene).bytes
    let header = try header(bytes)
    return (0..<header.pointCount).map {
      let place = header.pointFormat.classification
      return bytes[header.pointOffset + $0 * header.recordLength + place.offset]
        & UInt8(place.mask & 255)
    }
  }

  @Test func `every code of a class survives, 0 and 1 apart`() throws {
    let all = (0...255).map { UInt8($0) }
    for some in [
      all, all.filter { $0 > 0 }, [0, 0], [1, 1], [0, 2], [1, 2], [0, 1], [0, 1, 1, 0, 2],
    ] {
      #expect(try codes(read(classified(some))) == some)
    }
    // Neither of them is a class.
    let scene = try read(classified([0, 1, 2]))
    let classes = try #require(scene.pointClouds[0].classes)
    #expect(classes.labels.map { classes.names[Int($0)] } == ["none", "none", "ground"])
  }

  @Test func `codes have the names of the file, however many have the same`() throws {
    func entry(_ code: UInt8, _ name: String) -> [UInt8] { [code] + LASFixture.text(name, 15) }
    let table =
      entry(0, "Created") + entry(1, "Unclassified") + entry(2, "Floor") + entry(40, "Reserved")
      + entry(41, "Reserved") + entry(70, "wall decoration") + entry(71, "None")
    let some: [UInt8] = [0, 1, 2, 40, 41, 70, 71, 6]
    #expect(try codes(read(classified(some, table))) == some)
  }

  @Test func `tiles of which one was classified keep the codes of both`() throws {
    var scene = try read(classified([0, 0]))
    scene.append(try read(classified([1, 1])))
    scene.append(try read(classified([0, 2, 1])))
    #expect(try codes(scene) == [0, 0, 1, 1, 0, 2, 1])
    // Points that were selected keep theirs.
    scene.pointClouds[2].keepPoints([true, false, true])
    #expect(try codes(scene) == [0, 0, 1, 1, 0, 1])
  }
}
