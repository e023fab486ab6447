import MeshpipeScene

/// Restores the fine detail that blending frames removes.
///
/// The mean of frames whose detail is misaligned by some pixels is closer to the truth than each of
/// them, but flat: its variance falls with the sum of the squares of their weights. So the finest
/// bands are amplified, as in variance-preserving blending (Heitz and Neyret 2018), but only
/// partly, since frames agree on a part of their detail.
///
/// The strength, ``BakeOptions/detailCompensation``, comes from measurements that are stated there.
enum DetailCompensation {
  /// The amount of fine detail that is added again at each vertex: none where one frame has all weights, or where
  /// frames agree.
  ///
  /// - Parameter disagreements: See ``ColorConsensus/disagreements()``.
  static func boosts(_ selected: SelectedObservations, _ disagreements: [Float], strength: Float)
    -> [Float]
  {
    Parallel.array(count: selected.vertexCount) { vertex in
      var squares: Float = 0
      for index in selected.range(of: vertex) {
        squares += selected.contributions[index].weight * selected.contributions[index].weight
      }
      return squares > 0 ? strength * disagreements[vertex] * max(0, 1 - squares) : 0
    }
  }
}

extension LinearImage {
  /// The code of no detail in the fourth channel: see ``withDetail()``.
  static let noDetail: Float = 32_768

  /// Stores in the fourth channel, halved, the detail of the luma that is finer than blocks of 4 ×
  /// 4 pixels of the full image: the two finest bands of a Laplacian pyramid (Burt and Adelson
  /// 1983).
  ///
  /// - Parameter reduction: 1, 2, 4 or 8: this image is reduced by that factor, and has less of
  ///   such detail.
  consuming func withDetail(reducedBy reduction: Int = 1) -> LinearImage {
    let side = max(1, 4 / reduction)
    let (columns, rows) = ((width + side - 1) / side, (height + side - 1) / side)
    let blocks = (0..<rows).flatMap { row in (0..<columns).map { blockLuma($0, row, side) } }
    var result = self
    var line = [Float](repeating: 0, count: columns)
    for y in 0..<result.height {
      let (top, bottom, down) = Self.blocks(around: y, rows, side)
      for column in 0..<columns {
        let (above, below) = (blocks[top * columns + column], blocks[bottom * columns + column])
        line[column] = above + (below - above) * down
      }
      for x in 0..<result.width {
        let (left, right, part) = Self.blocks(around: x, columns, side)
        let coarse = line[left] + (line[right] - line[left]) * part
        let index = y * result.width + x
        let detail = (Self.luminance(of: result.pixels[index]) - coarse) / 2 + Self.noDetail
        result.pixels[index].w = UInt16(min(max(detail, 0), 65_535))
      }
    }
    return result
  }

  private func blockLuma(_ column: Int, _ row: Int, _ side: Int) -> Float {
    let columns = side * column..<min(side * (column + 1), width)
    let rows = side * row..<min(side * (row + 1), height)
    var sum: Float = 0
    for y in rows {
      for x in columns { sum += Self.luminance(of: pixels[y * width + x]) }
    }
    return sum / Float(rows.count * columns.count)
  }

  /// The blocks before and after the centre of a pixel, and the interpolation weight between them.
  @inline(__always)
  private static func blocks(around pixel: Int, _ count: Int, _ side: Int) -> (Int, Int, Float) {
    // A block of a single pixel is the one at the pixel's centre.
    guard side > 1 else { return (pixel, pixel, 0) }
    let first = (pixel - side / 2) >> side.trailingZeroBitCount
    let part = (Float((pixel - side / 2) & (side - 1)) + 0.5) / Float(side)
    return (max(0, first), min(first + 1, count - 1), part)
  }
}
