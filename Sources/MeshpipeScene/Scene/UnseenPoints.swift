/// Points at exactly 0 0 0, which scanners write where they saw nothing.
extension PointCloud {
  /// Which points are at exactly 0 0 0 of their file beside a cloud that is elsewhere; nil if there are none.
  ///
  /// A cloud that surrounds the origin, or reaches it, may well have points there. A single one counts only if the cloud is
  /// farther away than it is large.
  ///
  /// - Parameter origin: The place of the scene's origin in the file.
  package func unseenPoints(origin: SIMD3<Double> = .zero) -> [Bool]? {
    // As a reader computed it, in double precision.
    let zero = Vector3(SIMD3<Float>(SIMD3<Double>.zero - origin))
    guard positions.contains(zero) else { return nil }
    let isZero = positions.map { $0 == zero }
    let count = isZero.count { $0 }
    let box = Box(positions.lazy.filter { $0 != zero })
    let extent = (SIMD3<Double>(box.maximum) - SIMD3<Double>(box.minimum)).length
    guard extent.isFinite, extent > 0 else { return nil }
    let distance = box.offset(to: zero.double).length
    return distance > (count == 1 ? extent : Self.leastDistance * extent) ? isZero : nil
  }

  /// Of the extent of a cloud, by which it is apart from several points at zero.
  private static let leastDistance = 0.01
}

extension Scene {
  /// The number of points at exactly 0 0 0 of their file beside a cloud that is elsewhere.
  package var unseenPointCount: Int {
    pointClouds.reduce(0) { $0 + ($1.unseenPoints(origin: origin)?.count { $0 } ?? 0) }
  }

  /// Removes them, and returns their number.
  package mutating func removeUnseenPoints() -> Int {
    let before = pointCount
    for index in pointClouds.indices {
      guard let unseen = pointClouds[index].unseenPoints(origin: origin) else { continue }
      pointClouds[index].keepPoints(unseen.map { !$0 })
    }
    return before - pointCount
  }
}
