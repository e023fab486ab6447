import MeshpipeScene
import SurfaceKernels

/// The surface where a field of signed distances is zero (dual marching cubes; ``DualCells``).
///
/// A cell has its corners at the centres of eight voxels. Vertices are at the mean of the crossings of
/// their loop.
struct SurfaceExtraction {
  private let field: FusedField

  init(_ field: FusedField) { self.field = field }

  func surface() -> FusedSurface {
    guard let details = field.details else {
      let cells = DualCells(NeighborBlocks(field.blocks.grid), field: field.blocks.distances)
      let vertices = Self.vertices(of: cells, field.blocks, field.blocks.distances)
      let indices = cells.faces { DualCells.isShorterAcross($0, vertices.positions) }
      return FusedSurface(vertices, indices: indices, starts: [cells.starts])
    }
    let cells = NestedCells(
      field.blocks.grid, field.blocks.distances, details.blocks.grid, details.blocks.distances,
      ratio: details.ratio, leaves: details.leaves)
    let coarse = Self.vertices(of: cells.coarse, field.blocks, field.blocks.distances)
    let fine = Self.vertices(of: cells.fine, details.blocks, cells.fineField)
    let vertices = coarse + fine
    let indices = cells.faces { DualCells.isShorterAcross($0, vertices.positions) }
    return FusedSurface(
      vertices, indices: indices,
      starts: [cells.coarse.starts, cells.fine.starts.map { $0 + coarse.positions.count }])
  }

  private static func vertices(
    of cells: DualCells, _ blocks: VoxelBlocks, _ field: [Float]
  ) -> FusedSurface.Vertices {
    let parts = Parallel.mapChunks(of: blocks.count, chunkSize: 64) { range in
      var result = FusedSurface.Vertices()
      cells.forEachVertex(of: range, field) { vertex, values in
        let position = SIMD3<Float>(vertex.corner) + vertex.mean
        result.positions.append(Vector3(blocks.origin(of: vertex.block) + position * blocks.voxel))
        let gradient = DualCells.gradient(at: vertex.mean, values, first: vertex.first)
        result.normals.append(Vector3(gradient.normalized))
        result.weights.append(blocks.weights[vertex.cell])
      }
      return result
    }
    return FusedSurface.Vertices(
      positions: Parallel.joined(parts.map(\.positions)),
      normals: Parallel.joined(parts.map(\.normals)),
      weights: Parallel.joined(parts.map(\.weights)))
  }
}
