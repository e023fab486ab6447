import MeshpipeScene
import SurfaceKernels

/// The surface where a field of signed distances is zero (dual marching cubes; ``DualCells``).
///
/// A cell has its corners at the centres of eight voxels. Vertices are at the mean of the crossings of
/// their loop.
struct SurfaceExtraction {
  private let blocks: VoxelBlocks
  private let cells: DualCells

  init(_ blocks: VoxelBlocks) {
    self.blocks = blocks
    cells = DualCells(NeighborBlocks(blocks.grid), field: blocks.distances)
  }

  func surface() -> FusedSurface {
    let parts = Parallel.mapChunks(of: blocks.count, chunkSize: 64) { range in
      vertices(of: range)
    }
    let positions = Parallel.joined(parts.map(\.positions))
    let indices = cells.faces { DualCells.isShorterAcross($0, positions) }
    return FusedSurface(
      positions: positions, normals: Parallel.joined(parts.map(\.normals)),
      weights: Parallel.joined(parts.map(\.weights)), indices: indices, starts: cells.starts)
  }

  private struct Vertices: Sendable {
    var positions: [Vector3] = []
    var normals: [Vector3] = []
    var weights: [Float] = []
  }

  private func vertices(of range: Range<Int>) -> Vertices {
    var result = Vertices()
    cells.forEachVertex(of: range, blocks.distances) { vertex, values in
      let position = SIMD3<Float>(vertex.corner) + vertex.mean
      result.positions.append(Vector3(blocks.origin(of: vertex.block) + position * blocks.voxel))
      let gradient = DualCells.gradient(at: vertex.mean, values, first: vertex.first)
      result.normals.append(Vector3(gradient.normalized))
      result.weights.append(blocks.weights[vertex.cell])
    }
    return result
  }
}
