import MeshpipeScene
import POSIX

/// The blocks of a level outside of which all is trimmed, as no samples are near.
struct SampleSurroundings: Sendable {
  let level: Int
  let keys: Set<UInt64>

  /// The finest cells at the end of the blocks in which the field may differ from that of a whole level.
  private static let border = 8.0

  /// - Returns: Nil if nothing is trimmed for its distance, or only vertices farther away than a block of
  ///   level 1 is wide. A share of all vertices is not known without those that are far away.
  init?(_ samples: CellSamples, _ trimming: SurfaceTrimming) {
    guard trimming.leastDense == 0, let reach = trimming.reach.limit(cell: samples.grid.cell) else {
      return nil
    }
    let cells = reach / samples.grid.cell
    // The last cell of the level that is trimmed differs, too, and is as wide as many finest ones.
    let blocks = max(
      (cells + Self.border) / Double(SparseBlocks.width), cells / Double(SparseBlocks.width - 1))
    let steps = max(0, log2(blocks).rounded(.up))
    guard steps < Double(samples.grid.finest) else { return nil }
    level = samples.grid.finest - Int(steps)
    var keys: Set<UInt64> = []
    var last: UInt64?
    for cell in samples.cells {
      let block = cell >> UInt64(3 * Int(steps) + 9)
      guard block != last else { continue }
      last = block
      for index in 0..<Int32(27) {
        keys.insert(SparseBlocks.key(MortonCell.cell(block) &+ NeighborBlocks.offset(index)))
      }
    }
    self.keys = keys
  }
}
