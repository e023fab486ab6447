import MeshpipeBase
import MeshpipeScene

/// A frame's thumbnail in blocks, with the witnesses of each.
struct ForegroundBlocks {
  let width: Int
  let height: Int
  let columns: Int
  let rows: Int
  /// The frames that vote on each block.
  var witnesses: [[ForegroundWitness]] = []
  /// The offset of the codes of the frame around each block; the fourth is 0 if it is unknown.
  var levels: [SIMD4<Float>] = []

  /// Pixels along a side.
  ///
  /// All pixels of a block ask the same frames, and share a level. Larger blocks straddle objects and what is behind
  /// them; smaller ones take their level from an object that fills them.
  private static let size = 16
  /// Rounds of smoothing the levels over 3 × 3 blocks: a block that an object fills is outvoted by those around.
  private static let smoothingRounds = 2

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    columns = (width + Self.size - 1) / Self.size
    rows = (height + Self.size - 1) / Self.size
  }

  var count: Int { columns * rows }

  /// The columns of pixels of a block.
  func columns(of block: Int) -> Range<Int> {
    let start = block % columns * Self.size
    return start..<min(start + Self.size, width)
  }

  /// The rows of pixels of a block.
  func rows(of block: Int) -> Range<Int> {
    let start = block / columns * Self.size
    return start..<min(start + Self.size, height)
  }

  func middle(of block: Int) -> (x: Int, y: Int) {
    let (x, y) = (block % columns * Self.size, block / columns * Self.size)
    return (min(x + Self.size / 2, width - 1), min(y + Self.size / 2, height - 1))
  }

  /// Fills the levels of blocks without one, and smooths them: objects are smaller than variations
  /// of the level.
  mutating func smooth() {
    for _ in 0..<Self.smoothingRounds {
      let old = levels
      for row in 0..<rows {
        for column in 0..<columns {
          var sum = SIMD4<Float>.zero
          for other in max(0, row - 1)...min(rows - 1, row + 1) {
            for next in max(0, column - 1)...min(columns - 1, column + 1) {
              sum += old[other * columns + next]
            }
          }
          if sum.w > 0 { levels[row * columns + column] = sum / sum.w }
        }
      }
    }
  }

  /// The level at a pixel, interpolated between the centres of blocks.
  @inline(__always)
  func level(_ x: Int, _ y: Int) -> SIMD4<Float> {
    let size = Float(Self.size)
    let u = min(max((Float(x) + 0.5) / size - 0.5, 0), Float(columns - 1))
    let v = min(max((Float(y) + 0.5) / size - 0.5, 0), Float(rows - 1))
    let (left, top) = (min(Int(u), max(0, columns - 2)), min(Int(v), max(0, rows - 2)))
    let (right, bottom) = (min(left + 1, columns - 1), min(top + 1, rows - 1))
    let (s, t) = (u - Float(left), v - Float(top))
    let upper = levels[top * columns + left] * (1 - s) + levels[top * columns + right] * s
    let lower = levels[bottom * columns + left] * (1 - s) + levels[bottom * columns + right] * s
    var level = upper * (1 - t) + lower * t
    level.w = 0
    return level
  }
}
