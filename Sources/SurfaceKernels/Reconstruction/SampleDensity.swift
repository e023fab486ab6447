import MeshpipeScene
import POSIX

/// The number of points for each unit of area around any position, as a smooth field on a coarser grid.
struct SampleDensity: Sendable {
  private let grid: NestedGrid
  private let level: Int
  private let blocks: SparseBlocks
  private let neighbors: NeighborBlocks
  private let values: NodeRows

  /// The levels between that of the density and the finest one.
  private static let steps = 2
  /// The mean of the kernel over a plane through its centre: of a trilinear function, the weights
  /// ¼, ½ and ¼, and once more the trilinear function.
  private static let kernel: Float = 5.0 / 12

  init(_ samples: CellSamples) {
    grid = samples.grid
    level = max(0, grid.finest - Self.steps)
    let items = LevelSamples(samples, level: level) {
      .init(weight: samples.pointCount($0), vector: .zero)
    }
    let blocks = SparseBlocks(items.surroundingBlocks())
    let neighbors = NeighborBlocks(blocks)
    let lists = BlockSamples(items, blocks, neighbors)
    let counts = NodeRows(blockCount: blocks.count)
    let values = NodeRows(blockCount: blocks.count)
    counts.add(items, lists, value: \.weight)
    Parallel.forEachChunk(of: blocks.count, chunkSize: 32) { _, range in
      let rows = SurroundedRows()
      for block in range {
        rows.load(block, of: counts, neighbors, outside: .zero)
        for row in 0..<NodeRows.perBlock {
          values[NodeRows.perBlock * block + row] = Self.smoothed(rows, row & 7, row >> 3)
        }
      }
    }
    self.blocks = blocks
    self.neighbors = neighbors
    self.values = values
  }

  private static func smoothed(
    _ rows: borrowing SurroundedRows, _ y: Int, _ z: Int
  ) -> SIMD8<Float> {
    var sum = SIMD8<Float>.zero
    for stepZ in -1...1 {
      for stepY in -1...1 {
        let row = SurroundedRows.row(y + stepY, z + stepZ)
        let weight: Float = (stepY == 0 ? 0.5 : 0.25) * (stepZ == 0 ? 0.5 : 0.25)
        sum += (rows.centers[row] * 0.5 + rows.sides(row) * 0.25) * weight
      }
    }
    return sum
  }

  /// The number of points on a surface through a position, for each area of a face of a finest cell.
  ///
  /// - Parameter position: In cells of the finest level.
  func value(at position: SIMD3<Double>) -> Float {
    let point = position / Double(1 << (grid.finest - level))
    let cell = point.rounded(.down)
    let corner = SIMD3<Int32>(cell)
    let block = blocks.block(at: corner &>> 3)
    guard block >= 0 else { return 0 }
    let share = SIMD3<Float>(point - cell)
    var sum: Float = 0
    for offset in 0..<8 {
      let step = Octant.offset(offset)
      let node = SIMD3<Int>(truncatingIfNeeded: corner & 7 &+ step)
      guard let voxel = neighbors.voxel(in: Int(block), at: node) else { continue }
      let weights = (1 - share).replacing(with: share, where: step .== 1)
      sum += values[voxel >> 3][voxel & 7] * weights.x * weights.y * weights.z
    }
    return sum / Self.kernel / Float(1 << (2 * (grid.finest - level)))
  }
}

/// The area of the surface that each sample stands for, and the level on which it is seen.
struct SampleAreas: Sendable {
  /// The area of each sample, in areas of a face of a finest cell.
  let areas: [Float]
  /// The level whose cells have the number of points that is asked for; between levels, a fraction.
  let levels: [Float]

  /// The share of samples for which alone a level is not made.
  private static let rare = 0.02

  /// The finest level that more than a few samples need.
  var usedLevel: Int {
    var counts = [Int](repeating: 0, count: NestedGrid.greatestLevel + 1)
    for level in levels { counts[Int(level.rounded(.up))] += 1 }
    var rest = Int(Self.rare * Double(levels.count))
    for level in counts.indices.reversed() {
      rest -= counts[level]
      if rest < 0 { return level }
    }
    return 0
  }

  init(_ samples: CellSamples, _ density: SampleDensity, pointsPerCell: Float) {
    let finest = Float(samples.grid.finest)
    let densities = Parallel.array(count: samples.count) { density.value(at: samples.position($0)) }
    areas = Parallel.array(count: samples.count) { samples.pointCount($0) / densities[$0] }
    levels = Parallel.array(count: samples.count) {
      min(max(finest + log2(densities[$0] / pointsPerCell) / 2, 0), finest)
    }
  }
}
