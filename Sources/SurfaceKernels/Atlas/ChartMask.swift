/// The cells of a coarse grid covered by a chart and half of the padding around it.
struct ChartMask {
  /// Adjacent cells in one row.
  struct Run {
    var row: Int32
    var start: Int32
    var length: Int32
  }

  let width: Int
  let height: Int
  let runs: [Run]
  /// The longest run.
  let longest: Run
  /// The number of covered cells.
  let count: Int

  private init(width: Int, height: Int, cells: [Bool]) {
    self.width = width
    self.height = height
    var runs: [Run] = []
    var count = 0
    for row in 0..<height {
      var column = 0
      while column < width {
        guard cells[row * width + column] else {
          column += 1
          continue
        }
        let start = column
        while column < width, cells[row * width + column] { column += 1 }
        runs.append(Run(row: Int32(row), start: Int32(start), length: Int32(column - start)))
        count += column - start
      }
    }
    self.runs = runs
    longest = runs.max { $0.length < $1.length } ?? Run(row: 0, start: 0, length: 0)
    self.count = count
  }

  /// The mask rotated clockwise by quarter turns.
  func turned(by quarters: Int) -> ChartMask {
    let quarters = quarters & 3
    guard quarters > 0 else { return self }
    let (newWidth, newHeight) = quarters == 2 ? (width, height) : (height, width)
    var cells = [Bool](repeating: false, count: width * height)
    for run in runs {
      let y = Int(run.row)
      for x in Int(run.start)..<Int(run.start + run.length) {
        let (newX, newY) =
          switch quarters {
          case 1: (height - 1 - y, x)
          case 2: (width - 1 - x, height - 1 - y)
          default: (y, width - 1 - x)
          }
        cells[newY * newWidth + newX] = true
      }
    }
    return ChartMask(width: newWidth, height: newHeight, cells: cells)
  }
}

extension ChartMask {
  /// Marks each cell closer than `margin` to a triangle.
  ///
  /// - Parameters:
  ///   - triangles: Three corners each, in texels; the minimum coordinates are (margin, margin).
  ///   - size: The extent of all triangles in texels, including the margin on both sides.
  init(triangles: [SIMD2<Float>], size: SIMD2<Float>, margin: Float, cellSize: Int) {
    let cell = Float(cellSize)
    let width = max(1, Int((size.x / cell).rounded(.up)))
    let height = max(1, Int((size.y / cell).rounded(.up)))
    var cells = [Bool](repeating: false, count: width * height)
    for first in stride(from: 0, to: triangles.count, by: 3) {
      let (a, b, c) = (triangles[first], triangles[first + 1], triangles[first + 2])
      let top = max(0, Int((min(a.y, b.y, c.y) - margin) / cell))
      let bottom = min(height - 1, Int((max(a.y, b.y, c.y) + margin) / cell))
      guard top <= bottom else { continue }
      for row in top...bottom {
        let (low, high) = (Float(row) * cell - margin, Float(row + 1) * cell + margin)
        var (left, right) = (Float.infinity, -Float.infinity)
        Self.widen(&left, &right, from: a, to: b, between: low, and: high)
        Self.widen(&left, &right, from: b, to: c, between: low, and: high)
        Self.widen(&left, &right, from: c, to: a, between: low, and: high)
        guard left <= right else { continue }
        let start = max(0, Int((left - margin) / cell))
        let end = min(width - 1, Int((right + margin) / cell))
        guard start <= end else { continue }
        for column in start...end { cells[row * width + column] = true }
      }
    }
    self.init(width: width, height: height, cells: cells)
  }

  /// Extends an x interval by the part of an edge between two heights.
  @inline(__always)
  private static func widen(
    _ left: inout Float, _ right: inout Float, from a: SIMD2<Float>, to b: SIMD2<Float>,
    between low: Float, and high: Float
  ) {
    let (upper, lower) = a.y <= b.y ? (a, b) : (b, a)
    guard lower.y >= low, upper.y <= high else { return }
    let slope = lower.y > upper.y ? (lower.x - upper.x) / (lower.y - upper.y) : 0
    let first = upper.y >= low ? upper.x : upper.x + slope * (low - upper.y)
    let last = lower.y <= high ? lower.x : upper.x + slope * (high - upper.y)
    left = min(left, first, last)
    right = max(right, first, last)
  }
}
