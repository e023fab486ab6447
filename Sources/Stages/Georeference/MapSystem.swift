import MeshPipeline
import NativeLibraries

/// A map that positions of the earth can be brought to.
struct MapSystem {
  let reference: ReferenceSystem
  private let projection: Projection

  private enum Projection {
    /// Coordinates are given in the map itself.
    case given
    case utm(TransverseMercator)
    case local(LocalTangentPlane)
    case library(MapProjection)
  }

  /// The length of a unit of the map in metres.
  var unit: Double { reference.horizontalUnit }

  /// The map of control points, whose coordinates are in it.
  ///
  /// - Throws: A ``GeoreferenceFailure``, or a ``NativeLibraryError`` if the code needs PROJ.
  init(ofControlPoints choice: MapChoice?) throws {
    switch choice {
    case .code(let code): self = try MapSystem(code: code)
    case .utm: throw GeoreferenceFailure.mapWithoutPlace
    case .local, nil:
      var reference = ReferenceSystem()
      reference.name = "the grid of the control points"
      self.init(reference: reference, projection: .given)
    }
  }

  /// The map for photographs about a place.
  init(_ choice: MapChoice?, around place: GeographicPosition) throws {
    switch choice {
    case .code(let code): self = try MapSystem(code: code)
    case .utm, nil:
      let zone = UTMZone(longitude: place.longitude, latitude: place.latitude)
      self = try MapSystem(code: "EPSG:\((zone.isNorth ? 32_600 : 32_700) + zone.number)")
    case .local:
      var reference = ReferenceSystem()
      reference.name = "east, north and up about \(place.words)"
      self.init(reference: reference, projection: .local(LocalTangentPlane(at: place)))
    }
  }

  private init(reference: ReferenceSystem, projection: Projection) {
    (self.reference, self.projection) = (reference, projection)
  }

  /// UTM by ourselves, since most maps are that; others with PROJ.
  private init(code: String) throws {
    var reference = ReferenceSystem()
    reference.code = code
    if let number = Int(code.dropFirst(5)), let utm = UTMSystem(code: number) {
      reference.name = utm.name
      self.init(
        reference: reference,
        projection: .utm(TransverseMercator(utm.datum.ellipsoid, utm.zone)))
      return
    }
    do throws(MapProjection.Failure) {
      let projection = try MapProjection(code: code)
      reference.name = projection.name
      (reference.horizontalUnit, reference.verticalUnit) = (projection.unit, projection.unit)
      self.init(reference: reference, projection: .library(projection))
    } catch {
      throw Self.failure(error, code)
    }
  }

  private static func failure(_ failure: MapProjection.Failure, _ code: String) -> any Error {
    switch failure {
    case .unavailable(let reason): NativeLibraryError("the map \(code)", reason)
    case .unknown: GeoreferenceFailure.unknownCode(code)
    case .noMap(let name): GeoreferenceFailure.noMap(code, name)
    case .outside: GeoreferenceFailure.outside(code)
    }
  }

  /// East, north and height in metres.
  func places(of positions: [GeographicPosition]) throws -> [SIMD3<Double>] {
    switch projection {
    case .given: return []
    case .utm(let map):
      return positions.map {
        let place = map.place(longitude: $0.longitude, latitude: $0.latitude)
        return SIMD3(place.x, place.y, $0.height)
      }
    case .local(let plane): return positions.map(plane.place)
    case .library(let map):
      do throws(MapProjection.Failure) {
        return try map.places(of: positions)
      } catch {
        throw Self.failure(error, map.code)
      }
    }
  }
}
