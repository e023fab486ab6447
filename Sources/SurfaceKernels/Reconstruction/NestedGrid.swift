import MeshpipeScene
import POSIX

/// Grids of nodes around points, each twice as fine as the one before, with one corner in common.
///
/// Level 0 has few blocks and is whole, and so is level 1; finer ones have blocks where they are needed. A position in
/// a level is in its cells, from the common corner.
struct NestedGrid: Sendable {
  let origin: SIMD3<Double>
  /// The edge of a cell of the finest level.
  let cell: Double
  /// The number of the finest level.
  let finest: Int
  /// The blocks of level 0 along each axis.
  let rootBlocks: SIMD3<Int32>

  /// The most cells of level 0 along the longest edge of the points' box.
  private static let rootCells = 8.0
  /// The least cells of level 0 around the box: the surface closes within.
  private static let margin = 4.0
  /// The levels above which coordinates of cells need more than 21 bits.
  static let greatestLevel = 17
  /// The levels that are whole.
  static let wholeLevels = 2

  /// - Parameter box: Not empty.
  /// - Returns: Nil if the cell is too small for the box, or no number.
  init?(around box: Box, cell: Double) {
    let size = SIMD3<Double>(box.maximum) - SIMD3<Double>(box.minimum)
    let ratio = size.max() / (cell * Self.rootCells)
    guard cell > 0, ratio.isFinite else { return nil }
    let finest = max(0, Int(log2(max(ratio, 1)).rounded(.up)))
    guard finest <= Self.greatestLevel else { return nil }
    let root = cell * Double(1 << finest)
    let blocks = ((size / root + 2 * Self.margin) / Double(SparseBlocks.width)).rounded(.up)
    let center = (SIMD3<Double>(box.maximum) + SIMD3<Double>(box.minimum)) / 2
    origin = center - blocks * (Double(SparseBlocks.width) * root / 2)
    self.cell = cell
    self.finest = finest
    rootBlocks = SIMD3<Int32>(blocks)
  }

  /// The position of a point in cells of the finest level, from the common corner.
  @inline(__always)
  func place(of point: Vector3) -> SIMD3<Double> { (point.double - origin) / cell }

  /// The edge of a cell of a level.
  func width(ofLevel level: Int) -> Double { cell * Double(1 << (finest - level)) }

  /// All blocks of a level.
  func allBlocks(ofLevel level: Int) -> Set<UInt64> {
    let size = rootBlocks &<< Int32(level)
    var keys: Set<UInt64> = []
    for z in 0..<size.z {
      for y in 0..<size.y {
        for x in 0..<size.x { keys.insert(SparseBlocks.key(SIMD3(x, y, z))) }
      }
    }
    return keys
  }
}

/// Cells on a Morton curve, by 21 bits of each coordinate: the cell of a coarser grid is the code
/// without the last three bits.
enum MortonCell {
  /// - Parameter cell: From 0 to 2²¹ − 1.
  @inline(__always)
  static func code(_ cell: SIMD3<UInt32>) -> UInt64 {
    spread(cell.x) | spread(cell.y) << 1 | spread(cell.z) << 2
  }

  @inline(__always)
  static func cell(_ code: UInt64) -> SIMD3<Int32> {
    SIMD3(gathered(code), gathered(code >> 1), gathered(code >> 2))
  }

  /// Inserts two zero bits between bits.
  @inline(__always)
  private static func spread(_ number: UInt32) -> UInt64 {
    var bits = UInt64(number) & 0x1F_FFFF
    bits = (bits | bits << 32) & 0x1F_0000_0000_FFFF
    bits = (bits | bits << 16) & 0x1F_0000_FF00_00FF
    bits = (bits | bits << 8) & 0x100F_00F0_0F00_F00F
    bits = (bits | bits << 4) & 0x10C3_0C30_C30C_30C3
    return (bits | bits << 2) & 0x1249_2492_4924_9249
  }

  /// Takes every third bit.
  @inline(__always)
  private static func gathered(_ code: UInt64) -> Int32 {
    var bits = code & 0x1249_2492_4924_9249
    bits = (bits | bits >> 2) & 0x10C3_0C30_C30C_30C3
    bits = (bits | bits >> 4) & 0x100F_00F0_0F00_F00F
    bits = (bits | bits >> 8) & 0x1F_0000_FF00_00FF
    bits = (bits | bits >> 16) & 0x1F_0000_0000_FFFF
    return Int32(truncatingIfNeeded: (bits | bits >> 32) & 0x1F_FFFF)
  }
}
