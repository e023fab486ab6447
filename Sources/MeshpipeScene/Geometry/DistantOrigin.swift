/// An origin near positions that are far from zero, as in national grids.
///
/// Single precision resolves 3 cm at 500 km, and half a metre at the northing of a UTM zone. Points
/// that are far away, measured by their extent, are read relative to a round place near them.
package enum DistantOrigin {
  /// Metres up to which single precision resolves a millimetre.
  private static let limit = 10_000.0
  private static let step = 1000.0

  /// The origin of an axis, zero if it need not be another one.
  ///
  /// - Parameters:
  ///   - values: Coordinates of some or all points; others than finite ones are ignored.
  ///   - skipsZeros: Whether zeros are ignored, too, which may be of points that a scanner did not see.
  package static func coordinate(
    of values: some Sequence<Double>, metersPerUnit: Double = 1, skipsZeros: Bool = false
  ) -> Double {
    var (least, most) = (Double.infinity, -Double.infinity)
    for value in values where value.isFinite && !(skipsZeros && value == 0) {
      (least, most) = (min(least, value), max(most, value))
    }
    return least <= most ? coordinate(least: least, most: most, metersPerUnit: metersPerUnit) : 0
  }

  /// The same for the bounds of points.
  package static func coordinate(least: Double, most: Double, metersPerUnit: Double = 1) -> Double {
    let middle = least / 2 + most / 2
    guard isFar(middle, metersPerUnit: metersPerUnit), abs(middle) > most - least else { return 0 }
    return (middle / step).rounded() * step
  }

  /// The origin of some or all points, axis by axis.
  package static func place(of points: [SIMD3<Double>], metersPerUnit: Double = 1) -> SIMD3<Double>
  {
    SIMD3(
      (0..<3).map { axis in
        coordinate(of: points.lazy.map { $0[axis] }, metersPerUnit: metersPerUnit)
      })
  }

  /// Whether single precision resolves less than it should at a coordinate.
  package static func isFar(_ coordinate: Double, metersPerUnit: Double) -> Bool {
    abs(coordinate) * metersPerUnit > limit
  }
}
