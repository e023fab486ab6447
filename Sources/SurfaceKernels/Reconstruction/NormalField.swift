import MeshpipeScene

/// One component of a vector at each node of a level, between which the field of normals is trilinear.
///
/// It is in the unit of the level, where the edge of a cell is 1: the sum of the vectors is the sum of areas
/// times normals.
struct NormalField: Sendable {
  private let values: NodeRows
  private let level: PoissonLevel
  private let axis: Int

  /// A field of zeros.
  private init(on level: PoissonLevel, axis: Int) {
    self.level = level
    self.axis = axis
    values = NodeRows(blockCount: level.grid.count)
  }

  /// The field of the samples of a level.
  init(of level: PoissonLevel, axis: Int) {
    self.init(on: level, axis: axis)
    addSamples()
  }

  /// A field on the next finer level.
  init(_ coarser: NormalField, on level: PoissonLevel, by transfer: LevelTransfer) {
    self.init(on: level, axis: coarser.axis)
    // The areas of cells' faces are 4 times as large in the finer unit, and the nodes 8 times as many.
    transfer.refine(coarser.values, to: values, factor: 0.5)
  }

  /// Distributes the vector of each sample over the nodes around it.
  func addSamples() {
    values.add(level.samples, level.lists) { [axis] in $0.vector.simd[axis] }
  }

  /// Adds to each node of the right side the integral of the component times the derivative of the node's
  /// function.
  func addDivergence() {
    Parallel.forEachChunk(of: level.grid.count, chunkSize: 32) { [self] _, range in
      let rows = SurroundedRows()
      let slopes = ScratchBuffer<SIMD8<Float>>(repeating: .zero, count: SurroundedRows.count)
      for block in range {
        rows.load(block, of: values, level.neighbors, outside: .zero)
        for row in 0..<SurroundedRows.count {
          slopes[row] =
            axis == 0
            ? (rows.lower(row) - rows.upper(row)) / 2
            : (rows.centers[row] * 4 + rows.sides(row)) / 6
        }
        for row in 0..<NodeRows.perBlock {
          level.rightSide[NodeRows.perBlock * block + row] += divergence(slopes, row & 7, row >> 3)
        }
      }
    }
  }

  @inline(__always)
  private func divergence(
    _ slopes: borrowing ScratchBuffer<SIMD8<Float>>, _ y: Int, _ z: Int
  ) -> SIMD8<Float> {
    let row = SurroundedRows.row(y, z)
    // Along its axis the difference, along the others the mean.
    let (along, across) = axis == 1 ? (1, SurroundedRows.width) : (SurroundedRows.width, 1)
    var sum = SIMD8<Float>.zero
    for step in -1...1 {
      let line = row + across * step
      let value =
        axis == 0
        ? (slopes[line - along] + slopes[line] * 4 + slopes[line + along]) / 6
        : (slopes[line - along] - slopes[line + along]) / 2
      sum += value * (step == 0 ? Float(4) / 6 : Float(1) / 6)
    }
    return sum
  }
}

extension NodeRows {
  /// Distributes a value of each sample over the nodes around it.
  func add(
    _ samples: LevelSamples, _ lists: BlockSamples, value: @Sendable (LevelSamples.Item) -> Float
  ) {
    Parallel.forEachChunk(of: lists.starts.count - 1, chunkSize: 32) { _, range in
      for block in range {
        for entry in lists[block] {
          let item = samples.items[Int(entry.sample)]
          add(value(item), at: entry.corner, item.place.simd, of: block)
        }
      }
    }
  }

  /// Distributes a value at a position in a cell over the nodes around it that are of a block.
  ///
  /// - Parameter corner: The cell from the block's first one.
  @inline(__always)
  private func add(_ value: Float, at corner: SIMD3<Int8>, _ position: SIMD3<Float>, of block: Int)
  {
    guard value != 0 else { return }
    for offset in 0..<8 {
      let step = SIMD3(Int8(offset & 1), Int8(offset >> 1 & 1), Int8(offset >> 2))
      let node = corner &+ step
      guard all((node .>= 0) .& (node .< 8)) else { continue }
      let x = step.x == 1 ? position.x : 1 - position.x
      let y = step.y == 1 ? position.y : 1 - position.y
      let z = step.z == 1 ? position.z : 1 - position.z
      rows[Self.perBlock * block + Int(node.y) + 8 * Int(node.z)][Int(node.x)] += value * x * y * z
    }
  }
}
