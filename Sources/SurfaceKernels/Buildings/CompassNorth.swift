import MeshpipeScene
import POSIX

/// The direction of north in a plan, from cameras whose compass said where they looked.
package struct CompassNorth: Sendable, Equatable {
  /// A camera with the bearing of its compass.
  package struct View: Sendable {
    /// Where it looks, in the axes of the plan.
    package var direction: SIMD3<Double>
    /// Clockwise from north, in radians.
    package var bearing: Double

    package init(direction: SIMD3<Double>, bearing: Double) {
      self.direction = direction
      self.bearing = bearing
    }
  }

  /// Counterclockwise from the plan's y, in radians.
  package let angle: Double
  /// Half of the interval that holds the truth with 95 % probability, in radians.
  package let uncertainty: Double
  /// The cameras that agree.
  package let count: Int

  /// Cameras that look up or down by more than 45° have no sure bearing.
  private static let leastLevel = 0.5.squareRoot()
  /// Fewer than this can agree by chance.
  private static let leastCount = 3
  /// Bearings that are further off are of a compass that something disturbed, in radians: 40°.
  private static let outlier = 40 * Double.pi / 180
  /// What all bearings of a walk can be off together, in radians, as by the steel of a building: 10°.
  private static let common = 10 * Double.pi / 180
  /// Bearings of a walk that are independent of each other, at most.
  private static let mostIndependent = 10.0

  /// Nil if too few cameras look about level, or less than two thirds of them agree.
  package init?(_ views: [View]) {
    let angles = views.compactMap { view -> Double? in
      let flat = SIMD2(view.direction.x, view.direction.y)
      let length = view.direction.length
      guard length > 0, flat.length > Self.leastLevel * length, view.bearing.isFinite else {
        return nil
      }
      // What is ahead has the bearing; north is that far to the left of it.
      return flat.angle - .pi / 2 + view.bearing
    }
    // The one that most others agree with, and the mean of those.
    let best = angles.map { angle in (angle, Self.agreeing(with: angle, angles)) }
      .max { $0.1.count < $1.1.count }
    guard let (start, kept) = best, kept.count >= Self.leastCount,
      3 * kept.count >= 2 * angles.count
    else { return nil }
    let offsets = kept.map { remainder($0 - start, 2 * .pi) }
    let mean = offsets.reduce(0, +) / Double(offsets.count)
    let spread = offsets.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(kept.count - 1)
    let independent = min(Double(kept.count), Self.mostIndependent)
    angle = remainder(start + mean, 2 * .pi)
    uncertainty = (4 * spread / independent + Self.common * Self.common).squareRoot()
    count = kept.count
  }

  private static func agreeing(with angle: Double, _ angles: [Double]) -> [Double] {
    angles.filter { abs(remainder($0 - angle, 2 * .pi)) < outlier }
  }
}
