import MeshpipeScene

/// Where level samples end in both directions along an axis.
struct TreadEnds {
  let low: Double
  let high: Double

  var length: Double { high - low }

  /// The share of samples beyond an end: noise.
  private static let trimmed = 0.03

  /// - Parameter isAlongAxis: Whether the axis is one of the cells in which pieces of faces became samples.
  init(_ samples: [ScanSamples.Sample], _ axis: SIMD2<Double>, isAlongAxis: Bool) {
    let places = samples.map { $0.plan.dot(axis) }.sorted()
    let cut = Int(Self.trimmed * Double(places.count))
    let cell = ScanSamples.spacing
    guard let first = places.dropFirst(cut).first, let last = places.dropLast(cut).last else {
      (low, high) = (0, 0)
      return
    }
    guard isAlongAxis else {
      // On average half of a half cell is beyond the outermost sample.
      (low, high) = (first - cell / 4, last + cell / 4)
      return
    }
    // A sample is the middle of what is in its cell, so that the end is as far beyond it as the inner side of the cell is before.
    let (inner, outer) = ((first / cell).rounded(.up) * cell, (last / cell).rounded(.down) * cell)
    func mean(_ from: Double, _ to: Double) -> Double {
      let own = places.filter { $0 >= from && $0 < to }
      return own.isEmpty ? (from + to) / 2 : own.reduce(0, +) / Double(own.count)
    }
    low = 2 * mean(inner - cell, inner) - inner
    high = 2 * mean(outer, outer + cell) - outer
  }
}
