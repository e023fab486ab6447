import MeshPipeline

/// A zone of the universal transverse Mercator projection on a datum, as a coordinate reference system.
struct UTMSystem {
  /// A datum, and the codes of its zones in the EPSG registry.
  private struct Datum {
    var name: String
    var fullName: String
    var spheroid: String
    var ellipsoid: Ellipsoid
    /// The codes of its geographic systems.
    var geographic: [Int]
    /// What is added to the number of a zone.
    var north: Int?
    var south: Int?
    var zones: ClosedRange<Int>
  }

  private static let data = [
    Datum(
      name: "WGS 84", fullName: "WGS_1984", spheroid: "WGS 84", ellipsoid: .wgs84,
      geographic: [4326, 4979], north: 32_600, south: 32_700, zones: 1...60),
    Datum(
      name: "ETRS89", fullName: "European_Terrestrial_Reference_System_1989", spheroid: "GRS 1980",
      ellipsoid: .grs80, geographic: [4258, 4937], north: 25_800, zones: 28...38),
    Datum(
      name: "NAD83", fullName: "North_American_Datum_1983", spheroid: "GRS 1980",
      ellipsoid: .grs80, geographic: [4269], north: 26_900, zones: 1...23),
  ]

  private let datum: Datum
  private let zone: UTMZone
  /// Nil for a datum whose codes are not known here.
  let code: Int?

  /// Nil for the code of another system.
  init?(code: Int) {
    for datum in Self.data {
      for case (let first?, let isNorth) in [(datum.north, true), (datum.south, false)]
      where datum.zones.contains(code - first) {
        self.datum = datum
        zone = UTMZone(number: code - first, isNorth: isNorth)
        self.code = code
        return
      }
    }
    return nil
  }

  /// The system of a projection from degrees.
  init(
    _ projection: TransverseMercator, _ ellipsoid: Ellipsoid,
    geographic: (code: Int?, name: String?)
  ) {
    zone = projection.zone
    if let code = geographic.code,
      let known = Self.data.first(where: { $0.geographic.contains(code) })
    {
      datum = known
      let first = zone.isNorth ? known.north : known.south
      self.code =
        known.zones.contains(zone.number) ? first.map { $0 + projection.zone.number } : nil
    } else {
      datum = Datum(
        name: geographic.name ?? "unknown datum", fullName: "unknown", spheroid: "unknown",
        ellipsoid: ellipsoid, geographic: [], zones: 0...0)
      code = nil
    }
  }

  /// The name: `WGS 84 / UTM zone 33N`.
  var name: String { "\(datum.name) / \(zone.name)" }

  /// The system as well-known text of the first version, as LAS has it.
  var text: String {
    func number(_ value: Double) -> String { JSONValue.text(of: value) }
    let (axis, flattening) = (datum.ellipsoid.axis, datum.ellipsoid.inverseFlattening)
    let geographic = """
      GEOGCS["\(datum.name)",DATUM["\(datum.fullName)",SPHEROID["\(datum.spheroid)",\
      \(number(axis)),\(number(flattening))]],PRIMEM["Greenwich",0],\
      UNIT["degree",0.0174532925199433]\
      \(datum.geographic.first.map { ",AUTHORITY[\"EPSG\",\"\($0)\"]" } ?? "")]
      """
    return """
      PROJCS["\(name)",\(geographic),PROJECTION["Transverse_Mercator"],\
      PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",\(zone.centralMeridian)],\
      PARAMETER["scale_factor",\(number(UTMZone.scale))],\
      PARAMETER["false_easting",\(UTMZone.falseEasting)],\
      PARAMETER["false_northing",\(zone.falseNorthing)],UNIT["metre",1],\
      AXIS["Easting",EAST],AXIS["Northing",NORTH]\
      \(code.map { ",AUTHORITY[\"EPSG\",\"\($0)\"]" } ?? "")]
      """
  }

  /// The system as a scene has it.
  var referenceSystem: ReferenceSystem {
    var system = ReferenceSystem()
    system.code = code.map { "EPSG:\($0)" }
    system.name = name
    system.records = [LASRecords.text(of: text)] + (code.map { [LASRecords.keys(ofMap: $0)] } ?? [])
    return system
  }
}

/// Records of LAS that describe coordinate reference systems.
enum LASRecords {
  /// A system as well-known text, which ends with a zero.
  static func text(of text: String) -> ReferenceSystem.Record {
    ReferenceSystem.Record(
      user: LASReference.user, id: LASReference.text, title: "WKT", body: Array(text.utf8) + [0])
  }

  /// A map in metres by its code, as keys of GeoTIFF.
  static func keys(ofMap code: Int) -> ReferenceSystem.Record {
    let keys: [(UInt16, Int)] = [(1024, 1), (1025, 1), (3072, code), (3076, 9001)]
    var words: [UInt16] = [1, 1, 0, UInt16(keys.count)]
    for (key, value) in keys { words += [key, 0, 1, UInt16(clamping: value)] }
    var body = ByteBuffer()
    for word in words { body.append(word) }
    return ReferenceSystem.Record(
      user: LASReference.user, id: GeoKeys.directory, title: "GeoTIFF keys", body: body.bytes)
  }
}
