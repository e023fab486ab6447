import MeshpipeScene

/// Positions and directions in a cell, from the values of a block's voxels in rows of nine
/// (``NeighborBlocks/load(_:ofBlock:_:)``). Positions are from 0 to 1 in the cell.
extension DualCells {
  /// A vertex at the mean of the crossings of its loop.
  package struct Vertex {
    package let block: Int
    package let cell: Int
    /// The coordinates of the cell in the block.
    package let corner: SIMD3<Int>
    /// The position of the vertex in the cell.
    package let mean: SIMD3<Float>
    /// The first of the cell's values.
    package let first: Int
  }

  /// Visits the vertices of some blocks in their order.
  ///
  /// - Parameters:
  ///   - field: The one that the cells were made of.
  ///   - visit: Receives a vertex, and the values of its block.
  package func forEachVertex(
    of blocks: Range<Int>, _ field: [Float], _ visit: (Vertex, _ values: [Float]) -> Void
  ) {
    var values = [Float](repeating: .nan, count: 729)
    for block in blocks where starts[block] < starts[block + 1] {
      neighbors.load(&values, ofBlock: block, field)
      for cell in block * SparseBlocks.volume..<(block + 1) * SparseBlocks.volume
      where cases[cell] != 0 {
        let corner = SparseBlocks.place(of: cell)
        let first = corner.x + 9 * corner.y + 81 * corner.z
        let loops = DualCell.loops[Int(cases[cell])]
        for loop in 0..<loops[15] {
          let mean = Self.mean(of: loop, loops, values, first: first)
          visit(Vertex(block: block, cell: cell, corner: corner, mean: mean, first: first), values)
        }
      }
    }
  }

  /// The mean of a loop's crossings.
  private static func mean(
    of loop: UInt8, _ loops: SIMD16<UInt8>, _ values: [Float], first: Int
  ) -> SIMD3<Float> {
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

  /// The gradient of the trilinear field, in units of the field for each voxel.
  @inline(__always)
  package static func gradient(
    at position: SIMD3<Float>, _ values: [Float], first: Int
  ) -> SIMD3<Float> {
    linearTerms(at: position, values, first: first).gradient
  }

  /// The trilinear field and its gradient.
  @inline(__always)
  package static func linearTerms(
    at position: SIMD3<Float>, _ values: [Float], first: Int
  ) -> (value: Float, gradient: SIMD3<Float>) {
    let low = SIMD4(values[first], values[first + 9], values[first + 81], values[first + 90])
    let high = SIMD4(
      values[first + 1], values[first + 10], values[first + 82], values[first + 91])
    let (y, z) = (SIMD2(1 - position.y, position.y), SIMD2(1 - position.z, position.z))
    let alongX = (high - low) * SIMD4(y.x * z.x, y.y * z.x, y.x * z.y, y.y * z.y)
    let mixed = low + (high - low) * position.x
    let gradient = SIMD3(
      alongX.sum(), (mixed.y - mixed.x) * z.x + (mixed.w - mixed.z) * z.y,
      (mixed.z - mixed.x) * y.x + (mixed.w - mixed.y) * y.y)
    let value = (mixed.x * y.x + mixed.y * y.y) * z.x + (mixed.z * y.x + mixed.w * y.y) * z.y
    return (value, gradient)
  }
}
