import POSIX

/// A number that is easily read off a scale: 1, 2 or 5 times a power of ten.
package struct RoundNumber: Sendable, Equatable {
  /// 1, 2 or 5.
  package let digit: Double
  /// The power of ten.
  package let power: Double

  package var value: Double { digit * power }

  /// The greatest that is not greater than a positive number.
  package init(atMost most: Double) {
    power = pow(10, log10(most).rounded(.down))
    let power = power
    digit = [5.0, 2, 1].first { $0 * power <= most } ?? 1
  }

  /// The least that is not less than a positive number.
  package init(atLeast least: Double) {
    let power = pow(10, log10(least).rounded(.down))
    let digit = [1.0, 2, 5].first { $0 * power >= least }
    (self.digit, self.power) = digit.map { ($0, power) } ?? (1, 10 * power)
  }
}
