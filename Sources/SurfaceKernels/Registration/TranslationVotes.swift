import MeshpipeScene
import POSIX

/// Translations under which samples of two scans lie on each other, by votes of all pairs that look the same way: the correlation of
/// both, where there is anything.
struct TranslationVotes {
  private let first: Voters
  private let cell: Float
  private static let most = 30
  private static let leastCosine: Float = 0.9
  private static let mostCells: Float = 2e6

  /// Samples with what each counts.
  struct Voters {
    let points: [SIMD3<Float>]
    let normals: [SIMD3<Float>]
    let weights: [Float]
    private static let most = 2000

    init(_ cells: SurfaceCells) {
      let chosen = cells.points.indices.map(\.self).evenly(atMost: Self.most)
      points = chosen.map { cells.points[$0] }
      normals = chosen.map { cells.normals[$0] }
      weights = chosen.map { cells.weights[$0] }
    }
  }

  init(onto first: Voters, cell: Float) { (self.first, self.cell) = (first, cell) }

  /// The translations of a second scan that was turned already; those with the most votes first.
  func translations(of second: Voters, turnedBy turn: Transform) -> [SIMD3<Double>] {
    let points = second.points.map { SIMD3<Float>(turn.apply(toVector: SIMD3<Double>($0))) }
    let normals = second.normals.map { SIMD3<Float>(turn.apply(toVector: SIMD3<Double>($0))) }
    var (own, other) = (Box(), Box())
    for point in first.points { own.add(point) }
    for point in points { other.add(point) }
    let low = own.minimum - other.maximum
    let extent = own.maximum - other.minimum - low
    let volume = extent.x * extent.y * extent.z
    let cell = max(cell, cbrt(volume / Self.mostCells))
    let counts = SIMD3<Int>(extent / cell) &+ 3
    var votes = [Float](repeating: 0, count: counts.x * counts.y * counts.z)
    for (index, point) in points.enumerated() {
      let (normal, weight) = (normals[index], second.weights[index])
      for target in first.points.indices where first.normals[target].dot(normal) > Self.leastCosine
      {
        let place = SIMD3<Int>((first.points[target] - point - low) / cell) &+ 1
        votes[(place.z * counts.y + place.y) * counts.x + place.x] += weight * first.weights[target]
      }
    }
    Self.blur(&votes, counts)
    return peaks(of: votes, counts).map { place in
      SIMD3<Double>(low + (SIMD3<Float>(place) - 0.5) * cell)
    }
  }

  /// With the weights 1, 2 and 1 along each axis.
  private static func blur(_ values: inout [Float], _ counts: SIMD3<Int>) {
    for step in [1, counts.x, counts.x * counts.y] {
      var before: [Float] = values
      for index in step..<values.count - step {
        before[index] = (values[index - step] + 2 * values[index] + values[index + step]) / 4
      }
      values = before
    }
  }

  private func peaks(of votes: [Float], _ counts: SIMD3<Int>) -> [SIMD3<Int>] {
    var found: [(value: Float, place: SIMD3<Int>)] = []
    let (row, layer) = (counts.x, counts.x * counts.y)
    for z in 1..<counts.z - 1 {
      for y in 1..<counts.y - 1 {
        for x in 1..<counts.x - 1 {
          let index = z * layer + y * row + x
          let value = votes[index]
          guard value > 0, found.count < Self.most || value > found[Self.most - 1].value else {
            continue
          }
          let isPeak = [1, row, layer].allSatisfy {
            votes[index - $0] < value && votes[index + $0] <= value
          }
          guard isPeak else { continue }
          let rank = found.firstIndex { $0.value < value } ?? found.count
          found.insert((value, SIMD3(x, y, z)), at: rank)
          if found.count > Self.most { found.removeLast() }
        }
      }
    }
    return found.map(\.place)
  }
}
