import MeshpipeScene

/// Values from the nodes of a level to those of the next finer one, and back.
struct LevelTransfer: Sendable {
  private let children: [SIMD8<Int32>]
  private let coarse: NeighborBlocks
  private let fine: NeighborBlocks

  init(
    from coarse: SparseBlocks, _ coarseNeighbors: NeighborBlocks, to fine: SparseBlocks,
    _ fineNeighbors: NeighborBlocks
  ) {
    children = PoissonLevel.children(of: coarse, in: fine)
    self.coarse = coarseNeighbors
    self.fine = fineNeighbors
  }

  init(from coarse: PoissonLevel, to fine: PoissonLevel) {
    self.init(from: coarse.grid, coarse.neighbors, to: fine.grid, fine.neighbors)
  }

  /// Sets the finer nodes of some blocks to a multiple of the trilinear means of the coarser ones.
  ///
  /// - Parameter includes: Whether a block of the finer level is set.
  func refine(
    _ values: NodeRows, to finer: NodeRows, factor: Float = 1,
    includes: @Sendable (Int) -> Bool = { _ in true }
  ) {
    Parallel.forEachChunk(of: children.count, chunkSize: 32) { _, range in
      let rows = SurroundedRows()
      for block in range {
        let found = children[block]
        guard (0..<8).contains(where: { found[$0] >= 0 && includes(Int(found[$0])) }) else {
          continue
        }
        rows.load(block, of: values, coarse, outside: .nearest)
        for octant in 0..<8 where found[octant] >= 0 && includes(Int(found[octant])) {
          Self.refine(rows, octant: octant, to: finer, block: Int(found[octant]), factor: factor)
        }
      }
    }
  }

  private static func refine(
    _ rows: borrowing SurroundedRows, octant: Int, to finer: NodeRows, block: Int, factor: Float
  ) {
    let first = Octant.firstNode(octant)
    let isHigh = first.x > 0
    for z in 0..<8 {
      for y in 0..<8 {
        let row = SurroundedRows.row(first.y + y / 2, first.z + z / 2)
        let (nextY, nextZ) = (row + y % 2, row + SurroundedRows.width * (z % 2))
        let diagonal = nextY + nextZ - row
        let sum =
          (rows.centers[row] + rows.centers[nextY] + rows.centers[nextZ] + rows.centers[diagonal])
          * (factor / 4)
        let end =
          (rows.last(row) + rows.last(nextY) + rows.last(nextZ) + rows.last(diagonal))
          * (factor / 4)
        let known = isHigh ? sum.highHalf : sum.lowHalf
        let next =
          isHigh
          ? SIMD4(sum[5], sum[6], sum[7], end) : SIMD4(sum[1], sum[2], sum[3], sum[4])
        let between = (known + next) / 2
        finer[NodeRows.perBlock * block + y + 8 * z] = SIMD8(
          known[0], between[0], known[1], between[1], known[2], between[2], known[3], between[3])
      }
    }
  }

  /// Adds to the coarser nodes a multiple of the finer ones by the transpose of the means.
  func coarsen(_ values: NodeRows, to coarser: NodeRows, factor: Float) {
    Parallel.forEachChunk(of: children.count, chunkSize: 32) { _, range in
      let rows = SurroundedRows()
      for block in range {
        let found = children[block]
        for octant in 0..<8 where found[octant] >= 0 {
          rows.load(Int(found[octant]), of: values, fine, outside: .zero)
          Self.coarsen(rows, octant: octant, to: coarser, block: block, factor: factor)
        }
      }
    }
  }

  private static func coarsen(
    _ rows: borrowing SurroundedRows, octant: Int, to coarser: NodeRows, block: Int, factor: Float
  ) {
    let first = Octant.firstNode(octant)
    for z in 0..<4 {
      for y in 0..<4 {
        var sum = SIMD8<Float>.zero
        var start: Float = 0
        for stepZ in -1...1 {
          for stepY in -1...1 {
            let row = SurroundedRows.row(2 * y + stepY, 2 * z + stepZ)
            let weight: Float = (stepY == 0 ? 1 : 0.5) * (stepZ == 0 ? 1 : 0.5)
            sum += rows.centers[row] * weight
            start += rows.first(row) * weight
          }
        }
        let odd = sum.oddHalf
        let result = (sum.evenHalf + (odd + SIMD4(start, odd[0], odd[1], odd[2])) / 2) * factor
        let row = NodeRows.perBlock * block + first.y + y + 8 * (first.z + z)
        coarser[row] +=
          first.x > 0
          ? SIMD8(lowHalf: .zero, highHalf: result) : SIMD8(lowHalf: result, highHalf: .zero)
      }
    }
  }
}
