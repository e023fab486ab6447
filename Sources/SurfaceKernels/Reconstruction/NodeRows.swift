import MeshpipeScene

/// A value at each node of a sparse grid, in rows of eight along x: row `y + 8z` of a block.
///
/// Node (x, y, z) of a block is the lowest corner of its cell (x, y, z). Several threads may use it, each
/// other rows.
final class NodeRows: Sendable {
  let rows: ScratchBuffer<SIMD8<Float>>

  /// The rows of a block.
  static let perBlock = 64

  init(blockCount: Int) {
    rows = ScratchBuffer(repeating: .zero, count: blockCount * Self.perBlock)
  }

  @inline(__always)
  subscript(row: Int) -> SIMD8<Float> {
    get { rows[row] }
    set { rows[row] = newValue }
  }
}

/// The values at the nodes of a block and of those around it: ten rows of ten along y and z.
struct SurroundedRows: ~Copyable {
  /// Nodes 0 to 7 of each row.
  let centers: ScratchBuffer<SIMD8<Float>>
  /// Node −1 of each row.
  private let before: ScratchBuffer<Float>
  /// Node 8 of each row.
  private let after: ScratchBuffer<Float>

  static let width = 10
  static let count = 100

  /// The values of nodes where there is no block.
  enum Outside {
    /// The value 0.
    case zero
    /// The value of the nearest node that there is.
    case nearest
  }

  init() {
    centers = ScratchBuffer(repeating: .zero, count: Self.count)
    before = ScratchBuffer(repeating: 0, count: Self.count)
    after = ScratchBuffer(repeating: 0, count: Self.count)
  }

  /// The number of a row; y and z are from −1 to 8.
  @inline(__always)
  static func row(_ y: Int, _ z: Int) -> Int { y + 1 + width * (z + 1) }

  func load(
    _ block: Int, of values: NodeRows, _ neighbors: NeighborBlocks, outside: Outside
  ) {
    for z in -1...8 {
      for y in -1...8 {
        load(y: y, z: z, of: block, values: values, neighbors: neighbors, outside: outside)
      }
    }
  }

  @inline(__always)
  private func load(
    y: Int, z: Int, of block: Int, values: NodeRows, neighbors: NeighborBlocks, outside: Outside
  ) {
    let row = Self.row(y, z)
    var (sideY, sideZ) = ((y + 8) >> 3 - 1, (z + 8) >> 3 - 1)
    var (y, z) = (y & 7, z & 7)
    var center = neighbors.block(block, SIMD3(0, sideY, sideZ))
    if center == nil, outside == .nearest {
      // Missing blocks are repeated from the block itself, along one axis if that is enough.
      let (nearY, nearZ) = (sideY < 0 ? 0 : sideY > 0 ? 7 : y, sideZ < 0 ? 0 : sideZ > 0 ? 7 : z)
      if sideZ != 0, let other = neighbors.block(block, SIMD3(0, sideY, 0)) {
        (center, z, sideZ) = (other, nearZ, 0)
      } else if sideY != 0, let other = neighbors.block(block, SIMD3(0, 0, sideZ)) {
        (center, y, sideY) = (other, nearY, 0)
      } else {
        (center, y, z, sideY, sideZ) = (block, nearY, nearZ, 0, 0)
      }
    }
    let offset = y + 8 * z
    let values8 = center.map { values[NodeRows.perBlock * $0 + offset] } ?? .zero
    centers[row] = values8
    let clamps = outside == .nearest
    before[row] =
      neighbors.block(block, SIMD3(-1, sideY, sideZ)).map {
        values[NodeRows.perBlock * $0 + offset][7]
      } ?? (clamps ? values8[0] : 0)
    after[row] =
      neighbors.block(block, SIMD3(1, sideY, sideZ)).map {
        values[NodeRows.perBlock * $0 + offset][0]
      } ?? (clamps ? values8[7] : 0)
  }

  /// The values one node before those of a row.
  @inline(__always)
  func lower(_ row: Int) -> SIMD8<Float> {
    let c = centers[row]
    return SIMD8(before[row], c[0], c[1], c[2], c[3], c[4], c[5], c[6])
  }

  /// The values one node after those of a row.
  @inline(__always)
  func upper(_ row: Int) -> SIMD8<Float> {
    let c = centers[row]
    return SIMD8(c[1], c[2], c[3], c[4], c[5], c[6], c[7], after[row])
  }

  /// The sum of the values one node before and one after those of a row.
  @inline(__always)
  func sides(_ row: Int) -> SIMD8<Float> { lower(row) + upper(row) }

  @inline(__always)
  func first(_ row: Int) -> Float { before[row] }

  @inline(__always)
  func last(_ row: Int) -> Float { after[row] }

  /// - Parameter x: From −1 to 8.
  @inline(__always)
  func value(_ row: Int, _ x: Int) -> Float {
    x < 0 ? before[row] : x > 7 ? after[row] : centers[row][x]
  }

  /// The trilinear mean at a position in a cell of the block, or just before it.
  func value(at corner: SIMD3<Int8>, _ position: SIMD3<Float>) -> Float {
    let x = Int(corner.x)
    let first = Self.row(Int(corner.y), Int(corner.z))
    func along(_ row: Int) -> Float {
      value(row, x) * (1 - position.x) + value(row, x + 1) * position.x
    }
    let low = along(first) * (1 - position.y) + along(first + 1) * position.y
    let high =
      along(first + Self.width) * (1 - position.y) + along(first + Self.width + 1) * position.y
    return low * (1 - position.z) + high * position.z
  }

  /// Whether values are on both sides of a level.
  func crosses(_ level: Float) -> Bool {
    var (low, high) = (SIMD8<Float>(repeating: .infinity), SIMD8<Float>(repeating: -.infinity))
    var (least, greatest) = (Float.infinity, -Float.infinity)
    for row in 0..<Self.count {
      low = pointwiseMin(low, centers[row])
      high = pointwiseMax(high, centers[row])
      least = min(least, before[row], after[row])
      greatest = max(greatest, before[row], after[row])
    }
    return min(least, low.min()) < level && max(greatest, high.max()) >= level
  }

  /// Whether values near an octant are on both sides of a level: those of its nodes, of one before and of
  /// two after them.
  func crosses(_ level: Float, inOctant octant: SIMD3<Int>) -> Bool {
    var (least, greatest) = (Float.infinity, -Float.infinity)
    for z in 4 * octant.z - 1...min(4 * octant.z + 5, 8) {
      for y in 4 * octant.y - 1...min(4 * octant.y + 5, 8) {
        for x in 4 * octant.x - 1...min(4 * octant.x + 5, 8) {
          let value = value(Self.row(y, z), x)
          least = min(least, value)
          greatest = max(greatest, value)
        }
      }
    }
    return least < level && greatest >= level
  }
}
