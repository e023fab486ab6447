internal import CProjection
package import MeshpipeScene

/// A map by its code, with PROJ, which is opened when the first is asked for.
package struct MapProjection: Sendable, Equatable {
  /// `EPSG:25832`, with heights `EPSG:25832+7837`.
  package let code: String
  /// `ETRS89 / UTM zone 32N`.
  package let name: String
  /// The length of a unit of east and north in metres.
  package let unit: Double

  /// Why there is no map.
  package enum Failure: Error, Equatable {
    /// PROJ is not installed.
    case unavailable(String)
    /// PROJ knows no such system.
    case unknown
    /// The system has degrees, or is one of heights alone.
    case noMap(name: String)
    /// A position can't be on the map.
    case outside
  }

  package init(code: String) throws(Failure) {
    var system = meshpipe_reference_system()
    var result = meshpipe_projection_unknown
    let words = unsafe nativeMessage { error, size in
      unsafe code.withCString {
        result = unsafe meshpipe_projection_describe($0, &system, error, size)
      }
    }
    try Self.check(result, words)
    let name = unsafe withUnsafeBytes(of: &system.name) {
      unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    guard system.is_projected != 0, system.unit > 0 else { throw .noMap(name: name) }
    (self.code, self.name, unit) = (code, name, system.unit)
  }

  private static func check(_ result: meshpipe_projection_result, _ words: String) throws(Failure) {
    switch result {
    case meshpipe_projection_ok: return
    case meshpipe_projection_unavailable: throw .unavailable(words)
    case meshpipe_projection_outside: throw .outside
    default: throw .unknown
    }
  }

  /// East, north and height of positions, in metres; heights stay those of the positions, unless the code has heights of
  /// its own.
  package func places(of positions: [GeographicPosition]) throws(Failure) -> [SIMD3<Double>] {
    var numbers: [Double] = positions.flatMap { [$0.longitude, $0.latitude, $0.height, 0.0] }
    var result = meshpipe_projection_unknown
    let words = unsafe nativeMessage { error, size in
      unsafe code.withCString { code in
        unsafe numbers.withUnsafeMutableBufferPointer { buffer in
          result = unsafe meshpipe_projection_apply(
            code, buffer.baseAddress, positions.count, error, size)
        }
      }
    }
    try Self.check(result, words)
    return positions.indices.map { index in
      let (east, north) = (numbers[4 * index], numbers[4 * index + 1])
      return SIMD3(east * unit, north * unit, numbers[4 * index + 2])
    }
  }
}
