/// A square patch of an image, to be found in another image.
///
/// The measure is normalised cross-correlation. A patch counts as found if one position stands out:
/// on a texture of equal grains, such as concrete or a carpet, following a gradient would end at
/// the next grain, while a pattern of many grains is unique.
struct PatchMatcher {
  /// A patch is 2 · `radius` + 1 pixels wide.
  ///
  /// Smaller ones, of fewer grains, are found in wrong positions; larger ones cross depth edges, and take time.
  static let radius = 8
  static let width = 2 * radius + 1

  /// Where a patch was found: its offset from the middle of the window.
  struct Match: Sendable {
    var shift: SIMD2<Float>
    /// The correlation there, −1…1.
    var correlation: Float
  }

  /// Below it the other frame shows something else: an occluder or a reflection.
  ///
  /// Right matches of a blurred frame, or
  /// on a mesh that is off, still reach it.
  private static let leastCorrelation: Float = 0.6
  /// The greatest correlation of any other position, as a share of the best: a ratio test (Lowe 2004), against
  /// repeated patterns.
  private static let greatestSecondPeak: Float = 0.8
  /// Pixels around the best position that belong to it: the width of a peak in images that were smoothed.
  private static let peakRadius = 3
  /// The least standard deviation of a patch, of the logarithm of brightness: more than noise (2 %).
  private static let leastContrast: Float = 0.02

  /// Matches across an edge must correlate better: there is less that could differ.
  private static let leastEdgeCorrelation: Float = 0.8
  /// The gradients of an edge along it, as a share of those across: the eigenvalues' ratio of a corner is larger.
  private static let greatestEdgeCorner: Float = 0.15
  /// The least variance of what is compared with the patch, below which the quotient would be of rounding errors.
  private static let leastVariance: Float = 1e-6

  private let template: [Float]
  private let squared: Float

  /// - Parameter values: The patch, row by row.
  /// - Returns: Nil for a patch without detail.
  init?(_ values: [Float]) {
    let mean = values.reduce(0, +) / Float(values.count)
    template = values.map { $0 - mean }
    squared = template.reduce(0) { $0 + $1 * $1 }
    guard squared > Self.leastContrast * Self.leastContrast * Float(values.count) else {
      return nil
    }
  }

  /// Looks for the patch in a window that reaches `reach` pixels beyond it on every side.
  ///
  /// - Parameter window: Its values, row by row.
  func match(in window: [Float], reach: Int) -> Match? {
    let places = 2 * reach + 1
    let scores = correlations(in: window, reach: reach)
    guard let best = scores.indices.max(by: { scores[$0] < scores[$1] }) else { return nil }
    let (x, y) = (best % places, best / places)
    let found = scores[best]
    guard found > Self.leastCorrelation, x > 0, y > 0, x < places - 1, y < places - 1 else {
      return nil
    }
    for row in 0..<places {
      for column in 0..<places where scores[row * places + column] > Self.greatestSecondPeak * found
      {
        guard abs(row - y) <= Self.peakRadius, abs(column - x) <= Self.peakRadius else {
          return nil
        }
      }
    }
    // The maximum of a parabola through three values, in each direction.
    func top(_ before: Float, _ after: Float) -> Float {
      let bend = before + after - 2 * found
      return bend < 0 ? min(max((before - after) / (2 * bend), -0.5), 0.5) : 0
    }
    let part = SIMD2(
      top(scores[best - 1], scores[best + 1]), top(scores[best - places], scores[best + places]))
    return Match(shift: SIMD2(Float(x - reach), Float(y - reach)) + part, correlation: found)
  }

  /// The direction across the edge that runs through the patch; nil if it is not an edge.
  ///
  /// By the structure tensor (Förstner and Gülch 1987).
  func edgeNormal() -> SIMD2<Float>? {
    var (xx, xy, yy) = (Float(0), Float(0), Float(0))
    for row in 1..<Self.width - 1 {
      for column in 1..<Self.width - 1 {
        let index = row * Self.width + column
        let across = template[index + 1] - template[index - 1]
        let down = template[index + Self.width] - template[index - Self.width]
        xx += across * across
        xy += across * down
        yy += down * down
      }
    }
    let spread = ((xx - yy) * (xx - yy) + 4 * xy * xy).squareRoot()
    let (most, least) = (xx + yy + spread, xx + yy - spread)
    guard most > 0, least < Self.greatestEdgeCorner * most else { return nil }
    // Of the two forms of the eigenvector the one that is not near zero.
    let first = SIMD2(most / 2 - yy, xy)
    let second = SIMD2(xy, most / 2 - xx)
    let normal = (first * first).sum() > (second * second).sum() ? first : second
    return normal / (normal * normal).sum().squareRoot()
  }

  /// Looks for a patch with an edge across the edge only: the position along it is undetermined.
  func match(in window: [Float], reach: Int, across normal: SIMD2<Float>) -> Match? {
    let places = 2 * reach + 1
    let scores = correlations(in: window, reach: reach)
    func score(_ step: Float) -> Float {
      let place = normal * step + Float(reach)
      let (x, y) = (min(Int(place.x), places - 2), min(Int(place.y), places - 2))
      let (u, v) = (place.x - Float(x), place.y - Float(y))
      let index = y * places + x
      let top = scores[index] * (1 - u) + scores[index + 1] * u
      let bottom = scores[index + places] * (1 - u) + scores[index + places + 1] * u
      return top * (1 - v) + bottom * v
    }
    // The normal is shorter than the window's half width along either axis.
    let steps = (-reach...reach).map { score(Float($0)) }
    guard let best = steps.indices.max(by: { steps[$0] < steps[$1] }), best > 0,
      best < places - 1, steps[best] > Self.leastEdgeCorrelation
    else { return nil }
    for (place, value) in steps.enumerated() where value > Self.greatestSecondPeak * steps[best] {
      guard abs(place - best) <= Self.peakRadius else { return nil }
    }
    let bend = steps[best - 1] + steps[best + 1] - 2 * steps[best]
    guard bend < 0 else { return nil }
    let part = min(max((steps[best - 1] - steps[best + 1]) / (2 * bend), -0.5), 0.5)
    return Match(shift: normal * (Float(best - reach) + part), correlation: steps[best])
  }

  /// The correlation at each position, row by row.
  private func correlations(in window: [Float], reach: Int) -> [Float] {
    let (places, side) = (2 * reach + 1, 2 * (reach + Self.radius) + 1)
    let products = self.products(with: window, reach: reach)
    let sums = Self.boxSums(window, side: side, places: places) { $0 }
    let squares = Self.boxSums(window, side: side, places: places) { $0 * $0 }
    let count = Float(template.count)
    return products.indices.map { place in
      let energy = squares[place] - sums[place] * sums[place] / count
      guard energy > Self.leastVariance * count else { return 0 }
      return products[place] / (energy * squared).squareRoot()
    }
  }

  /// The sum of products of patch and window at each position: sixteen positions of a row at a time,
  /// since fewer would wait for each other's additions.
  private func products(with window: [Float], reach: Int) -> [Float] {
    let (places, side) = (2 * reach + 1, 2 * (reach + Self.radius) + 1)
    // Eight values from each position of the window on.
    var runs = [SIMD8<Float>](repeating: .zero, count: side * side + places + 16)
    var run = SIMD8<Float>.zero
    for place in stride(from: window.count - 1, through: 0, by: -1) {
      run = SIMD8(window[place], run[0], run[1], run[2], run[3], run[4], run[5], run[6])
      runs[place] = run
    }
    var result: [Float] = []
    result.reserveCapacity(places * places)
    for top in 0..<places {
      for first in stride(from: 0, to: places, by: 16) {
        var (left, right) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
        for row in 0..<Self.width {
          let start = (top + row) * side + first
          for column in 0..<Self.width {
            let value = template[row * Self.width + column]
            left += runs[start + column] * value
            right += runs[start + column + 8] * value
          }
        }
        let sums = SIMD16(lowHalf: left, highHalf: right)
        for lane in 0..<min(16, places - first) { result.append(sums[lane]) }
      }
    }
    return result
  }

  /// The sum over the patch's square at each position.
  private static func boxSums(
    _ window: [Float], side: Int, places: Int, _ value: (Float) -> Float
  ) -> [Float] {
    var rows: [Float] = []
    rows.reserveCapacity(side * places)
    for row in 0..<side {
      let start = row * side
      var sum: Float = 0
      for column in 0..<width { sum += value(window[start + column]) }
      rows.append(sum)
      for column in 1..<max(places, 1) {
        sum += value(window[start + column + width - 1]) - value(window[start + column - 1])
        rows.append(sum)
      }
    }
    var sums = [Float](repeating: 0, count: places * places)
    for column in 0..<places {
      var sum: Float = 0
      for row in 0..<width { sum += rows[row * places + column] }
      sums[column] = sum
      for row in 1..<places {
        sum += rows[(row + width - 1) * places + column] - rows[(row - 1) * places + column]
        sums[row * places + column] = sum
      }
    }
    return sums
  }
}
