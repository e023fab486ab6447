import MeshpipeBase
import MeshpipeScene
package import NativeLibraries

/// Something in a scene of which the true size is known.
package enum ScaleClue: Sendable {
  /// The side of the black square of a dictionary's markers, in units of the scene.
  case side(MarkerDictionary, Double)
  /// The markers of a ChArUco board: in every other square of the columns and rows, of this size in units of the
  /// scene, numbered from 0 row by row from the top left.
  case board(MarkerDictionary, columns: Int, rows: Int, square: Double)
  /// The distance of two places, in units of the scene.
  case distance(ScalePlace, ScalePlace, Double)

  /// What is known by a clue: the true size of a thing relative to its size in the scene.
  struct Finding: Sendable {
    var scale: Double
    /// The standard deviation of ``scale``, from what was measured: of markers of the same size their scatter, of
    /// distances that of their ends.
    var deviation: Double
    /// The markers or places that it comes from.
    var count: Int
    /// Markers that have another size.
    var outliers: [MarkerName] = []
  }

  /// By how much, as a share, a marker's size differs at least from that of most others to be another one.
  private static let leastDifference = 0.03
  /// The standard deviation of a place that a user picked, in metres.
  private static let pickDeviation = 0.003

  /// What the clue says; nil if too little of it was found.
  ///
  /// - Parameter metersPerUnit: Of the scene.
  func finding(_ markers: [LocatedMarker], metersPerUnit: Double) -> Finding? {
    switch self {
    case .side(let dictionary, let side):
      return Self.finding(
        markers.filter { $0.name.dictionary == dictionary && $0.side > 0 }, side: side)
    case .board(let dictionary, let columns, let rows, let square):
      let found = markers.filter { $0.name.dictionary == dictionary }
      return [0, 1].compactMap { parity in
        let layout = BoardLayout(columns: columns, rows: rows, square: square, parity: parity)
        return layout.finding(found)
      }.min { $0.deviation < $1.deviation }
    case .distance(let from, let to, let length):
      let ends = [from, to].compactMap { place in
        place.position(markers, pickDeviation: Self.pickDeviation / metersPerUnit)
      }
      guard ends.count == 2 else { return nil }
      let distance = (ends[1].position - ends[0].position).length
      let deviation = (ends[0].variance + ends[1].variance).squareRoot()
      guard distance > 0 else { return nil }
      let scale = length / distance
      return Finding(scale: scale, deviation: scale * deviation / distance, count: 2)
    }
  }

  /// The median of markers of the same size, weighted by how well they are known, without those of another size.
  private static func finding(_ markers: [LocatedMarker], side: Double) -> Finding? {
    let scales = markers.map { side / $0.side }
    guard let middle = scales.interpolatedMedian() else { return nil }
    let scatter = scales.map { abs($0 - middle) }.median() ?? 0
    let limit = max(leastDifference * middle, 5 * scatter)
    var (sum, weights, count) = (0.0, 0.0, 0)
    var outliers: [MarkerName] = []
    for (marker, scale) in zip(markers, scales) {
      guard abs(scale - middle) <= limit else {
        outliers.append(marker.name)
        continue
      }
      // Beside what triangulation says, paper is never quite flat.
      let relative = marker.deviation / marker.side + 0.001
      let weight = 1 / (relative * relative)
      sum += weight * scale
      weights += weight
      count += 1
    }
    let mean = sum / weights
    let spread = zip(markers, scales).filter { !outliers.contains($0.0.name) }
      .reduce(0) { $0 + ($1.1 - mean) * ($1.1 - mean) }
    let alone = mean * (markers.first.map { $0.deviation / $0.side } ?? 0)
    let deviation =
      count > 1 ? (spread / Double(count - 1) / Double(count)).squareRoot() : alone
    return Finding(scale: mean, deviation: deviation, count: count, outliers: outliers)
  }
}

/// An end of a distance.
package enum ScalePlace: Sendable, Hashable {
  /// The middle of a marker.
  case marker(MarkerName)
  /// In coordinates of the scene.
  case point(SIMD3<Double>)

  /// The place and its variance; nil for a marker that was not found.
  fileprivate func position(
    _ markers: [LocatedMarker], pickDeviation: Double
  ) -> (position: SIMD3<Double>, variance: Double)? {
    switch self {
    case .point(let point): return (point, pickDeviation * pickDeviation)
    case .marker(let name):
      guard let marker = markers.first(where: { $0.name == name }) else { return nil }
      return (marker.center, marker.deviation * marker.deviation / 4)
    }
  }
}

/// Where the markers of a ChArUco board are.
private struct BoardLayout {
  /// By number, in units of the scene.
  private var centers: [SIMD2<Double>] = []

  /// - Parameter parity: 0 if the square at the top left has a marker, 1 if its neighbours have, as in OpenCV since 4.6.
  init(columns: Int, rows: Int, square: Double, parity: Int) {
    for row in 0..<rows {
      for column in 0..<columns where (row + column) % 2 == parity {
        centers.append((SIMD2(Double(column), Double(row)) + 0.5) * square)
      }
    }
  }

  /// The scale that most pairs of distant markers have; nil with fewer than three markers.
  ///
  /// Distances between middles of markers do not depend on their size, nor on how far ink spreads.
  func finding(_ markers: [LocatedMarker]) -> ScaleClue.Finding? {
    let found = markers.filter { centers.indices.contains($0.name.identifier) }
    guard found.count > 2 else { return nil }
    var pairs: [(length: Double, scale: Double)] = []
    for first in found.indices {
      for second in found.indices where second > first {
        let length =
          (centers[found[first].name.identifier] - centers[found[second].name.identifier]).length
        let distance = (found[first].center - found[second].center).length
        if distance > 0 { pairs.append((length, length / distance)) }
      }
    }
    let longest = pairs.reduce(0) { max($0, $1.length) }
    let scales = pairs.filter { $0.length >= longest / 2 }.map(\.scale)
    guard let scale = scales.interpolatedMedian() else { return nil }
    let scatter = 1.48 * (scales.map { abs($0 - scale) }.median() ?? 0)
    return ScaleClue.Finding(
      scale: scale, deviation: scatter / Double(found.count).squareRoot(), count: found.count)
  }
}
