import MeshpipeScene

/// The nodes of one level of a reconstruction, and the samples around them.
final class PoissonLevel: Sendable {
  let number: Int
  let grid: SparseBlocks
  let neighbors: NeighborBlocks
  let samples: LevelSamples
  let lists: BlockSamples
  /// Whether there are blocks everywhere.
  let isWhole: Bool
  /// The field: the sum of the functions of this and all coarser levels is trilinear between these.
  let field: NodeRows
  /// The right side of the equations.
  let rightSide: NodeRows

  init(_ keys: Set<UInt64>, _ samples: LevelSamples, number: Int) {
    self.number = number
    grid = SparseBlocks(keys)
    neighbors = NeighborBlocks(grid)
    self.samples = samples
    lists = BlockSamples(samples, grid, neighbors)
    isWhole = number < NestedGrid.wholeLevels
    field = NodeRows(blockCount: grid.count)
    rightSide = NodeRows(blockCount: grid.count)
  }

  /// The blocks of the next finer level inside each block, lowest first along x, y and z; −1 for
  /// those that are missing.
  static func children(of grid: SparseBlocks, in finer: SparseBlocks) -> [SIMD8<Int32>] {
    Parallel.array(count: grid.count, chunkSize: 512) { block in
      var found = SIMD8<Int32>(repeating: -1)
      for octant in 0..<8 {
        found[octant] = finer.block(at: grid.coordinates[block] &* 2 &+ Octant.offset(octant))
      }
      return found
    }
  }

  /// The blocks of the coarser level that have the nodes between which those of this one are.
  static func parents(of keys: Set<UInt64>) -> Set<UInt64> {
    var parents: Set<UInt64> = []
    for key in keys {
      let block = SparseBlocks.coordinates(key)
      let (low, high) = (block &>> 1, (block &+ 1) &>> 1)
      for octant in 0..<8 {
        let offset = Octant.offset(octant)
        parents.insert(SparseBlocks.key(low.replacing(with: high, where: offset .== 1)))
      }
    }
    return parents
  }
}

/// The eight halves of halves of a block.
enum Octant {
  /// 0 or 1 along each axis.
  @inline(__always)
  static func offset(_ octant: Int) -> SIMD3<Int32> {
    SIMD3(Int32(octant & 1), Int32(octant >> 1 & 1), Int32(octant >> 2))
  }

  /// The first of its nodes in the block: 0 or 4 along each axis.
  @inline(__always)
  static func firstNode(_ octant: Int) -> SIMD3<Int> {
    SIMD3<Int>(truncatingIfNeeded: offset(octant)) &* 4
  }
}
