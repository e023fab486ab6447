import MeshpipeScene
import Testing

@testable import NativeLibraries

/// What the library says is compared with what `cs2cs` and the registry say.
@Suite struct MapProjectionTests {
  private func map(_ code: String) throws -> MapProjection {
    try MapProjection(code: code)
  }

  @Test func `a zone of UTM is the one that is built in`() throws {
    let map = try map("EPSG:25833")
    #expect(map.name == "ETRS89 / UTM zone 33N")
    #expect(map.unit == 1)
    let places = try map.places(of: [
      GeographicPosition(latitude: 52.5, longitude: 13.4, height: 34.5),
      GeographicPosition(latitude: 52.51, longitude: 13.41, height: -2),
    ])
    let own = TransverseMercator(.grs80, UTMZone(number: 33, isNorth: true))
    for (place, (longitude, latitude)) in zip(places, [(13.4, 52.5), (13.41, 52.51)]) {
      let expected = own.place(longitude: longitude, latitude: latitude)
      #expect((SIMD2(place.x, place.y) - expected).length < 1e-3)
    }
    #expect(places[0].z == 34.5 && places[1].z == -2)
  }

  @Test func `feet become metres`() throws {
    // Long Island in US survey feet: 984,250 ft east of its origin is the middle meridian, 74° W.
    let map = try map("EPSG:2263")
    #expect(abs(map.unit - 1200.0 / 3937) < 1e-12)
    let place = try #require(
      map.places(of: [GeographicPosition(latitude: 40.75, longitude: -74)]).first)
    #expect(abs(place.x - 300_000) < 1)
  }

  @Test func `heights of their own belong to the code`() throws {
    #expect(try map("EPSG:25832+7837").name.hasPrefix("ETRS89 / UTM zone 32N + "))
  }

  @Test func `what is no map is named`() {
    #expect(throws: MapProjection.Failure.noMap(name: "WGS 84")) { try map("EPSG:4326") }
    #expect(throws: MapProjection.Failure.noMap(name: "DHHN2016 height")) { try map("EPSG:7837") }
    #expect(throws: MapProjection.Failure.unknown) { try map("EPSG:999999") }
  }

  @Test func `a place on the other side of the earth is no point of the map`() throws {
    let map = try map("EPSG:25833")
    #expect(throws: MapProjection.Failure.outside) {
      try map.places(of: [GeographicPosition(latitude: 0, longitude: 105)])
    }
  }
}
