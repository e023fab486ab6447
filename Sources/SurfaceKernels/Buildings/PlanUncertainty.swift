import MeshpipeScene
import POSIX

/// How far dimensions from a scan may be off: what its planes scatter, and what a phone's poses drift.
///
/// The errors of faces next to each other are nearly the same, since they come from the same depth images: samples count as
/// independent at 10 cm from each other. Planes as a whole are off by a few millimetres, which nothing in the scan shows.
package enum PlanUncertainty {
  /// The side of a square in which errors are the same, in metres.
  static let correlation = 0.1
  /// The standard deviation of a plane as a whole, in metres.
  static let bias = 0.0035
  /// The standard deviation of drift and scale over a length: 1 cm in 10 m is about two of them.
  static let drift = 0.0006
  /// Standard deviations within which 95 % are.
  static let factor = 1.96

  /// The standard deviation of the position of a plane.
  static func deviation(spread: Double, area: Double) -> Double {
    let count = max(1, area / (correlation * correlation))
    return (spread * spread / count + bias * bias).squareRoot()
  }

  /// A length between two planes.
  static func dimension(
    _ value: Double, between one: Double, and other: Double
  ) -> Building.Dimension {
    let scale = drift * value
    let variance = one * one + other * other + scale * scale
    return Building.Dimension(value, uncertainty: factor * variance.squareRoot())
  }

  /// An area within sides of known lengths, each with the deviation of its plane.
  static func area(_ value: Double, sides: [(length: Double, deviation: Double)])
    -> Building.Dimension
  {
    let variance = sides.reduce(4 * drift * drift * value * value) {
      $0 + $1.length * $1.length * $1.deviation * $1.deviation
    }
    return Building.Dimension(value, uncertainty: factor * variance.squareRoot())
  }
}
