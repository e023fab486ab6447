import MeshPipeline

/// The surface where a field of signed distances is zero, as a mesh without cracks, doubled
/// vertices or edges of more than two faces (dual marching cubes).
///
/// A cell has its corners at the centres of eight voxels, and has a surface where all of them were
/// measured. Each loop of ``DualCell`` becomes a vertex, at the mean of its crossings, and each edge
/// of the grid that crosses the surface a quad of the vertices around it.
struct SurfaceExtraction {
  private let blocks: VoxelBlocks
  /// The 27 blocks around each block, itself in the middle; −1 where there is none.
  private let neighbors: [Int32]
  /// The case of each cell, by the voxel at its lowest corner; 0 for cells without a surface.
  private let cases: [UInt16]

  init(_ blocks: VoxelBlocks) {
    self.blocks = blocks
    let neighbors = Self.neighbors(of: blocks)
    self.neighbors = neighbors
    let configurations = Self.configurations(of: blocks, neighbors)
    cases = Self.cases(configurations, neighbors)
  }

  func surface() -> FusedSurface {
    let counts: [Int] = Parallel.array(count: blocks.count, chunkSize: 256) { block in
      (block * VoxelBlocks.volume..<(block + 1) * VoxelBlocks.volume).reduce(0) {
        cases[$1] == 0 ? $0 : $0 + Int(DualCell.loops[Int(cases[$1])][15])
      }
    }
    var starts = [0]
    starts.reserveCapacity(counts.count + 1)
    for count in counts { starts.append(starts[starts.count - 1] + count) }
    let parts = Parallel.mapChunks(of: blocks.count, chunkSize: 64) { range in
      vertices(of: range)
    }
    let firstVertices = firstVertices(starts)
    let positions = Parallel.joined(parts.map(\.positions))
    let indices = Parallel.mapChunks(of: blocks.count, chunkSize: 64) { range in
      faces(of: range, firstVertices, positions)
    }
    return FusedSurface(
      positions: positions, normals: Parallel.joined(parts.map(\.normals)),
      weights: Parallel.joined(parts.map(\.weights)), indices: Parallel.joined(indices),
      starts: starts)
  }

  // MARK: Cells

  private static func neighbors(of blocks: VoxelBlocks) -> [Int32] {
    Parallel.array(count: 27 * blocks.count, chunkSize: 27 * 256) { index in
      let place = Int32(index % 27)
      return blocks.block(
        at: blocks.coordinates[index / 27] &+ SIMD3(place % 3, place / 3 % 3, place / 9) &- 1)
    }
  }

  /// The index of a voxel or cell given by its place in a block, from −1 to 8 along each axis; nil
  /// where there is no block.
  @inline(__always)
  private static func index(
    _ block: Int, _ x: Int, _ y: Int, _ z: Int, _ neighbors: [Int32]
  ) -> Int? {
    let place = (x + 8) >> 3 + 3 * ((y + 8) >> 3) + 9 * ((z + 8) >> 3)
    let other = neighbors[27 * block + place]
    guard other >= 0 else { return nil }
    return Int(other) * VoxelBlocks.volume + (x & 7) + (y & 7) << 3 + (z & 7) << 6
  }

  private static func configurations(
    of blocks: VoxelBlocks, _ neighbors: [Int32]
  ) -> [UInt8] {
    Parallel.array(
      count: blocks.count * VoxelBlocks.volume, chunkSize: 64 * VoxelBlocks.volume
    ) { range, output in
      var values = [Float](repeating: .nan, count: 729)
      for block in range.lowerBound / VoxelBlocks.volume..<range.upperBound / VoxelBlocks.volume {
        load(&values, of: block, blocks, neighbors)
        for cell in 0..<VoxelBlocks.volume {
          let first = cell & 7 + 9 * (cell >> 3 & 7) + 81 * (cell >> 6)
          output.append(configuration(values, first))
        }
      }
    }
  }

  /// The values of a block's voxels, and of those after them along each axis.
  private static func load(
    _ values: inout [Float], of block: Int, _ blocks: VoxelBlocks, _ neighbors: [Int32]
  ) {
    for z in 0..<9 {
      for y in 0..<9 {
        let row = 9 * y + 81 * z
        if let first = index(block, 0, y, z, neighbors) {
          for x in 0..<8 { values[row + x] = blocks.distances[first + x] }
        } else {
          for x in 0..<8 { values[row + x] = .nan }
        }
        values[row + 8] = index(block, 8, y, z, neighbors).map { blocks.distances[$0] } ?? .nan
      }
    }
  }

  /// The corners that are negative, as bits; 0 if one was not measured.
  @inline(__always)
  private static func configuration(_ values: [Float], _ first: Int) -> UInt8 {
    let corners = SIMD8(
      values[first], values[first + 1], values[first + 9], values[first + 10],
      values[first + 81], values[first + 82], values[first + 90], values[first + 91])
    let isNegative = corners .< 0
    guard any(isNegative), !all(isNegative), all(corners .== corners) else { return 0 }
    return UInt8(
      truncatingIfNeeded: SIMD8<Int32>(1, 2, 4, 8, 16, 32, 64, 128)
        .replacing(with: 0, where: .!isNegative).wrappedSum())
  }

  private static func cases(_ configurations: [UInt8], _ neighbors: [Int32]) -> [UInt16] {
    let repeatedFaces = DualCell.repeatedFaces
    return Parallel.array(count: configurations.count) { cell in
      let configuration = configurations[cell]
      guard configuration != 0 else { return 0 }
      let faces = repeatedFaces[Int(configuration)]
      guard faces != 0 else { return DualCell.number(configuration) }
      for face in 0..<6 where faces >> face & 1 == 1 {
        var place = SIMD3(cell & 7, cell >> 3 & 7, cell >> 6 & 7)
        place[face / 2] += face % 2 == 0 ? -1 : 1
        let other = index(
          cell / VoxelBlocks.volume, place.x, place.y, place.z, neighbors)
        guard let other else { continue }
        if repeatedFaces[Int(configurations[other])] >> (face ^ 1) & 1 == 1 {
          return DualCell.number(configuration, flipping: face)
        }
      }
      return DualCell.number(configuration)
    }
  }

  // MARK: Vertices

  private struct Vertices: Sendable {
    var positions: [Vector3] = []
    var normals: [Vector3] = []
    var weights: [Float] = []
  }

  /// The number of the first vertex of each cell that has some.
  private func firstVertices(_ starts: [Int]) -> [UInt32] {
    Parallel.array(
      count: cases.count, chunkSize: 64 * VoxelBlocks.volume
    ) { range, output in
      for block in range.lowerBound / VoxelBlocks.volume..<range.upperBound / VoxelBlocks.volume {
        var next = UInt32(starts[block])
        for cell in block * VoxelBlocks.volume..<(block + 1) * VoxelBlocks.volume {
          output.append(next)
          if cases[cell] != 0 { next += UInt32(DualCell.loops[Int(cases[cell])][15]) }
        }
      }
    }
  }

  private func vertices(of range: Range<Int>) -> Vertices {
    var result = Vertices()
    var values = [Float](repeating: .nan, count: 729)
    for block in range {
      let cells = block * VoxelBlocks.volume..<(block + 1) * VoxelBlocks.volume
      guard cells.contains(where: { cases[$0] != 0 }) else { continue }
      Self.load(&values, of: block, blocks, neighbors)
      let origin = blocks.origin(of: block)
      for cell in cells where cases[cell] != 0 {
        let place = cell - cells.lowerBound
        let corner = SIMD3(place & 7, place >> 3 & 7, place >> 6)
        let loops = DualCell.loops[Int(cases[cell])]
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

  // MARK: Faces

  private func faces(
    of range: Range<Int>, _ firstVertices: [UInt32], _ positions: [Vector3]
  ) -> [UInt32] {
    var indices: [UInt32] = []
    for block in range {
      let cells = block * VoxelBlocks.volume..<(block + 1) * VoxelBlocks.volume
      for cell in cells where cases[cell] != 0 {
        let place = cell - cells.lowerBound
        let corner = SIMD3(place & 7, place >> 3 & 7, place >> 6)
        let configuration = UInt8(cases[cell] / 7)
        for axis in 0..<3 {
          // The edge from the lowest corner along the axis.
          let (low, high) = (configuration & 1, configuration >> (1 << axis) & 1)
          guard low != high,
            var quad = quad(around: axis, block, corner, firstVertices)
          else { continue }
          // The outside is positive.
          if low == 0 { quad = SIMD4(quad.w, quad.z, quad.y, quad.x) }
          add(quad, to: &indices, positions)
        }
      }
    }
    return indices
  }

  /// The vertices of the four cells around an edge of the grid, counter-clockwise about its
  /// direction; nil if one has no surface.
  @inline(__always)
  private func quad(
    around axis: Int, _ block: Int, _ corner: SIMD3<Int>, _ firstVertices: [UInt32]
  ) -> SIMD4<UInt32>? {
    let (b, c) = ((axis + 1) % 3, (axis + 2) % 3)
    var result = SIMD4<UInt32>.zero
    for (place, (p, q)) in [(1, 1), (0, 1), (0, 0), (1, 0)].enumerated() {
      var other = corner
      other[b] -= p
      other[c] -= q
      guard let cell = Self.index(block, other.x, other.y, other.z, neighbors), cases[cell] != 0
      else { return nil }
      let loop = DualCell.loops[Int(cases[cell])][4 * axis + p + 2 * q]
      result[place] = firstVertices[cell] + UInt32(loop)
    }
    return result
  }

  /// Splits a quad along its shorter diagonal.
  @inline(__always)
  private func add(_ quad: SIMD4<UInt32>, to indices: inout [UInt32], _ positions: [Vector3]) {
    func distance(_ a: UInt32, _ b: UInt32) -> Float {
      (positions[Int(a)].simd - positions[Int(b)].simd).lengthSquared
    }
    if distance(quad.x, quad.z) <= distance(quad.y, quad.w) {
      indices += [quad.x, quad.y, quad.z, quad.x, quad.z, quad.w]
    } else {
      indices += [quad.y, quad.z, quad.w, quad.y, quad.w, quad.x]
    }
  }
}
