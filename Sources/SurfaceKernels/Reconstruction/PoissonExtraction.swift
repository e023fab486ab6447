import MeshpipeScene

/// The surface where the field of a reconstruction has a value, in cells of the finest level everywhere.
///
/// Where a level has no blocks but the surface of the coarser one passes, blocks with the coarser field are
/// added, so that there are neither cracks nor steps between levels. Every block whose nodes, or those
/// around it, are on both sides of the value is there, and so are all corners of cells with a surface.
struct PoissonExtraction: ~Copyable {
  private let system: PoissonSystem
  private let level: Float
  private let surroundings: SampleSurroundings?

  /// - Parameters:
  ///   - level: The value of the field.
  ///   - surroundings: Where the surface is wanted; nil for everywhere.
  init(of system: PoissonSystem, level: Float, near surroundings: SampleSurroundings?) {
    self.system = system
    self.level = level
    self.surroundings = surroundings
  }

  /// The field in the blocks of a level that the surface passes.
  private struct Band {
    let grid: SparseBlocks
    let neighbors: NeighborBlocks
    let field: NodeRows
  }

  /// More blocks than allowed.
  struct Excess: Error {
    /// The factor by which cells must be wider, as a surface has blocks by the square of their width.
    let factor: Double
  }

  /// - Returns: Positions in cells of the finest level, and unit normals.
  func surface(mostBlocks: Int) throws(Excess) -> PoissonSurface {
    let root = system.levels[0]
    var band = Band(grid: root.grid, neighbors: root.neighbors, field: root.field)
    for solved in system.levels.dropFirst() {
      var keys = keys(of: band, solved)
      if let surroundings, surroundings.level == solved.number {
        keys.formIntersection(surroundings.keys)
      }
      guard keys.count <= mostBlocks else {
        let finer = Double(1 << (system.levels.count - 1 - solved.number))
        throw Excess(factor: finer * (Double(keys.count) / Double(mostBlocks)).squareRoot())
      }
      band = next(band, keys, solved)
    }
    let (field, level) = (band.field, level)
    let values = Parallel.array(count: band.grid.count * SparseBlocks.volume) {
      field[$0 >> 3][$0 & 7] - level
    }
    return PoissonSurface(DualCells(band.neighbors, field: values), band.grid, values)
  }

  private func keys(of band: Band, _ solved: PoissonLevel) -> Set<UInt64> {
    let level = level
    let coarse = Parallel.mapChunks(of: band.grid.count, chunkSize: 32) { range in
      let rows = SurroundedRows()
      var keys: Set<UInt64> = []
      for block in range {
        rows.load(block, of: band.field, band.neighbors, outside: .nearest)
        guard rows.crosses(level) else { continue }
        for octant in 0..<8 {
          let offset = Octant.offset(octant)
          if rows.crosses(level, inOctant: SIMD3<Int>(truncatingIfNeeded: offset)) {
            keys.insert(SparseBlocks.key(band.grid.coordinates[block] &* 2 &+ offset))
          }
        }
      }
      return keys
    }
    let own = Parallel.mapChunks(of: solved.grid.count, chunkSize: 32) { range in
      let rows = SurroundedRows()
      var keys: Set<UInt64> = []
      for block in range {
        rows.load(block, of: solved.field, solved.neighbors, outside: .nearest)
        if rows.crosses(level) { keys.insert(SparseBlocks.key(solved.grid.coordinates[block])) }
      }
      return keys
    }
    return (coarse + own).reduce(into: []) { $0.formUnion($1) }
  }

  private func next(_ band: Band, _ keys: Set<UInt64>, _ solved: PoissonLevel) -> Band {
    let grid = SparseBlocks(keys)
    let neighbors = NeighborBlocks(grid)
    let field = NodeRows(blockCount: grid.count)
    let known = Parallel.array(count: grid.count, chunkSize: 512) {
      solved.grid.block(at: grid.coordinates[$0])
    }
    let transfer = LevelTransfer(from: band.grid, band.neighbors, to: grid, neighbors)
    transfer.refine(band.field, to: field) { known[$0] < 0 }
    Parallel.forEachChunk(of: grid.count, chunkSize: 512) { _, range in
      for block in range where known[block] >= 0 {
        let (first, other) = (NodeRows.perBlock * block, NodeRows.perBlock * Int(known[block]))
        for row in 0..<NodeRows.perBlock { field[first + row] = solved.field[other + row] }
      }
    }
    return Band(grid: grid, neighbors: neighbors, field: field)
  }
}

/// A surface without cracks or edges of more than two faces, in cells of a grid.
struct PoissonSurface: Sendable {
  /// The positions from the grid's origin.
  var positions: [SIMD3<Double>]
  /// Unit vectors to where the field is positive.
  var normals: [Vector3]
  var indices: [UInt32]

  /// - Parameter values: Of all voxels of the grid; the surface is where they are 0.
  init(_ cells: DualCells, _ grid: SparseBlocks, _ values: [Float]) {
    let parts = Parallel.mapChunks(of: grid.count, chunkSize: 64) { range in
      var positions: [SIMD3<Double>] = []
      var normals: [Vector3] = []
      cells.forEachVertex(of: range, values) { vertex, values in
        let origin = SIMD3<Double>(grid.coordinates[vertex.block] &* Int32(SparseBlocks.width))
        let (place, normal) = Self.moved(vertex, values)
        positions.append(origin + SIMD3<Double>(vertex.corner) + SIMD3<Double>(place))
        normals.append(Vector3(normal))
      }
      return (positions: positions, normals: normals)
    }
    let positions = Parallel.joined(parts.map(\.positions))
    self.positions = positions
    normals = Parallel.joined(parts.map(\.normals))
    indices = cells.faces { quad in
      DualCells.isShorterAcross(quad) { (positions[Int($0)] - positions[Int($1)]).lengthSquared }
    }
  }

  /// The position of a vertex that is moved along the gradient onto the surface, and the normal there.
  ///
  /// The mean of the crossings is on the inner side of a curved surface.
  private static func moved(
    _ vertex: DualCells.Vertex, _ values: [Float]
  ) -> (place: SIMD3<Float>, normal: SIMD3<Float>) {
    var place = vertex.mean
    let terms = DualCells.linearTerms(at: place, values, first: vertex.first)
    let squared = terms.gradient.lengthSquared
    if squared > 0 {
      place -= (terms.gradient * (terms.value / squared)).clamped(
        lowerBound: SIMD3(repeating: -0.25), upperBound: SIMD3(repeating: 0.25))
      place.clamp(lowerBound: .zero, upperBound: .one)
    }
    let gradient = DualCells.gradient(at: place, values, first: vertex.first)
    return (place, gradient.normalized)
  }
}
