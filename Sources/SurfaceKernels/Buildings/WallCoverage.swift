import MeshpipeScene
import POSIX

/// Which parts of a wall's line were seen, along it and upwards.
struct WallCoverage: Sendable {
  /// The length of a piece along the line, and the height of one of the levels in it, in metres.
  static let step = 0.05
  private static let rise = 0.1
  /// Samples this near to a line are on it, and look as it does within this cosine.
  private static let (gate, leastCosine) = (0.05, 0.75)
  /// The share of levels that makes a piece a wall.
  private static let enough = 0.3

  private let start: Double
  /// The share of the levels that were seen, all and near the ceiling.
  private let all: [Float]
  private let upper: [Float]

  /// - Parameters:
  ///   - samples: The upright ones of a storey.
  ///   - upperFloor: Above this is what tells a wall from furniture.
  init(
    _ line: PlanLine, _ samples: [ScanSamples.Sample], floor: Double, ceiling: Double,
    upperFloor: Double
  ) {
    let own = samples.compactMap { sample -> (along: Double, level: Int)? in
      guard abs(line.distance(to: sample.plan)) < Self.gate,
        line.direction.left.dot(SIMD2(sample.normal.x, sample.normal.y)) > Self.leastCosine
      else { return nil }
      let level = Int((sample.position.z - floor) / Self.rise)
      return 0..<64 ~= level ? (line.coordinate(of: sample.plan), level) : nil
    }
    guard let low = own.map(\.along).min(), let high = own.map(\.along).max() else {
      (start, all, upper) = (0, [], [])
      return
    }
    start = low
    var seen = [UInt64](repeating: 0, count: Int((high - low) / Self.step) + 1)
    for sample in own {
      seen[Int((sample.along - low) / Self.step)] |= 1 << UInt64(sample.level)
    }
    let levels = min(max(1, Int((ceiling - floor) / Self.rise)), 64)
    let first = min(Int(((upperFloor - floor) / Self.rise).rounded(.up)), levels - 1)
    let mask = first == 0 ? UInt64.max : ~(UInt64(1) << UInt64(first) - 1)
    // The topmost level may be only partly below the ceiling.
    let count = Float(max(1, levels - first - 1))
    all = seen.map { Float($0.nonzeroBitCount) / Float(levels) }
    upper = seen.map { Float(($0 & mask).nonzeroBitCount) / count }
  }

  private func mean(_ range: ClosedRange<Double>, _ value: (Int) -> Double) -> Double {
    let first = Int(((range.lowerBound - start) / Self.step).rounded())
    let last = max(first, Int(((range.upperBound - start) / Self.step).rounded()) - 1)
    guard last - first < 1 << 20 else { return 0 }
    var sum = 0.0
    for index in max(first, 0)..<max(max(first, 0), min(last + 1, all.count)) {
      sum += value(index)
    }
    return sum / Double(last - first + 1)
  }

  /// The share of a stretch that is wall.
  func support(_ range: ClosedRange<Double>) -> Double {
    mean(range) { min(1, Double(all[$0]) / Self.enough) }
  }

  /// The share of a stretch on which the wall goes up to the ceiling.
  func upperSupport(_ range: ClosedRange<Double>) -> Double {
    mean(range) { min(1, Double(upper[$0]) / 0.5) }
  }
}
