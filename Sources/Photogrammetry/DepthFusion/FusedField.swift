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
