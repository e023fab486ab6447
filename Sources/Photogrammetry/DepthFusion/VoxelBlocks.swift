import MeshpipeScene
import SurfaceKernels

/// A sparse grid of voxels around a surface, in blocks of 8×8×8 (Nießner and others 2013).
///
/// Each voxel holds the weighted sum of signed distances to the surface, truncated, and the sum of
/// the weights (Curless and Levoy 1996); positive outside. Lengths are in metres, in the axes of
/// the scene.
struct VoxelBlocks: Sendable {
  /// The edge of a voxel.
  let voxel: Float
  /// What is added to the positions of voxels along each axis, in metres: for a grid inside of a coarser one.
  let offset: Float
  let grid: SparseBlocks
  /// Sums of weighted distances; after ``finish()`` their means.
  var distances: [Float]
  var weights: [Float]
  /// The number of frames that measured a surface within the truncation, up to 255; empty unless they are
  /// counted.
  var frameCounts: [UInt8]

  var count: Int { grid.count }
  var coordinates: [SIMD3<Int32>] { grid.coordinates }

  /// - Parameter countsFrames: Whether frames are counted, which takes a byte for each voxel.
  init(_ keys: Set<UInt64>, voxel: Float, offset: Float = 0, countsFrames: Bool = false) {
    self.voxel = voxel
    self.offset = offset
    grid = SparseBlocks(keys)
    distances = [Float](repeating: 0, count: grid.count * SparseBlocks.volume)
    weights = [Float](repeating: 0, count: grid.count * SparseBlocks.volume)
    frameCounts = countsFrames ? [UInt8](repeating: 0, count: weights.count) : []
  }

  /// The centre of a block's first voxel.
  func origin(of block: Int) -> SIMD3<Float> {
    (SIMD3<Float>(coordinates[block]) * Float(SparseBlocks.width) + 0.5) * voxel + offset
  }

  /// Turns sums into means; NaN where the weights, or the number of counted frames, are less than a minimum.
  mutating func finish(minimumWeight: Float, minimumFrames: Int = 1) {
    let (weights, frameCounts) = (weights, frameCounts)
    distances.withDisjointBuffer { distances in
      Parallel.forEachChunk(of: distances.count) { _, range in
        for voxel in range {
          let isKnown =
            weights[voxel] >= minimumWeight
            && (frameCounts.isEmpty || Int(frameCounts[voxel]) >= minimumFrames)
          distances[voxel] = isKnown ? distances[voxel] / weights[voxel] : .nan
        }
      }
    }
  }
}

/// The field of signed distances of all depth maps: in voxels of one size, and where these show details in finer ones, too.
struct FusedField: Sendable {
  var blocks: VoxelBlocks
  var details: Details?

  /// Voxels of a half or a quarter of the others' width, where depth maps show an outline.
  struct Details: Sendable {
    var blocks: VoxelBlocks
    /// The width of the other voxels in these: 2 or 4.
    let ratio: Int
    /// The blocks whose cells take the place of coarse ones; the others hold corners of these.
    let leaves: Set<UInt64>
  }

  /// The grids from coarse to fine.
  var grids: [VoxelBlocks] { [blocks] + (details.map { [$0.blocks] } ?? []) }
}
