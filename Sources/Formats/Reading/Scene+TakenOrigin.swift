import MeshPipeline

extension DistantOrigin {
  /// How many times its extent a scene in single precision is away if what its file resolves is too coarse for stages,
  /// about a hundred thousandth of the extent.
  private static let farthestOfSingles = 100.0

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
