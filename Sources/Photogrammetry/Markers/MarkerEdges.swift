import NativeLibraries

/// The edges between black and white cells of a marker, as places on its square.
struct MarkerEdges {
  /// A place on an edge.
  struct Place {
    /// From (0, 0) at the top left corner of the black square to (1, 1).
    var position: SIMD2<Double>
    /// From black to white, across the edge: one axis of the marker.
    var toWhite: SIMD2<Double>
  }

  let places: [Place]
  /// The cells along a side.
  let side: Int

  /// Where along a cell's side edges are looked at: not at its ends, where other edges begin.
  private static let parts = [0.3, 0.5, 0.7]

  /// The edges of a marker, with those around its black square; nil if there is no such marker.
  init?(_ dictionary: MarkerDictionary, _ identifier: Int) {
    guard let cells = dictionary.cells(of: identifier) else { return nil }
    let side = dictionary.side
    func isWhite(_ column: Int, _ row: Int) -> Bool {
      let isInside = (0..<side).contains(column) && (0..<side).contains(row)
      return isInside ? cells[row * side + column] : true
    }
    var places: [Place] = []
    let step = 1 / Double(side)
    for line in 0...side {
      for cell in 0..<side {
        let (left, right) = (isWhite(line - 1, cell), isWhite(line, cell))
        let (above, below) = (isWhite(cell, line - 1), isWhite(cell, line))
        for part in Self.parts {
          let (across, along) = (Double(line) * step, (Double(cell) + part) * step)
          if left != right {
            places.append(
              Place(position: SIMD2(across, along), toWhite: SIMD2(right ? 1 : -1, 0)))
          }
          if above != below {
            places.append(
              Place(position: SIMD2(along, across), toWhite: SIMD2(0, below ? 1 : -1)))
          }
        }
      }
    }
    self.places = places
    self.side = side
  }
}
