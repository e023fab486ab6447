import MeshpipeBase
import POSIX

/// A place on the earth.
package struct GeographicPosition: Sendable, Equatable {
  /// Degrees north of the equator and east of Greenwich, on the WGS 84 ellipsoid.
  package var (latitude, longitude): (Double, Double)
  /// Metres above the sea or the ellipsoid, as the source says.
  package var height: Double

  package init(latitude: Double, longitude: Double, height: Double = 0) {
    (self.latitude, self.longitude, self.height) = (latitude, longitude, height)
  }

  /// `50.123456° N, 8.654321° E`.
  package var words: String {
    func degrees(_ value: Double, _ letters: (String, String)) -> String {
      "\(NumberText.fixed(abs(value), digits: 6))° \(value < 0 ? letters.1 : letters.0)"
    }
    return "\(degrees(latitude, ("N", "S"))), \(degrees(longitude, ("E", "W")))"
  }
}

/// East, north and up about a place, in metres: the tangent plane of the WGS 84 ellipsoid.
package struct LocalTangentPlane: Sendable {
  package let middle: GeographicPosition
  private let center: SIMD3<Double>
  private let (east, north, up): (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)

  package init(at middle: GeographicPosition) {
    self.middle = middle
    center = Self.geocentric(middle)
    let (phi, lambda) = (middle.latitude * .pi / 180, middle.longitude * .pi / 180)
    east = SIMD3(-sin(lambda), cos(lambda), 0)
    north = SIMD3(-sin(phi) * cos(lambda), -sin(phi) * sin(lambda), cos(phi))
    up = SIMD3(cos(phi) * cos(lambda), cos(phi) * sin(lambda), sin(phi))
  }

  package func place(_ position: GeographicPosition) -> SIMD3<Double> {
    let offset = Self.geocentric(position) - center
    return SIMD3(offset.dot(east), offset.dot(north), offset.dot(up))
  }

  /// Metres from the middle of the earth: towards Greenwich, towards 90° east, and north.
  private static func geocentric(_ position: GeographicPosition) -> SIMD3<Double> {
    let ellipsoid = Ellipsoid.wgs84
    let (phi, lambda) = (position.latitude * .pi / 180, position.longitude * .pi / 180)
    let flattening = 1 / ellipsoid.inverseFlattening
    let square = flattening * (2 - flattening)
    let radius = ellipsoid.axis / (1 - square * sin(phi) * sin(phi)).squareRoot()
    return SIMD3(
      (radius + position.height) * cos(phi) * cos(lambda),
      (radius + position.height) * cos(phi) * sin(lambda),
      (radius * (1 - square) + position.height) * sin(phi))
  }
}
