import MeshpipeScene
import POSIX

/// The samples of a level: one for each of its cells that has some.
struct LevelSamples: Sendable {
  struct Item: BitwiseCopyable, Sendable {
    let cell: UInt64
    /// The mean position in the cell, from 0 to 1.
    var place: Vector3
    var weight: Float
    /// The weight with which the field is drawn to 0: less than ``weight`` where samples are noisy.
    var pull: Float
    var vector: Vector3

    /// The block of the cell, on a Morton curve.
    @inline(__always)
    var block: UInt64 { cell >> 9 }

    /// The cell in its block.
    @inline(__always)
    var corner: SIMD3<Int32> { MortonCell.cell(cell & 511) }
  }

  /// The contribution of a finer sample to one of the level.
  struct Share {
    /// The weight in the mean position.
    var weight: Float
    var vector: SIMD3<Float>
    /// The variance of the position along the normal, in squares of a finest cell's edge.
    var variance: Float = 0
  }

  /// The samples of the level, in ascending order of cells.
  let items: [Item]

  /// - Parameter share: That of a sample; nil for none.
  init(
    _ samples: CellSamples, level: Int, share: @Sendable (Int) -> Share?
  ) {
    let steps = samples.grid.finest - level
    let shift = UInt64(3 * steps)
    let cells = samples.cells
    @Sendable func isFirst(_ sample: Int) -> Bool {
      sample == 0 || cells[sample] >> shift != cells[sample - 1] >> shift
    }
    let parts = Parallel.mapChunks(of: cells.count) { range in
      var items: [Item] = []
      var sample = range.lowerBound
      while sample < range.upperBound, !isFirst(sample) { sample += 1 }
      while sample < range.upperBound {
        let cell = cells[sample] >> shift
        var sum = Sum()
        // The last cell of the chunk may go on in the next one.
        while sample < cells.count, cells[sample] >> shift == cell {
          if let part = share(sample) { sum.add(part, samples.place(sample, coarser: steps)) }
          sample += 1
        }
        if let item = sum.item(cell, coarser: steps) { items.append(item) }
      }
      return items
    }
    items = Parallel.joined(parts)
  }

  private struct Sum {
    var place = SIMD3<Float>.zero
    var weight: Float = 0
    var vector = SIMD3<Float>.zero
    /// The variance of ``place``, the weighted sum of positions, along the normal.
    var variance: Float = 0

    @inline(__always)
    mutating func add(_ share: Share, _ position: SIMD3<Float>) {
      self.place += position * share.weight
      weight += share.weight
      vector += share.vector
      variance += share.weight * share.weight * share.variance
    }

    func item(_ cell: UInt64, coarser steps: Int) -> Item? {
      guard weight > 0 else { return nil }
      let variance = variance / (weight * weight) / exp2(2 * Float(steps))
      return Item(
        cell: cell, place: Vector3(place / weight), weight: weight,
        pull: weight * SampleNoise.factor(variance), vector: Vector3(vector))
    }
  }
}

extension CellSamples {
  /// The position of a sample in its cell of a coarser level, from 0 to 1.
  @inline(__always)
  fileprivate func place(_ sample: Int, coarser steps: Int) -> SIMD3<Float> {
    let cell = MortonCell.cell(cells[sample]) & Int32(1 << steps - 1)
    return (SIMD3<Float>(cell) + places[sample].simd) / Float(1 << steps)
  }
}

extension LevelSamples {
  /// The blocks that have a node at most two from the corners of a cell with a sample.
  func surroundingBlocks() -> Set<UInt64> {
    let parts = Parallel.mapChunks(of: items.count) { range in
      var keys: Set<UInt64> = []
      var index = range.lowerBound
      while index < range.upperBound {
        let block = items[index].block
        var places: Int32 = 0
        while index < range.upperBound, items[index].block == block {
          places |= Self.placesAround(items[index].corner)
          index += 1
        }
        let center = MortonCell.cell(block)
        for index in 0..<Int32(27) where places >> index & 1 == 1 {
          keys.insert(SparseBlocks.key(center &+ NeighborBlocks.offset(index)))
        }
      }
      return keys
    }
    return parts.reduce(into: []) { $0.formUnion($1) }
  }

  /// The blocks of ``NeighborBlocks`` with a node at most two from the corners of a cell, as 27 bits.
  @inline(__always)
  private static func placesAround(_ corner: SIMD3<Int32>) -> Int32 {
    // For each axis 3 bits: the block before, itself, the one after it.
    var side = SIMD3<Int32>(repeating: 2)
    side.replace(with: side | 1, where: corner .< 2)
    side.replace(with: side | 4, where: corner .> 4)
    let rows = side.y & 1 | (side.y & 2) << 2 | (side.y & 4) << 4
    let layers = side.z & 1 | (side.z & 2) << 8 | (side.z & 4) << 16
    return side.x * rows * layers
  }
}

/// The samples whose cells have a corner in each block of a sparse grid: those of its own cells, and of
/// the cells just before it along each axis.
struct BlockSamples: Sendable {
  struct Entry: BitwiseCopyable, Sendable {
    let sample: UInt32
    /// The cell from the block's first one, each coordinate from −1 to 7.
    let corner: SIMD3<Int8>

    @inline(__always)
    var row: Int { Int(corner.y) + 1 + 9 * (Int(corner.z) + 1) }
  }

  /// Block by block, and in a block in the order of rows.
  let entries: [Entry]
  /// The first entry of each block, and last their number.
  let starts: [Int]

  /// The entries of a block.
  subscript(block: Int) -> ArraySlice<Entry> { entries[starts[block]..<starts[block + 1]] }

  /// The rows of cells of a block, with those before it.
  static let rows = 81

  init(_ samples: LevelSamples, _ grid: SparseBlocks, _ neighbors: NeighborBlocks) {
    let own = Self.ownSamples(samples, grid)
    let parts = Parallel.mapChunks(of: grid.count, chunkSize: 256) { range in
      var found: [Entry] = []
      var entries: [Entry] = []
      var ends: [Int] = []
      for block in range {
        Self.find(&found, in: block, own: own, samples: samples, neighbors: neighbors)
        Self.sort(found, into: &entries)
        ends.append(entries.count)
      }
      return (entries: entries, ends: ends)
    }
    entries = Parallel.joined(parts.map(\.entries))
    var starts = [0]
    for part in parts {
      let first = starts[starts.count - 1]
      starts += part.ends.map { $0 + first }
    }
    self.starts = starts
  }

  /// The samples in the cells of each block.
  private static func ownSamples(_ samples: LevelSamples, _ grid: SparseBlocks) -> [Range<Int32>] {
    var own = [Range<Int32>](repeating: 0..<0, count: grid.count)
    var index = 0
    while index < samples.items.count {
      let first = index
      let block = samples.items[index].block
      while index < samples.items.count, samples.items[index].block == block { index += 1 }
      let number = grid.block(at: MortonCell.cell(block))
      if number >= 0 { own[Int(number)] = Int32(first)..<Int32(index) }
    }
    return own
  }

  private static func find(
    _ found: inout [Entry], in block: Int, own: [Range<Int32>], samples: LevelSamples,
    neighbors: NeighborBlocks
  ) {
    found.removeAll(keepingCapacity: true)
    for octant in 0..<8 {
      let before = Octant.offset(octant)
      guard
        let other = neighbors.block(
          block, SIMD3<Int>(truncatingIfNeeded: SIMD3<Int32>.zero &- before))
      else {
        continue
      }
      for index in own[other] {
        let corner = samples.items[Int(index)].corner
        guard all((corner .== 7) .| (before .== 0)) else { continue }
        found.append(
          Entry(
            sample: UInt32(index),
            corner: SIMD3<Int8>(truncatingIfNeeded: corner &- before &* 8)))
      }
    }
  }

  private static func sort(_ found: [Entry], into entries: inout [Entry]) {
    guard !found.isEmpty else { return }
    var starts = [Int](repeating: 0, count: rows + 1)
    for entry in found { starts[entry.row + 1] += 1 }
    for row in 0..<rows { starts[row + 1] += starts[row] }
    let first = entries.count
    entries += found
    for entry in found {
      entries[first + starts[entry.row]] = entry
      starts[entry.row] += 1
    }
  }
}
