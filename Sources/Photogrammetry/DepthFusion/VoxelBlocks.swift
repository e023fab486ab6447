import MeshPipeline

/// A sparse grid of voxels around a surface, in blocks of 8×8×8 (Nießner and others 2013).
///
/// Each voxel holds the weighted sum of signed distances to the surface, truncated, and the sum of
/// the weights (Curless and Levoy 1996); positive outside. Lengths are in metres, in the axes of
/// the scene. Voxel `x + 8y + 64z` of a block is its (x, y, z).
struct VoxelBlocks: Sendable {
  /// The edge of a voxel.
  let voxel: Float
  /// In order of their keys.
  let coordinates: [SIMD3<Int32>]
  private let places: [UInt64: Int32]
  /// Sums of weighted distances; after ``finish()`` their means.
  var distances: [Float]
  var weights: [Float]

  static let width = 8
  /// The voxels of a block.
  static let volume = 512

  /// Blocks farther from the origin can't be told apart in a key.
  static let greatestCoordinate: Float = 1_048_576

  var count: Int { coordinates.count }

  init(_ keys: Set<UInt64>, voxel: Float) {
    self.voxel = voxel
    let sorted = keys.sorted()
    coordinates = sorted.map(Self.coordinates)
    places = Dictionary(
      uniqueKeysWithValues: sorted.enumerated().map { ($0.element, Int32($0.offset)) })
    distances = [Float](repeating: 0, count: sorted.count * Self.volume)
    weights = [Float](repeating: 0, count: sorted.count * Self.volume)
  }

  /// The key of the block at some coordinates, each from −2²⁰ to 2²⁰ − 1.
  static func key(_ block: SIMD3<Int32>) -> UInt64 {
    let part = SIMD3<UInt64>(truncatingIfNeeded: block &+ (1 << 20)) & 0x1F_FFFF
    return part.z << 42 | part.y << 21 | part.x
  }

  private static func coordinates(_ key: UInt64) -> SIMD3<Int32> {
    let part = SIMD3(key, key >> 21, key >> 42) & 0x1F_FFFF
    return SIMD3<Int32>(truncatingIfNeeded: part) &- (1 << 20)
  }

  /// The block at some coordinates; −1 if there is none.
  func block(at coordinates: SIMD3<Int32>) -> Int32 { places[Self.key(coordinates)] ?? -1 }

  /// The centre of a block's first voxel.
  func origin(of block: Int) -> SIMD3<Float> {
    (SIMD3<Float>(coordinates[block]) * Float(Self.width) + 0.5) * voxel
  }

  /// Turns sums into means; NaN where the weights are less than a minimum.
  mutating func finish(minimumWeight: Float) {
    let weights = weights
    distances.withDisjointBuffer { distances in
      Parallel.forEachChunk(of: distances.count) { _, range in
        for voxel in range {
          distances[voxel] =
            weights[voxel] >= minimumWeight ? distances[voxel] / weights[voxel] : .nan
        }
      }
    }
  }
}
