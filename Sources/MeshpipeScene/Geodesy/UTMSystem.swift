/// A zone of the universal transverse Mercator projection on a datum, as a coordinate reference system.
package struct UTMSystem: Sendable {
  /// A datum, and the codes of its zones in the EPSG registry.
  package struct Datum: Sendable {
    package var name: String
    package var fullName: String
    package var spheroid: String
    package var ellipsoid: Ellipsoid
    /// The codes of its geographic systems.
    package var geographic: [Int]
    /// What is added to the number of a zone.
    package var north: Int?
    package var south: Int?
    package var zones: ClosedRange<Int>
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

  package let datum: Datum
  package let zone: UTMZone
  /// Nil for a datum whose codes are not known here.
  package let code: Int?

  /// Nil for the code of another system.
  package init?(code: Int) {
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
  package init(
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
  package var name: String { "\(datum.name) / \(zone.name)" }
}
