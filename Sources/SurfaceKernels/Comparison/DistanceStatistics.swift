import MeshpipeBase

/// What many distances amount to.
package struct DistanceStatistics: Sendable, Equatable {
  package let count: Int
  package private(set) var mean = 0.0
  /// The root of the mean square.
  package private(set) var rms = 0.0
  package private(set) var median = 0.0
  /// 95 % of the distances are not greater.
  package private(set) var percentile95 = 0.0
  package private(set) var maximum = 0.0

  /// - Parameter distances: Not negative and finite.
  package init(_ distances: [Float]) {
    count = distances.count
    guard count > 0 else { return }
    var (sum, squares, largest) = (0.0, 0.0, Float(0))
    for distance in distances {
      sum += Double(distance)
      squares += Double(distance) * Double(distance)
      largest = max(largest, distance)
    }
    mean = sum / Double(count)
    rms = (squares / Double(count)).squareRoot()
    maximum = Double(largest)
    median = Double(distances.interpolatedMedian() ?? 0)
    percentile95 = Double(distances.element(ofRank: (count * 95 + 99) / 100 - 1))
  }

  /// Takes into account a greater distance that was found elsewhere.
  package mutating func raise(maximumTo distance: Double) { maximum = max(maximum, distance) }
}
