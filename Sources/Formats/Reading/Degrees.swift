import MeshPipeline

/// Longitudes and latitudes in degrees where coordinates should be lengths.
enum Degrees {
  /// Whether numbers are within the ranges of longitudes and latitudes.
  static func canBe(_ bounds: (low: SIMD3<Double>, high: SIMD3<Double>)) -> Bool {
    bounds.low.x >= -360 && bounds.high.x <= 360 && bounds.low.y >= -90 && bounds.high.y <= 90
  }

  /// Whether numbers are a place on the globe, of which metres would make a needle.
  ///
  /// - Parameter slenderness: How many times higher than wide the needle is at least.
  static func areLikely(
    _ bounds: (low: SIMD3<Double>, high: SIMD3<Double>), slenderness: Double
  ) -> Bool {
    let size = bounds.high - bounds.low
    let width = max(size.x, size.y)
    let middle = (bounds.high + bounds.low) / 2
    return canBe(bounds) && width > 0 && width < 1 && size.z > slenderness * width
      && max(abs(middle.x), abs(middle.y)) > 20 * width
  }

  /// What to do with a file of points that says nothing of its coordinates.
  static let wayOut = """
    project them to metres first, as with 'pdal translate a.csv b.las reprojection --filters.reprojection.in_srs=EPSG:4326 \
    --filters.reprojection.out_srs=EPSG:25832', with the code of the UTM zone or of the national grid
    """

  /// Whether names of columns, in lower case, are those of degrees.
  static func areNamed(_ names: [String]) -> Bool {
    names.contains { ["lon", "lng", "long", "longitude"].contains($0) }
      && names.contains { ["lat", "latitude"].contains($0) }
  }
}

extension Scene {
  /// Refuses points in degrees, which would collapse into a needle, and warns of those that may be.
  ///
  /// - Parameter origin: What was subtracted from positions.
  func requireLengths(
    beyond origin: SIMD3<Double>, of path: String, in context: ReadingContext
  ) throws(ReadingError) {
    guard context.metersPerUnit == nil else { return }
    let box = bounds
    guard !box.isEmpty else { return }
    let (low, high) = (
      SIMD3<Double>(box.minimum) + origin, SIMD3<Double>(box.maximum) + origin
    )
    let (middle, size) = ((low + high) / 2, high - low)
    // A mast is slender, too, but is rarely so thin for where it stands.
    let isFar = max(abs(middle.x), abs(middle.y)) > 1000 * max(size.x, size.y)
    let isSure = Degrees.areLikely((low, high), slenderness: 1000)
    guard isSure || isFar && Degrees.areLikely((low, high), slenderness: 20) else { return }
    let place = [middle.x, middle.y].map { NumberText.fixed($0, digits: 4) }
    let message = """
      its coordinates look like degrees of longitude and latitude, at (\(place.joined(separator: ", "))); \
      \(Degrees.wayOut). '--input-unit m' takes them for metres
      """
    if isSure { throw .content(path: path, message) }
    context.stage.warn("\(FileSystem.name(of: path)): \(message)")
  }
}
