import MeshpipeScene
import POSIX

/// Turns about the vertical under which what two scans have upright looks the same ways.
enum YawCandidates {
  private static let bins = 360
  private static let most = 12
  /// Two peaks nearer than this are one, in bins.
  private static let apart = 4
  /// The least rise of a peak above the mean, as a share of the highest.
  private static let leastRise = 0.2
  /// The rise, as a share of the mean, below which all turns are tried, and the degrees from one to the next.
  private static let (flat, sweep) = (0.8, 10)

  /// The angles, in radians, by which the second is turned onto the first; the likeliest first.
  ///
  /// They are the peaks of the circular correlation of the histograms of horizontal normals, which walls make sharp. Where
  /// there are none, all turns are tried.
  static func find(_ first: SurfaceCells, _ second: SurfaceCells) -> [Double] {
    let (own, other) = (histogram(first.normals), histogram(second.normals))
    let correlation = (0..<bins).map { shift in
      (0..<bins).reduce(0.0) { $0 + own[($1 + shift) % bins] * other[$1] }
    }
    let mean = correlation.reduce(0, +) / Double(bins)
    let highest = correlation.max() ?? 0
    var peaks: [Int] = []
    for shift in (0..<bins).sorted(by: { (correlation[$1], $0) < (correlation[$0], $1) }) {
      guard peaks.count < most, correlation[shift] > mean + leastRise * (highest - mean) else {
        break
      }
      let isPeak = [1, bins - 1].allSatisfy {
        correlation[(shift + $0) % bins] <= correlation[shift]
      }
      if isPeak, !peaks.contains(where: { distance($0, shift) < apart }) { peaks.append(shift) }
    }
    var angles = peaks.map { radians(Double($0) + offset(of: $0, in: correlation)) }
    if highest - mean <= flat * mean {
      for shift in stride(from: 0, to: bins, by: sweep)
      where !peaks.contains(where: { distance($0, shift) < apart }) {
        angles.append(radians(Double(shift)))
      }
    }
    return angles
  }

  private static func radians(_ bin: Double) -> Double { bin * 2 * .pi / Double(bins) }

  private static func distance(_ one: Int, _ other: Int) -> Int {
    let difference = abs(one - other)
    return min(difference, bins - difference)
  }

  /// Where the parabola through a peak and its neighbours is highest, in bins.
  private static func offset(of peak: Int, in values: [Double]) -> Double {
    let (before, after) = (values[(peak + bins - 1) % bins], values[(peak + 1) % bins])
    let bend = before - 2 * values[peak] + after
    return bend < 0 ? max(-0.5, min(0.5, (before - after) / (2 * bend))) : 0
  }

  private static func histogram(_ normals: [SIMD3<Float>]) -> [Double] {
    var counts = [Double](repeating: 0, count: bins)
    for normal in normals where abs(normal.z) < 0.5 {
      let turn = atan2(Double(normal.y), Double(normal.x)) / (2 * .pi)
      let place = (turn - turn.rounded(.down)) * Double(bins)
      let bin = Int(place) % bins
      let share = place - place.rounded(.down)
      counts[bin] += 1 - share
      counts[(bin + 1) % bins] += share
    }
    let kernel = [1.0, 2, 3, 2, 1]
    return (0..<bins).map { bin in
      kernel.indices.reduce(0.0) { sum, index in
        sum + kernel[index] / 9 * counts[(bin + index - 2 + bins) % bins]
      }
    }
  }
}
