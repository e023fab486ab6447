import MeshpipeBase
package import MeshpipeScene

/// The depths of the centred part of a picture, by the cells of a square grid.
package struct DepthCells: Sendable {
  /// The cells along each side of the grid.
  package static let side = 20
  /// The part of the picture's width and of its height that the grid fills: 36 % of its area.
  package static let share = 0.6

  /// The median of the depths of each cell in metres, row by row; nil where less than half of it was measured.
  package let depths: [Double?]

  package init(_ map: DepthMap) {
    let (columns, rows) = (Self.cells(of: map.width), Self.cells(of: map.height))
    var pixels = [[Float]](repeating: [], count: Self.side * Self.side)
    var counts = [Int](repeating: 0, count: pixels.count)
    for y in 0..<map.height {
      guard let row = rows[y] else { continue }
      for x in 0..<map.width {
        guard let column = columns[x] else { continue }
        let depth = map.meters[y * map.width + x]
        counts[row * Self.side + column] += 1
        if depth > 0 { pixels[row * Self.side + column].append(depth) }
      }
    }
    depths = zip(pixels, counts).map { depths, count in
      2 * depths.count >= count ? depths.median().map(Double.init) : nil
    }
  }

  /// The cell of each pixel of a row or column; nil outside of the grid.
  private static func cells(of count: Int) -> [Int?] {
    (0..<count).map { pixel in
      let index = ((Double(pixel) + 0.5) / Double(count) - (1 - share) / 2) / share
      return (0..<1).contains(index) ? Int(index * Double(side)) : nil
    }
  }
}

/// An object before a background that was measured without it, by the same camera in the same position.
package struct DepthBarrier: Sendable {
  /// The median of the depths of each cell in metres; nil where it is not known.
  private let background: [Double?]
  /// The minimum distance of an object from the background, in metres and as a fraction of the depth: the noise of a
  /// phone's depths.
  private static let noise = (meters: 0.01, share: 0.01)

  /// The measurements of a barrier.
  package struct Reading: Sendable, Equatable {
    /// The share of the cells, those in the middle and those on the border alike, that are nearer than the background.
    package var coverage: Double
    /// The median over the cells of how much nearer they are than the background, in metres; nil if most have no depth.
    package var separation: Double?
  }

  /// - Returns: Nil unless at least half of the cells are known in half of the samples.
  package init?(background samples: [DepthCells]) {
    guard !samples.isEmpty else { return nil }
    background = (0..<DepthCells.side * DepthCells.side).map { cell in
      let depths = samples.compactMap { $0.depths[cell] }
      return 2 * depths.count >= samples.count ? depths.median() : nil
    }
    guard 2 * background.count(where: { $0 != nil }) >= background.count else { return nil }
  }

  /// Compares a sample with the background, where that is known.
  ///
  /// Cells without a depth are not covered: nothing is known of them.
  package func reading(_ sample: DepthCells) -> Reading {
    var (covered, known) = (0, 0)
    var separations: [Double] = []
    for (depth, found) in zip(background, sample.depths) {
      guard let depth else { continue }
      known += 1
      guard let found else { continue }
      separations.append(depth - found)
      if depth - found > Self.noise.meters + Self.noise.share * depth { covered += 1 }
    }
    return Reading(
      coverage: Double(covered) / Double(known),
      separation: 2 * separations.count >= known ? separations.median() : nil)
  }
}
