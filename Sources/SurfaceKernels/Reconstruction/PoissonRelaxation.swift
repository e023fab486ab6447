import MeshpipeScene

/// Solves the equations of a level by relaxation, block after block.
///
/// The matrix has the products of the gradients of trilinear functions, and for each sample the products of
/// their values there times its weight: K + Σ w b bᵀ. In units where a cell's edge is 1, K has 8/3 at the
/// node, 0 at neighbours along an axis, −1/6 at those across an edge and −1/12 across a corner. So the
/// nodes of a row don't depend on one another by K, and are changed together; by the samples they do, but
/// little enough that this converges. Blocks of the same colour have no common nodes.
struct PoissonRelaxation: ~Copyable {
  private let level: PoissonLevel
  /// The weight of samples for each unit of area, where these are as noisy as usual.
  private let pointWeight: Float
  private let rows = SurroundedRows()
  /// The sums of both neighbours along x.
  private let sides = ScratchBuffer<SIMD8<Float>>(repeating: .zero, count: SurroundedRows.count)
  /// The parts of the matrix' diagonal that are due to samples.
  private let diagonals = ScratchBuffer<SIMD8<Float>>(repeating: .zero, count: NodeRows.perBlock)
  /// 1 for nodes that change, 0 for others.
  private let masks = ScratchBuffer<SIMD8<Float>>(repeating: .zero, count: NodeRows.perBlock)
  private let terms = ScratchBuffer<Term>(
    repeating: Term(corner: .zero, place: .zero, weight: 0, value: 0), count: 729)
  /// The first term of each row of cells.
  private let starts = ScratchBuffer<Int>(repeating: 0, count: BlockSamples.rows + 1)
  /// Nodes −1 to 8 of a row.
  private let line = ScratchBuffer<Float>(repeating: 0, count: SurroundedRows.width)

  /// A sample.
  private struct Term: BitwiseCopyable, Sendable {
    var corner: SIMD3<Int8>
    var place: Vector3
    var weight: Float
    /// The value of the field at the sample.
    var value: Float

    /// The part of a row's functions that is due to y and z.
    @inline(__always)
    func share(_ isUpperY: Bool, _ isUpperZ: Bool) -> Float {
      (isUpperY ? place.y : 1 - place.y) * (isUpperZ ? place.z : 1 - place.z)
    }
  }

  private static let center: Float = 8 / 3
  /// The number of times that a block is relaxed before the next one is.
  private static let sweeps = 2

  private init(_ level: PoissonLevel, pointWeight: Float) {
    self.level = level
    self.pointWeight = pointWeight
  }

  /// Relaxes all blocks a number of times.
  static func run(
    _ level: PoissonLevel, pointWeight: Float, passes: Int, progress: () throws -> Void
  ) rethrows {
    let colors = (0..<8).map { color in
      (0..<level.grid.count).filter {
        let odd = level.grid.coordinates[$0] & 1
        return odd.x + 2 * odd.y + 4 * odd.z == color
      }
    }
    for _ in 0..<passes {
      for blocks in colors {
        Parallel.forEachChunk(of: blocks.count, chunkSize: 16) { _, range in
          let relaxation = PoissonRelaxation(level, pointWeight: pointWeight)
          for index in range { relaxation.relax(blocks[index]) }
        }
      }
      try progress()
    }
  }

  private func relax(_ block: Int) {
    rows.load(block, of: level.field, level.neighbors, outside: .nearest)
    for row in 0..<SurroundedRows.count { sides[row] = rows.sides(row) }
    loadMasks(block)
    loadTerms(block)
    let first = NodeRows.perBlock * block
    for sweep in 0..<Self.sweeps {
      for number in 0..<NodeRows.perBlock {
        let row = sweep % 2 == 0 ? number : NodeRows.perBlock - 1 - number
        update(row & 7, row >> 3, level.rightSide[first + row])
      }
    }
    for row in 0..<NodeRows.perBlock {
      level.field[first + row] = rows.centers[SurroundedRows.row(row & 7, row >> 3)]
    }
  }

  // MARK: Rows

  @inline(__always)
  private func update(_ y: Int, _ z: Int, _ rightSide: SIMD8<Float>) {
    let row = SurroundedRows.row(y, z)
    let width = SurroundedRows.width
    let centers = rows.centers.elements
    let edges =
      sides[row - 1] + sides[row + 1] + sides[row - width] + sides[row + width]
      + centers[row - width - 1] + centers[row - width + 1] + centers[row + width - 1]
      + centers[row + width + 1]
    let corners =
      sides[row - width - 1] + sides[row - width + 1] + sides[row + width - 1]
      + sides[row + width + 1]
    var rest = rightSide + edges / 6 + corners / 12 - centers[row] * Self.center
    let cells = cellRows(y, z)
    guard cells.hasTerms else {
      let change = rest / Self.center * masks[y + 8 * z]
      centers[row] += change
      sides[row] = rows.sides(row)
      return
    }
    rest -= pull(cells)
    let change = rest / (diagonals[y + 8 * z] + Self.center) * masks[y + 8 * z]
    centers[row] += change
    sides[row] = rows.sides(row)
    push(change, cells)
  }

  /// The four rows of cells around a row of nodes.
  private struct CellRows {
    let (y, z): (Int, Int)
    var hasTerms = false

    /// The row of cells by its number, and whether the nodes are at its upper ends along y and z.
    @inline(__always)
    func row(_ number: Int) -> (row: Int, isUpperY: Bool, isUpperZ: Bool) {
      (y + number & 1 + 9 * (z + number >> 1), number & 1 == 0, number >> 1 == 0)
    }
  }

  @inline(__always)
  private func cellRows(_ y: Int, _ z: Int) -> CellRows {
    var cells = CellRows(y: y, z: z)
    // Two rows follow one another, twice.
    let (low, high) = (y + 9 * z, y + 9 * (z + 1))
    cells.hasTerms = starts[low] < starts[low + 2] || starts[high] < starts[high + 2]
    return cells
  }

  /// The sum of the samples' values times their weights at the nodes of a row.
  @inline(__always)
  private func pull(_ cells: CellRows) -> SIMD8<Float> {
    clearLine()
    for number in 0..<4 {
      let (row, isUpperY, isUpperZ) = cells.row(number)
      for index in starts[row]..<starts[row + 1] {
        let term = terms[index]
        let share = term.share(isUpperY, isUpperZ) * term.weight * term.value
        let x = Int(term.corner.x) + 1
        line[x] += share * (1 - term.place.x)
        line[x + 1] += share * term.place.x
      }
    }
    return SIMD8(line[1], line[2], line[3], line[4], line[5], line[6], line[7], line[8])
  }

  /// Adds the change of a row of nodes to the samples' values.
  @inline(__always)
  private func push(_ change: SIMD8<Float>, _ cells: CellRows) {
    (line[0], line[9]) = (0, 0)
    for x in 0..<8 { line[x + 1] = change[x] }
    for number in 0..<4 {
      let (row, isUpperY, isUpperZ) = cells.row(number)
      for index in starts[row]..<starts[row + 1] {
        let term = terms[index]
        let share = term.share(isUpperY, isUpperZ)
        let x = Int(term.corner.x) + 1
        terms[index].value =
          term.value + share * (line[x] * (1 - term.place.x) + line[x + 1] * term.place.x)
      }
    }
  }

  private func clearLine() {
    for x in 0..<SurroundedRows.width { line[x] = 0 }
  }

  // MARK: Loading

  private func loadTerms(_ block: Int) {
    let entries = level.lists[block]
    for row in 0...BlockSamples.rows { starts[row] = 0 }
    for (index, entry) in entries.enumerated() {
      let item = level.samples.items[Int(entry.sample)]
      starts[entry.row + 1] = index + 1
      terms[index] = Term(
        corner: entry.corner, place: item.place, weight: item.pull * pointWeight,
        value: rows.value(at: entry.corner, item.place.simd))
    }
    for row in 0..<BlockSamples.rows where starts[row + 1] < starts[row] {
      starts[row + 1] = starts[row]
    }
    guard !entries.isEmpty else { return }
    for row in 0..<NodeRows.perBlock { diagonals[row] = diagonal(row & 7, row >> 3) }
  }

  private func diagonal(_ y: Int, _ z: Int) -> SIMD8<Float> {
    let cells = cellRows(y, z)
    guard cells.hasTerms else { return .zero }
    clearLine()
    for number in 0..<4 {
      let (row, isUpperY, isUpperZ) = cells.row(number)
      for index in starts[row]..<starts[row + 1] {
        let term = terms[index]
        let share = term.share(isUpperY, isUpperZ)
        let (low, high) = (share * (1 - term.place.x), share * term.place.x)
        let x = Int(term.corner.x) + 1
        line[x] += term.weight * low * low
        line[x + 1] += term.weight * high * high
      }
    }
    return SIMD8(line[1], line[2], line[3], line[4], line[5], line[6], line[7], line[8])
  }

  /// Nodes next to missing blocks don't change, except in levels that are whole.
  private func loadMasks(_ block: Int) {
    let neighbors = level.neighbors
    for row in 0..<NodeRows.perBlock { masks[row] = SIMD8(repeating: 1) }
    guard !level.isWhole, !neighbors.isSurrounded(block) else { return }
    for offset in 0..<27 {
      let side = SIMD3(offset % 3 - 1, offset / 3 % 3 - 1, offset / 9 - 1)
      guard !neighbors.has(block, side) else { continue }
      for z in Self.nodes(side.z) {
        for y in Self.nodes(side.y) {
          for x in Self.nodes(side.x) { masks[y + 8 * z][x] = 0 }
        }
      }
    }
  }

  /// The nodes of a row next to a side.
  private static func nodes(_ side: Int) -> ClosedRange<Int> {
    side < 0 ? 0...0 : side > 0 ? 7...7 : 0...7
  }
}
