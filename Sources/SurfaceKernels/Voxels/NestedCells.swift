import MeshpipeScene

/// The cells of two sparse grids, of which the finer one takes the place of the coarser one in some blocks: one mesh
/// without cracks (dual marching cubes on the leaves of an octree; Ju and others 2002, Nielson 2004).
///
/// The first voxels of the blocks at (0, 0, 0) coincide, so that every voxel of the coarse grid is at one of the fine grid.
/// A block of fine cells covers whole cells of the coarse grid. Where both meet, the values of the fine grid are those
/// that the coarse one has there, and an edge of the fine grid that crosses the surface joins the vertices of the cells
/// around it, whatever their size.
package struct NestedCells: Sendable {
  package let coarse: DualCells
  package let fine: DualCells
  private let coarseGrid: SparseBlocks
  private let fineGrid: SparseBlocks
  /// The values of the fine grid, as ``fine`` was made of them.
  package let fineField: [Float]
  /// Whether the cells of a fine block take the place of coarse ones.
  private let isLeaf: [Bool]
  /// The binary logarithm of the width of a coarse cell in fine ones.
  private let shift: Int32
  private var ratio: Int { 1 << Int(shift) }

  /// - Parameters:
  ///   - coarseField: For each voxel of the coarse grid a number that is negative inside, or NaN.
  ///   - fineField: For each voxel of the fine grid, likewise.
  ///   - ratio: The width of a coarse cell in fine ones: 2 or 4.
  ///   - leaves: The fine blocks whose cells take the place of coarse ones. The fine grid has the seven blocks
  ///     after each of them along the axes, too, which hold the last corners of its cells.
  package init(
    _ coarseGrid: SparseBlocks, _ coarseField: [Float], _ fineGrid: SparseBlocks,
    _ fineField: [Float], ratio: Int,
    leaves: Set<UInt64>
  ) {
    let shift = Int32(ratio.trailingZeroBitCount)
    let isLeaf = fineGrid.coordinates.map { leaves.contains(SparseBlocks.key($0)) }
    let fineNeighbors = NeighborBlocks(fineGrid)
    let constrained = FineBoundary(
      coarseGrid: coarseGrid, coarseField: coarseField, fineGrid: fineGrid,
      neighbors: fineNeighbors,
      isLeaf: isLeaf, shift: shift
    ).constrained(fineField)
    (self.coarseGrid, self.fineGrid, self.isLeaf, self.shift) = (
      coarseGrid, fineGrid, isLeaf, shift
    )
    self.fineField = constrained
    coarse = DualCells(
      NeighborBlocks(coarseGrid), field: coarseField,
      isLeftOut: Self.covered(coarseGrid, leaves, blockShift: 3 - shift))
    fine = DualCells(
      fineNeighbors, field: constrained,
      isLeftOut: Parallel.array(count: isLeaf.count * SparseBlocks.volume) {
        !isLeaf[$0 / SparseBlocks.volume]
      })
  }

  /// Whether fine cells are in the place of a coarse one.
  private static func covered(_ grid: SparseBlocks, _ leaves: Set<UInt64>, blockShift: Int32)
    -> [Bool]
  {
    Parallel.array(count: grid.count * SparseBlocks.volume, chunkSize: 64 * SparseBlocks.volume) {
      range, output in
      let width = 8 >> Int(blockShift)
      var parts = [Bool](repeating: false, count: width * width * width)
      for cell in range {
        let place = SIMD3<Int32>(truncatingIfNeeded: SparseBlocks.place(of: cell))
        if cell % SparseBlocks.volume == 0 {
          let first = grid.coordinates[cell / SparseBlocks.volume] &<< (3 - blockShift)
          for part in parts.indices {
            let offset = SIMD3(part % width, part / width % width, part / width / width)
            parts[part] = leaves.contains(
              SparseBlocks.key(first &+ SIMD3<Int32>(truncatingIfNeeded: offset)))
          }
        }
        let part = SIMD3<Int>(truncatingIfNeeded: place &>> blockShift)
        output.append(parts[part.x + width * (part.y + width * part.z)])
      }
    }
  }

  /// The faces of both grids, counter-clockwise seen from where the field is positive: vertices are those of the coarse
  /// cells, and after them those of the fine ones.
  ///
  /// - Parameter isSplitAcross: See ``DualCells/faces(isSplitAcross:)``.
  package func faces(isSplitAcross: @Sendable (SIMD4<UInt32>) -> Bool) -> [UInt32] {
    let base = UInt32(coarse.starts[coarse.starts.count - 1])
    let inner = fine.faces { isSplitAcross($0 &+ base) }
    let joints = Parallel.joined(
      Parallel.mapChunks(of: fineGrid.count, chunkSize: 64) {
        self.seam(of: $0, base: base, isSplitAcross)
      })
    return coarse.faces(isSplitAcross: isSplitAcross) + inner.map { $0 + base } + joints
  }

  /// The faces between fine and coarse cells.
  private func seam(
    of blocks: Range<Int>, base: UInt32, _ isSplitAcross: (SIMD4<UInt32>) -> Bool
  ) -> [UInt32] {
    var indices: [UInt32] = []
    for block in blocks {
      for voxel in 0..<SparseBlocks.volume {
        let place = SparseBlocks.place(of: voxel)
        // Cells in the middle of a block have neighbours of their own size.
        guard place.x == 0 || place.y == 0 || place.z == 0 else { continue }
        let low = fineField[block * SparseBlocks.volume + voxel]
        guard !low.isNaN else { continue }
        for axis in 0..<3 {
          guard place[(axis + 1) % 3] == 0 || place[(axis + 2) % 3] == 0 else { continue }
          var next = place
          next[axis] += 1
          guard let other = fine.neighbors.voxel(in: block, at: next) else { continue }
          let high = fineField[other]
          guard !high.isNaN, (low < 0) != (high < 0) else { continue }
          guard var ring = ring(around: axis, block, place, isRising: low < 0, base: base) else {
            continue
          }
          if low >= 0 { ring.reverse() }
          append(ring, to: &indices, isSplitAcross)
        }
      }
    }
    return indices
  }

  private func append(
    _ ring: [UInt32], to indices: inout [UInt32], _ isSplitAcross: (SIMD4<UInt32>) -> Bool
  ) {
    if ring.count == 3 {
      indices += ring
    } else if ring.count == 4 {
      let quad = SIMD4(ring[0], ring[1], ring[2], ring[3])
      indices +=
        isSplitAcross(quad)
        ? [quad.y, quad.z, quad.w, quad.y, quad.w, quad.x]
        : [quad.x, quad.y, quad.z, quad.x, quad.z, quad.w]
    }
  }

  /// The vertices of the cells around an edge of the fine grid, counter-clockwise about its direction; nil if all cells are of
  /// one size, or one has no surface.
  ///
  /// - Parameter isRising: Whether the field becomes positive along the edge.
  private func ring(
    around axis: Int, _ block: Int, _ place: SIMD3<Int>, isRising: Bool, base: UInt32
  ) -> [UInt32]? {
    let (b, c) = ((axis + 1) % 3, (axis + 2) % 3)
    var ring: [UInt32] = []
    var leaves = 0
    let corner = SIMD3<Int32>(truncatingIfNeeded: place) &+ fineGrid.coordinates[block] &* 8
    for (p, q) in [(1, 1), (0, 1), (0, 0), (1, 0)] {
      var other = place
      other[b] -= p
      other[c] -= q
      let vertex: UInt32
      if let cell = fine.neighbors.voxel(in: block, at: other), isLeaf[cell / SparseBlocks.volume] {
        guard fine.cases[cell] != 0 else { return nil }
        let loop = DualCell.loops[Int(fine.cases[cell])][4 * axis + p + 2 * q]
        vertex = base + fine.vertex(loop, ofCell: cell)
        leaves += 1
      } else {
        var fineCell = corner
        fineCell[b] -= Int32(p)
        fineCell[c] -= Int32(q)
        guard
          let found = coarseVertex(of: fineCell &>> shift, edge: corner, axis, isRising: isRising)
        else { return nil }
        vertex = found
      }
      if ring.last != vertex, ring.first != vertex || ring.count < 2 { ring.append(vertex) }
    }
    return leaves > 0 && leaves < 4 ? ring : nil
  }

  /// The vertex of a coarse cell at an edge of the fine grid; nil if it has none.
  private func coarseVertex(
    of cell: SIMD3<Int32>, edge: SIMD3<Int32>, _ axis: Int, isRising: Bool
  ) -> UInt32? {
    let block = coarseGrid.block(at: cell &>> 3)
    guard block >= 0 else { return nil }
    let inner = cell & 7
    let index =
      Int(block) * SparseBlocks.volume + Int(inner.x) + 8 * Int(inner.y) + 64 * Int(inner.z)
    let number = coarse.cases[index]
    guard number != 0 else { return nil }
    let place = SIMD3<Int>(truncatingIfNeeded: edge &- (cell &<< shift))
    let loop = loop(
      DualCell.loops[Int(number)], coarse.configuration(ofCell: index), place, axis,
      isRising: isRising)
    return loop == 255 ? nil : coarse.vertex(loop, ofCell: index)
  }

  /// The loop of a coarse cell that goes through an edge of the fine grid on its boundary; 255 if none does.
  ///
  /// On a face whose corners alternate, the surface goes around each of the two positive ones: of the coarse edges along
  /// the axis, that one belongs to the same loop which crosses the surface in the same direction.
  private func loop(
    _ loops: SIMD16<UInt8>, _ configuration: UInt8, _ place: SIMD3<Int>, _ axis: Int, isRising: Bool
  ) -> UInt8 {
    let (b, c) = ((axis + 1) % 3, (axis + 2) % 3)
    let (p, q) = (place[b] / ratio, place[c] / ratio)
    let (isOnB, isOnC) = (place[b] % ratio == 0, place[c] % ratio == 0)
    if isOnB, isOnC { return loops[4 * axis + p + 2 * q] }
    let parallel =
      isOnB ? [4 * axis + p, 4 * axis + p + 2] : [4 * axis + 2 * q, 4 * axis + 1 + 2 * q]
    for edge in parallel where loops[edge] != 255 {
      let isNegative = configuration >> DualCell.corners[edge].0 & 1 == 1
      if isNegative == isRising { return loops[edge] }
    }
    let across = isOnB ? [4 * c + 2 * p, 4 * c + 1 + 2 * p] : [4 * b + q, 4 * b + q + 2]
    return (across + parallel).lazy.map { loops[$0] }.first { $0 != 255 } ?? 255
  }
}

/// The voxels of a fine grid at the boundary of its cells to coarse ones, which take the values that the coarse grid has there.
private struct FineBoundary: Sendable {
  let coarseGrid: SparseBlocks
  let coarseField: [Float]
  let fineGrid: SparseBlocks
  let neighbors: NeighborBlocks
  let isLeaf: [Bool]
  let shift: Int32

  func constrained(_ field: [Float]) -> [Float] {
    Parallel.array(count: field.count, chunkSize: 64 * SparseBlocks.volume) { range, output in
      for voxel in range {
        let place = SparseBlocks.place(of: voxel)
        let block = voxel / SparseBlocks.volume
        output.append(isBetween(block, place) ? coarseValue(block, place) : field[voxel])
      }
    }
  }

  /// Whether a voxel is a corner of cells of both grids.
  @inline(__always)
  private func isBetween(_ block: Int, _ place: SIMD3<Int>) -> Bool {
    guard place.x == 0 || place.y == 0 || place.z == 0 else { return false }
    var (leaves, count) = (0, 0)
    for z in (place.z == 0 ? -1 : 0)...0 {
      for y in (place.y == 0 ? -1 : 0)...0 {
        for x in (place.x == 0 ? -1 : 0)...0 {
          count += 1
          if let other = neighbors.block(block, SIMD3(x, y, z)), isLeaf[other] { leaves += 1 }
        }
      }
    }
    return leaves > 0 && leaves < count
  }

  /// The coarse field at a voxel on the boundary of a coarse cell.
  ///
  /// It is linear along edges, and bilinear on faces, so that each crosses the surface where its coarse corners say. On a
  /// face whose corners alternate, all but the positive corners is negative, so that the surface separates these
  /// (``DualCell``); and the inside of faces beside it, so that no part of theirs has corners that alternate.
  private func coarseValue(_ block: Int, _ place: SIMD3<Int>) -> Float {
    let fine = fineGrid.coordinates[block] &* 8 &+ SIMD3<Int32>(truncatingIfNeeded: place)
    let low = fine &>> shift
    let rest = fine &- (low &<< shift)
    let axes = (0..<3).filter { rest[$0] != 0 }
    guard let first = axes.first else { return value(at: low) }
    let width = Float(Int32(1) &<< shift)
    let x = Float(rest[first]) / width
    var right = low
    right[first] += 1
    let (a, b) = (value(at: low), value(at: right))
    guard axes.count > 1 else {
      return isSeparating(low, right, along: first) ? min(a, b) : a + (b - a) * x
    }
    let second = axes[1]
    let y = Float(rest[second]) / width
    var (up, across) = (low, right)
    up[second] += 1
    across[second] += 1
    let (c, d) = (value(at: up), value(at: across))
    guard !(a + b + c + d).isNaN else { return .nan }
    if isSeparating(low, right, along: first) || isSeparating(up, across, along: first)
      || isSeparating(low, up, along: second) || isSeparating(right, across, along: second)
    {
      return min(min(a, b), min(c, d))
    }
    let (bottom, top) = (a + (b - a) * x, c + (d - c) * x)
    return bottom + (top - bottom) * y
  }

  /// Whether an edge crosses the surface, and the corners of one of the four faces at it alternate.
  private func isSeparating(_ low: SIMD3<Int32>, _ high: SIMD3<Int32>, along axis: Int) -> Bool {
    let isNegative = value(at: low) < 0
    guard (value(at: high) < 0) != isNegative else { return false }
    for other in 0..<3 where other != axis {
      for side in [Int32(-1), 1] {
        var offset = SIMD3<Int32>.zero
        offset[other] = side
        if (value(at: low &+ offset) < 0) != isNegative,
          (value(at: high &+ offset) < 0) == isNegative
        {
          return true
        }
      }
    }
    return false
  }

  private func value(at voxel: SIMD3<Int32>) -> Float {
    let block = coarseGrid.block(at: voxel &>> 3)
    guard block >= 0 else { return .nan }
    let inner = voxel & 7
    return coarseField[
      Int(block) * SparseBlocks.volume + Int(inner.x) + 8 * Int(inner.y) + 64 * Int(inner.z)]
  }
}
