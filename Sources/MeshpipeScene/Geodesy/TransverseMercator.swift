import POSIX

/// The shape of the earth that latitudes refer to.
package struct Ellipsoid: Sendable, Equatable {
  /// Half the equator's diameter in metres.
  package var axis: Double
  /// Zero for a sphere.
  package var inverseFlattening: Double

  package static let wgs84 = Ellipsoid(axis: 6_378_137, inverseFlattening: 298.257223563)
  package static let grs80 = Ellipsoid(axis: 6_378_137, inverseFlattening: 298.257222101)

  /// The ellipsoid of a geographic system by its code, for those in use with surveys of today.
  package init?(ofGeographic code: Int) {
    switch code {
    case 4326, 4979, 4322: self = .wgs84
    case 4258, 4937, 4269, 6318, 6319, 4152, 4957, 4759, 4893, 4617, 4955, 8240, 8246, 4283, 4939,
      7844,
      7843, 4674, 4989, 4612, 4947, 6668, 6667, 4167, 4959, 4737, 4927:
      self = .grs80
    default: return nil
    }
  }

  package init(axis: Double, inverseFlattening: Double) {
    self.axis = axis
    self.inverseFlattening = inverseFlattening
  }

  /// The same if it is about as large and as round as the earth; nil otherwise.
  package var ifPlausible: Ellipsoid? {
    let isPlausible =
      (6.3e6...6.5e6).contains(axis) && (inverseFlattening == 0 || inverseFlattening > 100)
    return isPlausible ? self : nil
  }
}

/// A zone of the universal transverse Mercator projection, on one side of the equator.
package struct UTMZone: Sendable, Equatable {
  package let number: Int
  package let isNorth: Bool

  package init(number: Int, isNorth: Bool) {
    (self.number, self.isNorth) = (number, isNorth)
  }

  /// The zone of a place in degrees.
  package init(longitude: Double, latitude: Double) {
    // 180 degrees east are 180 degrees west.
    let turn = longitude - 360 * (longitude / 360).rounded(.down)
    number = Int(((turn + 180) / 6).rounded(.down)) % 60 + 1
    isNorth = latitude >= 0
  }

  /// The scale on the middle of a zone.
  package static let scale = 0.9996
  package static let falseEasting = 500_000

  /// Degrees east of Greenwich in the middle of the zone.
  package var centralMeridian: Int { 6 * number - 183 }
  package var falseNorthing: Int { isNorth ? 0 : 10_000_000 }
  /// The name: `UTM zone 33N`.
  package var name: String { "UTM zone \(number)\(isNorth ? "N" : "S")" }
}

/// The universal transverse Mercator projection in a zone: degrees become metres on a map.
///
/// The series of L. Krüger, *Konforme Abbildung des Erdellipsoids in der Ebene* (1912), to the fourth order of the third
/// flattening, in the form of C. F. F. Karney, *Transverse Mercator with an accuracy of a few nanometers*, Journal of Geodesy 85
/// (2011): exact to a micrometre within the zone and its neighbours.
package struct TransverseMercator: Sendable {
  package let zone: UTMZone
  private let eccentricity: Double
  /// The radius of a circle as long as the meridian, times the scale on the middle of the zone.
  private let radius: Double
  private let series: [Double]

  /// The zone of a place in degrees.
  package init(_ ellipsoid: Ellipsoid, longitude: Double, latitude: Double) {
    self.init(ellipsoid, UTMZone(longitude: longitude, latitude: latitude))
  }

  package init(_ ellipsoid: Ellipsoid, _ zone: UTMZone) {
    self.zone = zone
    let flattening = ellipsoid.inverseFlattening == 0 ? 0 : 1 / ellipsoid.inverseFlattening
    eccentricity = (flattening * (2 - flattening)).squareRoot()
    let n = flattening / (2 - flattening)
    let (n2, n3, n4) = (n * n, n * n * n, n * n * n * n)
    radius = UTMZone.scale * ellipsoid.axis / (1 + n) * (1 + n2 / 4 + n4 / 64)
    series = [
      n / 2 - 2 * n2 / 3 + 5 * n3 / 16 + 41 * n4 / 180,
      13 * n2 / 48 - 3 * n3 / 5 + 557 * n4 / 1440,
      61 * n3 / 240 - 103 * n4 / 140,
      49_561 * n4 / 161_280,
    ]
  }

  /// East and north in metres of a place in degrees.
  package func place(longitude: Double, latitude: Double) -> SIMD2<Double> {
    var difference = longitude - Double(zone.centralMeridian)
    difference -= 360 * (difference / 360).rounded()
    let (lambda, phi) = (difference * .pi / 180, latitude * .pi / 180)
    let tangent = tan(phi)
    let secant = (1 + tangent * tangent).squareRoot()
    let sigma = sinh(eccentricity * atanh(eccentricity * tangent / secant))
    let conformal = tangent * (1 + sigma * sigma).squareRoot() - sigma * secant
    let xi = atan2(conformal, cos(lambda))
    let eta = asinh(
      sin(lambda) / (conformal * conformal + cos(lambda) * cos(lambda)).squareRoot())
    var (north, east) = (xi, eta)
    for (index, factor) in series.enumerated() {
      let order = Double(2 * (index + 1))
      north += factor * sin(order * xi) * cosh(order * eta)
      east += factor * cos(order * xi) * sinh(order * eta)
    }
    return SIMD2(
      Double(UTMZone.falseEasting) + radius * east, Double(zone.falseNorthing) + radius * north)
  }
}
