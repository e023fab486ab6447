import MeshpipeScene

/// The blocks of 8×8×8 voxels of a sparse grid, found by their coordinates (Nießner and others 2013).
///
/// Voxel `x + 8y + 64z` of a block is its (x, y, z); an array over all voxels has those of block after
/// block.
package struct SparseBlocks: Sendable {
  /// The coordinates of the blocks, in order of their keys.
  package let coordinates: [SIMD3<Int32>]
  private let places: [UInt64: Int32]

  package static let width = 8
  /// The voxels of a block.
  package static let volume = 512
  /// The rows of voxels along x in a block.
  package static let rows = 64

  /// Blocks farther from the origin can't be told apart in a key.
  package static let greatestCoordinate: Float = 1_048_576

  package var count: Int { coordinates.count }

  package init(_ keys: Set<UInt64>) {
    let sorted = keys.sorted()
    coordinates = sorted.map(Self.coordinates)
    places = Dictionary(
      uniqueKeysWithValues: sorted.enumerated().map { ($0.element, Int32($0.offset)) })
  }

  /// The key of the block at some coordinates, each from −2²⁰ to 2²⁰ − 1.
  package static func key(_ block: SIMD3<Int32>) -> UInt64 {
    let part = SIMD3<UInt64>(truncatingIfNeeded: block &+ (1 << 20)) & 0x1F_FFFF
    return part.z << 42 | part.y << 21 | part.x
  }

  /// The key of the block at some coordinates; nil for those that a key can't hold, and no numbers.
  @inline(__always)
  package static func key(at position: SIMD3<Float>) -> UInt64? {
    let (x, y, z) = (
      position.x.rounded(.down), position.y.rounded(.down), position.z.rounded(.down)
    )
    let limit = greatestCoordinate
    guard abs(x) < limit, abs(y) < limit, abs(z) < limit else { return nil }
    return key(SIMD3(Int32(x), Int32(y), Int32(z)))
  }

  /// The coordinates of the block with a key.
  package static func coordinates(_ key: UInt64) -> SIMD3<Int32> {
    let part = SIMD3(key, key >> 21, key >> 42) & 0x1F_FFFF
    return SIMD3<Int32>(truncatingIfNeeded: part) &- (1 << 20)
  }

  /// The block at some coordinates; −1 if there is none.
  package func block(at coordinates: SIMD3<Int32>) -> Int32 { places[Self.key(coordinates)] ?? -1 }

  /// The coordinates of a voxel in its block, from 0 to 7.
  @inline(__always)
  package static func place(of voxel: Int) -> SIMD3<Int> {
    SIMD3(voxel & 7, voxel >> 3 & 7, voxel >> 6 & 7)
  }
}

/// The 27 blocks around each block of a sparse grid, itself in the middle.
package struct NeighborBlocks: Sendable {
  /// −1 where there is none.
  private let blocks: [Int32]

  package init(_ grid: SparseBlocks) {
    blocks = Parallel.array(count: 27 * grid.count, chunkSize: 27 * 256) { index in
      grid.block(at: grid.coordinates[index / 27] &+ Self.offset(Int32(index % 27)))
    }
  }

  /// The number of blocks of the grid.
  package var count: Int { blocks.count / 27 }

  /// The offset of a block around a block, by its index from 0 to 26 along x, y and z.
  @inline(__always)
  static func offset(_ position: Int32) -> SIMD3<Int32> {
    SIMD3(position % 3, position / 3 % 3, position / 9) &- 1
  }

  /// The index of a voxel given by its coordinates in a block, from −8 to 15 along each axis; nil where
  /// there is no block.
  @inline(__always)
  package func voxel(in block: Int, at position: SIMD3<Int>) -> Int? {
    let (x, y, z) = (position.x, position.y, position.z)
    let neighbor = (x + 8) >> 3 + 3 * ((y + 8) >> 3) + 9 * ((z + 8) >> 3)
    let other = blocks[27 * block + neighbor]
    guard other >= 0 else { return nil }
    return Int(other) * SparseBlocks.volume + (x & 7) + (y & 7) << 3 + (z & 7) << 6
  }

  /// The block at an offset of −1 to 1 along each axis; nil if there is none.
  @inline(__always)
  package func block(_ block: Int, _ offset: SIMD3<Int>) -> Int? {
    let other = blocks[27 * block + offset.x + 1 + 3 * (offset.y + 1) + 9 * (offset.z + 1)]
    return other >= 0 ? Int(other) : nil
  }

  /// Whether no block around a block is missing.
  package func isSurrounded(_ block: Int) -> Bool {
    !blocks[27 * block..<27 * (block + 1)].contains { $0 < 0 }
  }

  /// Whether there is a block at an offset of −1 to 1 along each axis.
  @inline(__always)
  package func has(_ block: Int, _ offset: SIMD3<Int>) -> Bool {
    self.block(block, offset) != nil
  }
}
