import MeshpipeScene
import SurfaceKernels

/// The surface of a field of signed distances: a mesh without edges of more than two faces.
struct FusedSurface: Sendable {
  /// The positions of the vertices, in metres.
  var positions: [Vector3]
  /// Along the gradient of the field, to the outside; unit length.
  var normals: [Vector3]
  /// The sum of the weights of the depths.
  var weights: [Float]
  var indices: [UInt32]
  /// For each grid the first vertex of each block of voxels, and last the number of vertices.
  var starts: [[Int]]

  /// The vertices of one grid, or of both.
  struct Vertices: Sendable {
    var positions: [Vector3] = []
    var normals: [Vector3] = []
    var weights: [Float] = []

    static func + (_ first: Vertices, _ second: Vertices) -> Vertices {
      Vertices(
        positions: first.positions + second.positions, normals: first.normals + second.normals,
        weights: first.weights + second.weights)
    }
  }

  init(_ vertices: Vertices, indices: [UInt32], starts: [[Int]]) {
    (positions, normals, weights) = (vertices.positions, vertices.normals, vertices.weights)
    self.indices = indices
    self.starts = starts
  }

  /// The confidence of a sum of weights, from 0 to 2: 1 where a surface was seen as well as by two
  /// good frames at 1 m.
  static func confidence(_ weight: Float) -> Float { 2 * weight / (weight + 2) }
}

extension FusedSurface {
  /// Moves vertices along their normals to take out noise; see ``SurfaceDenoising``.
  mutating func denoise(_ field: FusedField, _ noise: SurfaceDenoising.Noise) {
    let grids = field.grids
    let layers = grids.indices.map { grid in
      SurfaceDenoising.Layer(
        voxel: grids[grid].voxel, patches: patches(grids[grid], starts[grid], noise))
    }
    let denoising = SurfaceDenoising(layers, noise)
    let surface = self
    let planes = grids.indices.flatMap { grid in
      let (blocks, starts) = (grids[grid], starts[grid])
      let changed = Parallel.mapChunks(of: blocks.count, chunkSize: 64) { range in
        range.flatMap { block -> [SurfelPlane] in
          (starts[block]..<starts[block + 1]).map { vertex in
            let plane = surface.plane(of: vertex)
            let change = denoising.change(
              of: plane, in: blocks.cell(of: plane.position, in: block),
              weight: surface.weights[vertex], layer: grid)
            return SurfelPlane(
              position: plane.position + plane.normal * change.move, normal: change.normal)
          }
        }
      }
      return Parallel.joined(changed)
    }
    positions = Parallel.array(count: planes.count) { Vector3(planes[$0].position) }
    normals = Parallel.array(count: planes.count) { Vector3(planes[$0].normal) }
  }

  @inline(__always)
  private func plane(of vertex: Int) -> SurfelPlane {
    SurfelPlane(position: positions[vertex].simd, normal: normals[vertex].simd)
  }

  /// The finest patches: one for the vertices of a cell that face one of six directions.
  private func patches(
    _ blocks: VoxelBlocks, _ starts: [Int], _ noise: SurfaceDenoising.Noise
  ) -> [Surfels.Patch] {
    Parallel.mapChunks(of: blocks.count, chunkSize: 64) { range in
      range.flatMap { block in patches(of: block, blocks, starts, noise) }
    }.flatMap(\.self)
  }

  private func patches(
    of block: Int, _ blocks: VoxelBlocks, _ starts: [Int], _ noise: SurfaceDenoising.Noise
  ) -> [Surfels.Patch] {
    var sums: [(position: SIMD3<Float>, normal: SIMD3<Float>, variance: Float, count: Float)] =
      Array(repeating: (.zero, .zero, 0, 0), count: 48)
    let origin = blocks.origin(of: block)
    for vertex in starts[block]..<starts[block + 1] {
      let plane = plane(of: vertex)
      let cell = blocks.cell(of: plane.position, in: block) & 1
      let slot = 6 * Int(cell.x + 2 * cell.y + 4 * cell.z) + plane.normal.direction
      sums[slot].position += plane.position - origin
      sums[slot].normal += plane.normal
      sums[slot].variance += noise.variance(weight: weights[vertex])
      sums[slot].count += 1
    }
    return sums.indices.compactMap { slot in
      let sum = sums[slot]
      guard sum.count > 0, sum.normal.length > 0 else { return nil }
      let cell =
        blocks.coordinates[block] &* 2
        &+ SIMD3(Int32(slot / 6 & 1), Int32(slot / 12 & 1), Int32(slot / 24))
      return Surfels.Patch(
        key: SparseBlocks.key(cell), cell: cell, position: origin + sum.position / sum.count,
        normal: sum.normal / sum.normal.length, mass: sum.count,
        variance: sum.variance / sum.count)
    }
  }
}

extension VoxelBlocks {
  /// The cell of the finest patches that a vertex of a block is in: half a block wide.
  @inline(__always)
  fileprivate func cell(of position: SIMD3<Float>, in block: Int) -> SIMD3<Int32> {
    let place = (position - origin(of: block)) / (voxel * Float(SurfaceDenoising.finest))
    return coordinates[block] &* 2 &+ SIMD3<Int32>.zero.replacing(with: 1, where: place .>= 1)
  }
}

extension SIMD3<Float> {
  /// The axis and sign that a direction is nearest to, from 0 to 5.
  fileprivate var direction: Int {
    let size = replacing(with: -self, where: self .< 0)
    let axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2
    return 2 * axis + (self[axis] > 0 ? 1 : 0)
  }
}
