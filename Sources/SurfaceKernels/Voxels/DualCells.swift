package import MeshpipeScene

/// The cells of a sparse grid through which a surface goes, by the signs of a field at its voxels: a
/// mesh without cracks, doubled vertices or edges of more than two faces (dual marching cubes).
///
/// A cell has its corners at eight voxels, and has a surface where none of them is NaN. Each loop of
/// ``DualCell`` becomes a vertex, and each edge of the grid that crosses the surface a quad of the
/// vertices around it. Cell `i` has voxel `i` at its lowest corner.
package struct DualCells: Sendable {
  package let neighbors: NeighborBlocks
  /// The case of each cell; 0 for cells without a surface.
  package let cases: [UInt16]
  /// For each cell the number of vertices before its first in its block.
  let offsets: [UInt16]
  /// The first vertex of each block, and last the number of vertices.
  package let starts: [Int]

  /// - Parameters:
  ///   - neighbors: The blocks of the grid.
  ///   - field: For each voxel a number that is negative inside, or NaN.
  ///   - isLeftOut: For each cell whether it has no surface whatever the field is; empty for none.
  package init(_ neighbors: NeighborBlocks, field: [Float], isLeftOut: [Bool] = []) {
    self.neighbors = neighbors
    var configurations = Self.configurations(field, neighbors)
    for cell in isLeftOut.indices where isLeftOut[cell] { configurations[cell] = 0 }
    let cases = Self.cases(configurations, neighbors)
    let starts = Self.starts(cases, blockCount: neighbors.count)
    self.cases = cases
    self.starts = starts
    offsets = Self.offsets(cases)
  }

  /// The number of vertices in a cell.
  @inline(__always)
  package func vertexCount(ofCell cell: Int) -> Int {
    cases[cell] == 0 ? 0 : Int(DualCell.loops[Int(cases[cell])][15])
  }

  /// The vertex of a loop of a cell.
  @inline(__always)
  func vertex(_ loop: UInt8, ofCell cell: Int) -> UInt32 {
    UInt32(starts[cell / SparseBlocks.volume] + Int(offsets[cell])) + UInt32(loop)
  }

  /// The corners of a cell that are negative, as bits; 0 for cells without a surface.
  @inline(__always)
  package func configuration(ofCell cell: Int) -> UInt8 { UInt8(cases[cell] / 7) }

  private static func configurations(_ field: [Float], _ neighbors: NeighborBlocks) -> [UInt8] {
    Parallel.array(
      count: neighbors.count * SparseBlocks.volume, chunkSize: 64 * SparseBlocks.volume
    ) { range, output in
      var values = [Float](repeating: .nan, count: 729)
      for block in range.lowerBound / SparseBlocks.volume..<range.upperBound / SparseBlocks.volume {
        neighbors.load(&values, ofBlock: block, field)
        for cell in 0..<SparseBlocks.volume {
          let first = cell & 7 + 9 * (cell >> 3 & 7) + 81 * (cell >> 6)
          output.append(configuration(values, first))
        }
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

  private static func cases(_ configurations: [UInt8], _ neighbors: NeighborBlocks) -> [UInt16] {
    let repeatedFaces = DualCell.repeatedFaces
    return Parallel.array(count: configurations.count) { cell in
      let configuration = configurations[cell]
      guard configuration != 0 else { return 0 }
      let faces = repeatedFaces[Int(configuration)]
      guard faces != 0 else { return DualCell.number(configuration) }
      for face in 0..<6 where faces >> face & 1 == 1 {
        var place = SparseBlocks.place(of: cell)
        place[face / 2] += face % 2 == 0 ? -1 : 1
        let other = neighbors.voxel(in: cell / SparseBlocks.volume, at: place)
        guard let other else { continue }
        if repeatedFaces[Int(configurations[other])] >> (face ^ 1) & 1 == 1 {
          return DualCell.number(configuration, flipping: face)
        }
      }
      return DualCell.number(configuration)
    }
  }

  private static func starts(_ cases: [UInt16], blockCount: Int) -> [Int] {
    let counts: [Int] = Parallel.array(count: blockCount, chunkSize: 256) { block in
      (block * SparseBlocks.volume..<(block + 1) * SparseBlocks.volume).reduce(0) {
        cases[$1] == 0 ? $0 : $0 + Int(DualCell.loops[Int(cases[$1])][15])
      }
    }
    var starts = [0]
    starts.reserveCapacity(counts.count + 1)
    for count in counts { starts.append(starts[starts.count - 1] + count) }
    return starts
  }

  private static func offsets(_ cases: [UInt16]) -> [UInt16] {
    Parallel.array(
      count: cases.count, chunkSize: 64 * SparseBlocks.volume
    ) { range, output in
      var next: UInt16 = 0
      for cell in range {
        if cell % SparseBlocks.volume == 0 { next = 0 }
        output.append(next)
        if cases[cell] != 0 { next += UInt16(DualCell.loops[Int(cases[cell])][15]) }
      }
    }
  }
}

extension NeighborBlocks {
  /// The values of a block's voxels, and of those after them along each axis, in rows of nine; NaN
  /// where there are none.
  package func load(_ values: inout [Float], ofBlock block: Int, _ field: [Float]) {
    for z in 0..<9 {
      for y in 0..<9 {
        let row = 9 * y + 81 * z
        if let first = voxel(in: block, at: SIMD3(0, y, z)) {
          for x in 0..<8 { values[row + x] = field[first + x] }
        } else {
          for x in 0..<8 { values[row + x] = .nan }
        }
        values[row + 8] = voxel(in: block, at: SIMD3(8, y, z)).map { field[$0] } ?? .nan
      }
    }
  }
}

// MARK: Faces

extension DualCells {
  /// The faces of the surface, counter-clockwise seen from where the field is positive.
  ///
  /// - Parameter isSplitAcross: Whether a quad is split between its second and fourth vertex rather than
  ///   the first and the third.
  package func faces(
    isSplitAcross: @Sendable (SIMD4<UInt32>) -> Bool
  ) -> [UInt32] {
    Parallel.joined(
      Parallel.mapChunks(of: starts.count - 1, chunkSize: 64) { faces(of: $0, isSplitAcross) })
  }

  /// Whether the second diagonal of a quad is the shorter one.
  @inline(__always)
  package static func isShorterAcross(_ quad: SIMD4<UInt32>, _ positions: [Vector3]) -> Bool {
    isShorterAcross(quad) { (positions[Int($0)].simd - positions[Int($1)].simd).lengthSquared }
  }

  /// Whether the second diagonal of a quad is the shorter one.
  ///
  /// - Parameter distance: That between two vertices, or its square.
  @inline(__always)
  static func isShorterAcross<Distance: Comparable>(
    _ quad: SIMD4<UInt32>, distance: (UInt32, UInt32) -> Distance
  ) -> Bool {
    !(distance(quad.x, quad.z) <= distance(quad.y, quad.w))
  }

  private func faces(
    of range: Range<Int>, _ isSplitAcross: (SIMD4<UInt32>) -> Bool
  ) -> [UInt32] {
    var indices: [UInt32] = []
    for block in range {
      let cells = block * SparseBlocks.volume..<(block + 1) * SparseBlocks.volume
      for cell in cells where cases[cell] != 0 {
        let corner = SparseBlocks.place(of: cell)
        let configuration = configuration(ofCell: cell)
        for axis in 0..<3 {
          // The edge from the lowest corner along the axis.
          let (low, high) = (configuration & 1, configuration >> (1 << axis) & 1)
          guard low != high, var quad = quad(around: axis, block, corner) else { continue }
          // The outside is positive.
          if low == 0 { quad = SIMD4(quad.w, quad.z, quad.y, quad.x) }
          if isSplitAcross(quad) {
            indices += [quad.y, quad.z, quad.w, quad.y, quad.w, quad.x]
          } else {
            indices += [quad.x, quad.y, quad.z, quad.x, quad.z, quad.w]
          }
        }
      }
    }
    return indices
  }

  /// The vertices of the four cells around an edge of the grid, counter-clockwise about its
  /// direction; nil if one has no surface.
  @inline(__always)
  private func quad(around axis: Int, _ block: Int, _ corner: SIMD3<Int>) -> SIMD4<UInt32>? {
    let (b, c) = ((axis + 1) % 3, (axis + 2) % 3)
    var result = SIMD4<UInt32>.zero
    for (place, (p, q)) in [(1, 1), (0, 1), (0, 0), (1, 0)].enumerated() {
      var other = corner
      other[b] -= p
      other[c] -= q
      guard let cell = neighbors.voxel(in: block, at: other), cases[cell] != 0
      else { return nil }
      let loop = DualCell.loops[Int(cases[cell])][4 * axis + p + 2 * q]
      let first = starts[cell / SparseBlocks.volume] + Int(offsets[cell])
      result[place] = UInt32(first) + UInt32(loop)
    }
    return result
  }
}
