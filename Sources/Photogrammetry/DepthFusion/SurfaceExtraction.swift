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
        let loops = DualCell.loops[Int(cells.cases[cell])]
        for loop in 0..<loops[15] {
          let offset = Self.vertex(of: loop, loops, values, corner)
          let position = origin + (SIMD3<Float>(corner) + offset) * blocks.voxel
          result.positions.append(Vector3(position))
          result.normals.append(Vector3(Self.gradient(at: offset, values, corner).normalized))
          result.weights.append(blocks.weights[cell])
        }
      }
    }
    return result
  }

  /// The mean of a loop's crossings, from the lowest corner of the cell, in voxels.
  private static func vertex(
    of loop: UInt8, _ loops: SIMD16<UInt8>, _ values: [Float], _ corner: SIMD3<Int>
  ) -> SIMD3<Float> {
    let first = corner.x + 9 * corner.y + 81 * corner.z
    var sum = SIMD3<Float>.zero
    var count: Float = 0
    for edge in 0..<12 where loops[edge] == loop {
      let (low, high) = DualCell.corners[edge]
      let a = values[first + low & 1 + 9 * (low >> 1 & 1) + 81 * (low >> 2)]
      let b = values[first + high & 1 + 9 * (high >> 1 & 1) + 81 * (high >> 2)]
      var point = SIMD3(Float(low & 1), Float(low >> 1 & 1), Float(low >> 2))
      point[edge / 4] = a / (a - b)
      sum += point
      count += 1
    }
    return sum / count
  }

  /// The gradient of the trilinear field in a cell, in units of the field for each voxel.
  @inline(__always)
  private static func gradient(
    at place: SIMD3<Float>, _ values: [Float], _ corner: SIMD3<Int>
  ) -> SIMD3<Float> {
    let first = corner.x + 9 * corner.y + 81 * corner.z
    let low = SIMD4(values[first], values[first + 9], values[first + 81], values[first + 90])
    let high = SIMD4(
      values[first + 1], values[first + 10], values[first + 82], values[first + 91])
    let (y, z) = (SIMD2(1 - place.y, place.y), SIMD2(1 - place.z, place.z))
    let alongX = (high - low) * SIMD4(y.x * z.x, y.y * z.x, y.x * z.y, y.y * z.y)
    let mixed = low + (high - low) * place.x
    return SIMD3(
      alongX.sum(), (mixed.y - mixed.x) * z.x + (mixed.w - mixed.z) * z.y,
      (mixed.z - mixed.x) * y.x + (mixed.w - mixed.y) * y.y)
  }
}
