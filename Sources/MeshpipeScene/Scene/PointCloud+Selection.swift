extension PointCloud {
  /// Removes the points for which `keep` is false, with their attributes; the order stays.
  ///
  /// - Parameter keep: One entry per point.
  public mutating func keepPoints(_ keep: [Bool]) {
    precondition(keep.count == positions.count)
    guard keep.contains(false) else { return }
    positions.compact(keep)
    apply(KeptElements(keep: keep), to: .point)
  }

  /// A cloud of the given points, in the given order, with their attributes.
  public func selecting(points: [Int]) -> PointCloud {
    var result = self
    result.positions = points.map { positions[$0] }
    result.apply(ChosenElements(points.map { UInt32(truncatingIfNeeded: $0) }), to: .point)
    return result
  }
}
