import MeshPipeline

/// An origin near positions that are far from zero, as in national grids.
///
/// Single precision resolves 3 cm at 500 km, and half a metre at the northing of a UTM zone. Points
/// that are far away, measured by their extent, are read relative to a round place near them.
enum DistantOrigin {
  /// Metres up to which single precision resolves a millimetre.
  private static let limit = 10_000.0
  private static let step = 1000.0
  /// How many times its extent a scene in single precision is away if what its file resolves is too coarse for stages,
  /// about a hundred thousandth of the extent.
  private static let farthestOfSingles = 100.0

  /// The origin of an axis, zero if it need not be another one.
  ///
  /// - Parameters:
  ///   - values: Coordinates of some or all points; others than finite ones are ignored.
  ///   - skipsZeros: Whether zeros are ignored, too, which may be of points that a scanner did not see.
  static func coordinate(
    of values: some Sequence<Double>, metersPerUnit: Double = 1, skipsZeros: Bool = false
  ) -> Double {
    var (least, most) = (Double.infinity, -Double.infinity)
    for value in values where value.isFinite && !(skipsZeros && value == 0) {
      (least, most) = (min(least, value), max(most, value))
    }
    return least <= most ? coordinate(least: least, most: most, metersPerUnit: metersPerUnit) : 0
  }

  /// The same for the bounds of points.
  static func coordinate(least: Double, most: Double, metersPerUnit: Double = 1) -> Double {
    let middle = least / 2 + most / 2
    guard isFar(middle, metersPerUnit: metersPerUnit), abs(middle) > most - least else { return 0 }
    return (middle / step).rounded() * step
  }

  /// The origin of some or all points, axis by axis.
  static func place(of points: [SIMD3<Double>]) -> SIMD3<Double> {
    SIMD3((0..<3).map { axis in coordinate(of: points.lazy.map { $0[axis] }) })
  }

  /// The origin of positions that the file has in single precision: moved there they lose nothing, but what stages make
  /// of them would.
  fileprivate static func ofSingles(_ bounds: Box, metersPerUnit: Double) -> SIMD3<Double> {
    guard !bounds.isEmpty else { return .zero }
    let (least, most) = (SIMD3<Double>(bounds.minimum), SIMD3<Double>(bounds.maximum))
    let extent = (most - least).max()
    return SIMD3(
      (0..<3).map { axis in
        guard abs(least[axis] / 2 + most[axis] / 2) > farthestOfSingles * extent else { return 0 }
        return coordinate(least: least[axis], most: most[axis], metersPerUnit: metersPerUnit)
      })
  }

  /// Whether single precision resolves less than it should at a coordinate.
  static func isFar(_ coordinate: Double, metersPerUnit: Double) -> Bool {
    abs(coordinate) * metersPerUnit > limit
  }
}

extension Scene {
  /// Takes the origin that was subtracted from positions.
  ///
  /// - Parameter subtracted: Zero for a file in single precision, whose positions are moved now if they are far from zero
  ///   by their extent.
  mutating func takeOrigin(_ subtracted: SIMD3<Double> = .zero) {
    origin = subtracted
    guard subtracted == .zero else { return }
    origin = DistantOrigin.ofSingles(bounds, metersPerUnit: coordinateSystem.metersPerUnit)
    if origin != .zero { apply(Transform(translation: -origin)) }
  }
}
