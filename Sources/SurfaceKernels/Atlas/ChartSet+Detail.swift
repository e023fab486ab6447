import MeshpipeScene

extension ChartSet {
  /// Scales charts relative to each other by the detail of their faces, preserving the total area.
  ///
  /// - Parameter detail: Per face, in any unit, 0 if unknown.
  mutating func scale(byDetail detail: [Float]) {
    let members = members
    let areas = chartOfFace.indices.map { area(ofFace: $0) }
    // The mean detail of the faces of each chart, and their area.
    func sums(_ faces: some Sequence<Int>) -> (squares: Double, area: Double) {
      faces.reduce((0, 0)) { sums, face in
        let area = detail[face] > 0 && areas[face].isFinite ? areas[face] : 0
        let squared = Double(detail[face]) * Double(detail[face])
        return (sums.0 + (area > 0 ? area * squared : 0), sums.1 + area)
      }
    }
    let all = sums(chartOfFace.indices.filter { chartOfFace[$0] != Atlas.noChart })
    guard all.squares > 0, all.squares.isFinite else { return }
    let mean = (all.squares / all.area).squareRoot()
    var scales = (0..<count).map { chart in
      let (squares, area) = sums(members[chart].lazy.map { Int($0) })
      let share = area > 0 ? (squares / area).squareRoot() / mean : Self.detailRange.lowerBound
      return min(max(share, Self.detailRange.lowerBound), Self.detailRange.upperBound)
    }
    let (old, new) = (0..<count).reduce((0.0, 0.0)) { total, chart in
      let area = members[chart].reduce(0.0) {
        $0 + (areas[Int($1)].isFinite ? areas[Int($1)] : 0)
      }
      return (total.0 + area, total.1 + area * scales[chart] * scales[chart])
    }
    guard new > 0 else { return }
    for chart in scales.indices { scales[chart] *= (old / new).squareRoot() }
    for corner in corners.indices where chartOfFace[corner / 3] != Atlas.noChart {
      corners[corner] *= Float(scales[Int(chartOfFace[corner / 3])])
    }
  }

  /// The maximum ratio between a chart's density and the mean.
  private static let detailRange = 0.3...3.0
}
