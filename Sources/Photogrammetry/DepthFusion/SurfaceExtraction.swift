import MeshPipeline
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
    cells = DualCells(blocks.grid, field: blocks.distances)
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
    var values = [Float](repeating: .nan, count: 729)
    for block in range {
      let numbers = block * SparseBlocks.volume..<(block + 1) * SparseBlocks.volume
      guard numbers.contains(where: { cells.cases[$0] != 0 }) else { continue }
      cells.neighbors.load(&values, ofBlock: block, blocks.distances)
      let origin = blocks.origin(of: block)
      for cell in numbers where cells.cases[cell] != 0 {
        let corner = SparseBlocks.place(of: cell)
        let first = DualCells.first(corner)
        let loops = DualCell.loops[Int(cells.cases[cell])]
        for loop in 0..<loops[15] {
          let offset = DualCells.vertex(of: loop, loops, values, first: first)
          let position = origin + (SIMD3<Float>(corner) + offset) * blocks.voxel
          result.positions.append(Vector3(position))
          let gradient = DualCells.gradient(at: offset, values, first: first)
          result.normals.append(Vector3(gradient.normalized))
          result.weights.append(blocks.weights[cell])
        }
      }
    }
    return result
  }
}
