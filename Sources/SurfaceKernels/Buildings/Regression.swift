import POSIX

/// A straight line through values at numbers, by least squares.
struct Regression {
  let start: Double
  let slope: Double
  /// The standard deviation of values about the line.
  let scatter: Double
  private let squares: Double

  /// Nil if all numbers are the same.
  init?(_ numbers: [Double], _ values: [Double]) {
    let count = Double(numbers.count)
    guard count > 1, numbers.count == values.count else { return nil }
    let (x, y) = (numbers.reduce(0, +) / count, values.reduce(0, +) / count)
    var (xx, xy) = (0.0, 0.0)
    for (number, value) in zip(numbers, values) {
      xx += (number - x) * (number - x)
      xy += (number - x) * (value - y)
    }
    guard xx > 0 else { return nil }
    (squares, slope) = (xx, xy / xx)
    start = y - slope * x
    var sum = 0.0
    for (number, value) in zip(numbers, values) {
      let off = value - start - slope * number
      sum += off * off
    }
    scatter = (sum / max(1, count - 2)).squareRoot()
  }

  /// - Parameter least: The deviation of values that scatter says nothing of.
  func slopeDeviation(atLeast least: Double) -> Double {
    max(scatter, least) / squares.squareRoot()
  }
}
