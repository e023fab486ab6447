import Testing

@testable import MeshpipeScene

/// Lengths on the ellipsoid have closed forms on the equator and at the poles.
@Suite struct LocalTangentPlaneTests {
  @Test func `a degree on the equator is as long as the axis says`() {
    let plane = LocalTangentPlane(at: GeographicPosition(latitude: 0, longitude: 12))
    let east = plane.place(GeographicPosition(latitude: 0, longitude: 12.001))
    // The chord of an arc of 0.001° on a circle of 6,378,137 m.
    #expect(abs(east.x - 111.319_490_8) < 1e-6)
    #expect(abs(east.y) < 1e-9)
    // The plane leaves the earth by half the square of the length over the diameter.
    #expect(abs(east.z + 111.319_490_8 * 111.319_490_8 / 2 / 6_378_137) < 1e-8)
    // The meridian is rounder there: a (1 − e²).
    let north = plane.place(GeographicPosition(latitude: 0.001, longitude: 12))
    #expect(abs(north.y - 6_335_439.327_3 * 0.001 * .pi / 180) < 1e-6)
    #expect(abs(north.x) < 1e-9)
  }

  @Test func `height is up, wherever the place is`() {
    for (latitude, longitude) in [(50.1, 8.6), (-33.9, 151.2), (64.1, -21.9), (-1.3, -78.5)] {
      let plane = LocalTangentPlane(
        at: GeographicPosition(latitude: latitude, longitude: longitude, height: 120))
      let place = plane.place(
        GeographicPosition(latitude: latitude, longitude: longitude, height: 137.5))
      #expect((place - SIMD3(0, 0, 17.5)).length < 1e-8)
    }
  }

  @Test func `its words have the side of the earth`() {
    let place = GeographicPosition(latitude: -33.86, longitude: -0.5)
    #expect(place.words == "33.860000° S, 0.500000° W")
  }
}
