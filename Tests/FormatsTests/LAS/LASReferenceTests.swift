import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

struct LASReferenceTests {
  /// Keys of GeoTIFF, each a short number in its place.
  private func keys(_ pairs: (UInt16, UInt16)...) -> (user: String, id: UInt16, body: [UInt8]) {
    var words: [UInt16] = [1, 1, 0, UInt16(pairs.count)]
    for (key, value) in pairs { words += [key, 0, 1, value] }
    return ("LASF_Projection", 34_735, words.flatMap { (word: UInt16) in LASFixture.little(word) })
  }

  private func text(_ text: String) -> (user: String, id: UInt16, body: [UInt8]) {
    ("LASF_Projection", 2112, Array(text.utf8) + [0])
  }

  /// Two points with 1000 steps between them along each axis.
  private func fixture(
    _ records: [(user: String, id: UInt16, body: [UInt8])],
    scale: SIMD3<Double> = SIMD3(repeating: 0.01),
    offset: SIMD3<Double> = SIMD3(980_000.5, 200_000, 30)
  ) -> LASFixture {
    var fixture = LASFixture(records: records, scale: scale, offset: offset)
    fixture.points = [(0, 0, 0), (1000, 1000, 1000)].map { (x: Int32, y: Int32, z: Int32) in
      LASFixture.point(x, y, z, [UInt8](repeating: 0, count: 8))
    }
    return fixture
  }

  private func read(
    _ fixture: LASFixture
  ) throws -> (scene: Scene, size: SIMD3<Double>, warnings: [String]) {
    let folder = try TemporaryFolder()
    let reading = try Reading(folder.write("a.las", fixture.bytes))
    return (reading.scene, SIMD3<Double>(reading.scene.bounds.size), reading.warnings)
  }

  private func expect(_ size: SIMD3<Double>, _ expected: SIMD3<Double>) {
    for axis in 0..<3 { #expect(abs(size[axis] - expected[axis]) < 1e-3) }
  }

  private static let us = 1200.0 / 3937

  @Test func `feet become metres, of either kind and for heights alone`() throws {
    let (us, foot) = (Self.us, 0.3048)
    // The unit of the map, with or without that of the heights; the code alone; heights alone.
    let cases: [([(user: String, id: UInt16, body: [UInt8])], Double, Double)] = [
      ([keys((1024, 1), (3072, 2263), (3076, 9003), (4099, 9003))], us, us),
      ([keys((1024, 1), (3072, 32_767), (3076, 9002), (4099, 9001))], foot, 1),
      ([keys((1024, 1), (3072, 2263))], us, us),
      ([keys((1024, 1), (3072, 2222))], foot, foot),
      ([keys((1024, 1), (3072, 26_918), (4096, 6360))], 1, us),
      ([keys((1024, 1), (3072, 25_832), (3076, 9001))], 1, 1),
      ([keys((1024, 1), (3076, 9036), (4099, 9001))], 1000, 1),
      (
        [
          text(
            #"PROJCS["a",GEOGCS["b",UNIT["degree",0.01745]],UNIT["US survey foot",0.304800609601219]]"#
          )
        ], us, us
      ),
      (
        [
          text(
            #"COMPD_CS["c",PROJCS["a",GEOGCS["b",UNIT["degree",0.01745]],UNIT["foot",0.3048]],VERT_CS["h",VERT_DATUM["d",2005],UNIT["metre",1]]]"#
          )
        ], foot, 1
      ),
      (
        [
          text(
            #"PROJCRS["a",BASEGEOGCRS["b",DATUM["c",ELLIPSOID["d",6378137,298.25]]],CS[Cartesian,2],AXIS["(E)",east,ORDER[1]],LENGTHUNIT["US survey foot",0.304800609601219],ID["EPSG",2263]]"#
          )
        ], us, us
      ),
      (
        [
          text(
            #"PROJCRS["a",CS[Cartesian,2],AXIS["(E)",east,LENGTHUNIT["foot",0.3048]],AXIS["(N)",north,LENGTHUNIT["foot",0.3048]]]"#
          )
        ], foot, foot
      ),
    ]
    for (records, horizontal, vertical) in cases {
      let found = try read(fixture(records))
      expect(found.size, SIMD3(10 * horizontal, 10 * horizontal, 10 * vertical))
      #expect(found.scene.coordinateSystem.metersPerUnit == 1)
      let first = found.scene.origin + found.scene.pointClouds[0].positions[0].double
      expect(first, SIMD3(980_000.5 * horizontal, 200_000 * horizontal, 30 * vertical))
    }
  }

  @Test func `a unit of its own is a number among the keys, and names are texts`() throws {
    var words: [UInt16] = [1, 1, 0, 4, 1024, 0, 1, 1]
    words += [3072, 0, 1, 32_767, 3073, 34_737, 5, 3, 3077, 34_736, 1, 0]
    let records: [(user: String, id: UInt16, body: [UInt8])] = [
      ("LASF_Projection", 34_735, words.flatMap { LASFixture.little($0) }),
      ("LASF_Projection", 34_736, LASFixture.little(0.5.bitPattern)),
      ("LASF_Projection", 34_737, Array("no|site|".utf8)),
    ]
    let found = try read(fixture(records))
    expect(found.size, SIMD3(5, 5, 5))
    let system = try #require(found.scene.survey?.referenceSystem)
    #expect(system.words == "site" && system.code == nil)
  }

  @Test(arguments: [1e-305, 1e300, 0, -2, Double.nan, .infinity])
  func `a unit that can't be is ignored with a warning that names it`(unit: Double) throws {
    var words: [UInt16] = [1, 1, 0, 2, 1024, 0, 1, 1]
    words += [3077, 34_736, 1, 0]
    let keys: [(user: String, id: UInt16, body: [UInt8])] = [
      ("LASF_Projection", 34_735, words.flatMap { LASFixture.little($0) }),
      ("LASF_Projection", 34_736, LASFixture.little(unit.bitPattern)),
    ]
    let found = try read(fixture(keys))
    expect(found.size, SIMD3(10, 10, 10))
    let number = JSONValue.text(of: unit)
    #expect(
      found.warnings.contains {
        $0.contains("its unit is \(number) m long, which can't be")
          && $0.contains("taken for metres")
      })
    // Where the map has a unit of its own, nothing asks for that of geographic coordinates.
    var both: [UInt16] = [1, 1, 0, 3, 1024, 0, 1, 1]
    both += [2053, 34_736, 1, 0, 3076, 0, 1, 9002]
    let mapped = try read(
      fixture([("LASF_Projection", 34_735, both.flatMap { LASFixture.little($0) }), keys[1]]))
    expect(mapped.size, SIMD3(3.048, 3.048, 3.048))
    #expect(!mapped.warnings.contains { $0.contains("which can't be") }, "\(mapped.warnings)")
    // Text has finite numbers only; the map's feet stay beside heights that can't be.
    guard unit.isFinite else { return }
    let record = text(
      #"COMPD_CS["c",PROJCS["a",UNIT["foot",0.3048]],VERT_CS["h",UNIT["x",\#(unit)]]]"#)
    let feet = try read(fixture([record]))
    expect(feet.size, SIMD3(3.048, 3.048, 10))
    #expect(
      feet.warnings.contains {
        $0.contains("\(number) m long, which can't be") && $0.contains("feet, heights in metres")
      })
    // What was read can be written.
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.las")
    try LAS.write(feet.scene, to: output, in: WritingContext())
  }

  @Test func `the system has its code and its name`() throws {
    let found = try read(fixture([keys((1024, 1), (3072, 25_832), (4096, 7837))]))
    #expect(found.scene.survey?.referenceSystem?.words == "EPSG:25832+7837 (ETRS89 / UTM zone 32N)")
    let named = try read(
      fixture([
        text(
          #"PROJCS["NAD83 / New York Long Island (ftUS)",UNIT["US survey foot",0.304800609601219],AUTHORITY["EPSG","2263"]]"#
        )
      ]))
    #expect(
      named.scene.survey?.referenceSystem?.words
        == "EPSG:2263 (NAD83 / New York Long Island (ftUS))")
    #expect(named.scene.interpretation[.referenceSystem]?.source == .declared)
    #expect(named.scene.interpretation[.unit]?.value == "US survey feet")
  }

  @Test func `a record after the points counts, too`() throws {
    var fixture = fixture([])
    (fixture.minor, fixture.format) = (4, 6)
    fixture.points = fixture.points.map { Array($0.prefix(12)) + [UInt8](repeating: 0, count: 18) }
    var bytes = fixture.bytes
    let body = Array(#"PROJCS["a",UNIT["foot",0.3048]]"#.utf8)
    bytes.replaceSubrange(235..<243, with: LASFixture.little(UInt64(bytes.count)))
    bytes.replaceSubrange(243..<247, with: LASFixture.little(UInt32(1)))
    bytes += [0, 0] + LASFixture.text("LASF_Projection", 16) + LASFixture.little(UInt16(2112))
    bytes += LASFixture.little(UInt64(body.count)) + LASFixture.text("", 32) + body
    let folder = try TemporaryFolder()
    let reading = try Reading(folder.write("a.las", bytes))
    expect(SIMD3<Double>(reading.scene.bounds.size), SIMD3(repeating: 3.048))
    // Cut off, it is told, and nothing else is lost.
    let cut = try Reading(folder.write("b.las", Array(bytes.dropLast())))
    #expect(cut.warnings.contains { $0.contains("the records after its points are cut off") })
    #expect(cut.scene.pointCount == 2)
  }

  @Test(arguments: [
    "PROJCS[", "[[[[", "PROJCS[\"a\",UNIT[\"foot\",0]]", String(repeating: "A[", count: 20_000), "",
    "PROJCS[\"a\",UNIT[\"foot\",nan]]", "\u{0}", "PROJCS[\"a",
  ])
  func `text that is no system is no trap, and coordinates stay`(damaged: String) throws {
    expect(try read(fixture([text(damaged)])).size, SIMD3(10, 10, 10))
  }

  @Test func `keys that are cut off are no trap`() throws {
    let whole = keys((1024, 1), (3072, 2263), (3077, 9003))
    for length in 0..<whole.body.count {
      _ = try read(fixture([(whole.user, whole.id, Array(whole.body.prefix(length)))]))
    }
    let words: [UInt16] = [1, 1, 0, 2, 3077, 34_736, 1, 65_535, 3073, 34_737, 65_535, 65_535]
    _ = try read(fixture([("LASF_Projection", 34_735, words.flatMap { LASFixture.little($0) })]))
  }

  // MARK: Degrees

  @Test func `degrees become the zone of UTM that PROJ gives`() throws {
    // PROJ 9.4, to a micrometre.
    let places: [(Double, Double, Double, Double)] = [
      (13.4, 52.5, 391_390.731340, 5_817_855.240817),
      (-74.1, 40.7, 576_034.005799, 4_505_844.515772),
      (151.2, -33.9, 333_568.941012, 6_247_473.336844),
      (179.5, 10, 774_071.053387, 1_106_451.278254),
    ]
    for (longitude, latitude, east, north) in places {
      let map = TransverseMercator(.wgs84, longitude: longitude, latitude: latitude)
      let place = map.place(longitude: longitude, latitude: latitude)
      #expect(abs(place.x - east) < 2e-6 && abs(place.y - north) < 2e-6)
    }
    #expect(TransverseMercator(.wgs84, longitude: 180, latitude: 0).zone.number == 1)
    #expect(TransverseMercator(.wgs84, longitude: -180, latitude: -1).zone.name == "UTM zone 1S")
  }

  private func degrees(_ records: [(user: String, id: UInt16, body: [UInt8])]) -> LASFixture {
    fixture(records, scale: SIMD3(1e-7, 1e-7, 0.001), offset: SIMD3(13.4, 52.5, 30))
  }

  @Test func `declared degrees are projected with a warning`() throws {
    let found = try read(degrees([keys((1024, 2), (2048, 4258))]))
    // 1e-4 degrees there, by PROJ, in EPSG:25833.
    expect(found.size, SIMD3(7.0341, 10.9717, 1))
    #expect(found.scene.survey?.referenceSystem?.words == "EPSG:25833 (ETRS89 / UTM zone 33N)")
    #expect(
      found.warnings.first?.contains("its coordinates are degrees (EPSG:4258, by its header)")
        == true)
    let nameless = try read(
      degrees([
        text(
          #"GEOGCS["old",DATUM["d",SPHEROID["s",6378206.4,294.978698213898]],UNIT["degree",0.0174532925199433]]"#
        )
      ]))
    #expect(nameless.scene.survey?.referenceSystem?.words == "old / UTM zone 33N")
  }

  @Test func `numbers that can only be degrees are taken for them, and others are not`() throws {
    let found = try read(degrees([]))
    #expect(found.scene.survey?.referenceSystem?.code == "EPSG:32633")
    #expect(found.warnings.first?.contains("'--input-unit m' takes them for metres") == true)
    #expect(found.scene.interpretation[.referenceSystem]?.source == .numbers)
    let folder = try TemporaryFolder()
    let path = try folder.write("a.las", degrees([]).bytes)
    let scene = try LAS.read(path, in: ReadingContext().reading(metersPerUnit: 1))
    expect(SIMD3<Double>(scene.bounds.size), SIMD3(1e-4, 1e-4, 1))
    // A mast of 10 m, and a coin in fine steps near zero.
    var mast = fixture([], scale: SIMD3(0.0001, 0.0001, 0.01), offset: SIMD3(13, 52, 0))
    #expect(try read(mast).warnings == [])
    mast = fixture([], scale: SIMD3(1e-6, 1e-6, 1e-6), offset: .zero)
    #expect(try read(mast).warnings == [])
  }

  @Test func `what is neither a map nor degrees that can be projected is refused with the way out`()
    throws
  {
    func fault(_ fixture: LASFixture) throws -> String { try readingFault("a.las", fixture.bytes) }
    let unknown = try fault(degrees([keys((1024, 2), (2048, 32_767))]))
    #expect(unknown.contains("degrees, on an ellipsoid that its header does not describe"))
    #expect(unknown.contains("pdal translate"))
    #expect(try fault(fixture([keys((1024, 3))])).contains("from the middle of the earth"))
    #expect(
      try fault(degrees([keys((1024, 2), (2048, 4326), (2054, 9101))])).contains(
        "other than degrees"))
    let sexagesimal = [
      keys((1024, 2), (2048, 4326), (2054, 9110)),
      text(
        #"GEOGCS["a",UNIT["sexagesimal DMS",0.0174532925199433,AUTHORITY["EPSG","9110"]]]"#),
    ]
    for record in sexagesimal {
      let message = try fault(degrees([record]))
      #expect(message.contains("DDD.MMSSsss") && message.contains("decimal degrees first"))
    }
    var wide = degrees([keys((1024, 2), (2048, 4326))])
    wide.scale.x = 0.02
    #expect(try fault(wide).contains("too far apart"))
    // A header that the numbers contradict is not believed.
    let metres = try read(fixture([keys((1024, 2), (2048, 4326))]))
    expect(metres.size, SIMD3(10, 10, 10))
    #expect(metres.warnings.first?.contains("which they can't be") == true)
  }
}
