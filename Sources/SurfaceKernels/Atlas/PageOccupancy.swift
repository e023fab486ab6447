/// The occupied cells of a page, in a form that allows fast searches for free positions.
struct PageOccupancy {
  let width: Int
  let height: Int
  /// For each cell, the number of free (positive) or occupied (negative) cells from it to the
  /// right.
  private var leaps: [Int16]
  /// The length of the longest free run of each row.
  private var longestFree: [Int16]
  /// No row above this one has a free cell.
  private var firstFreeRow = 0
  private(set) var usedWidth = 0
  private(set) var usedHeight = 0

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    longestFree = Array(repeating: Int16(truncatingIfNeeded: width), count: height)
    leaps = []
    leaps.reserveCapacity(width * height)
    let freeRow = (0..<width).map { Int16(truncatingIfNeeded: width - $0) }
    for _ in 0..<height { leaps += freeRow }
  }

  /// The highest, and of these the leftmost, position of a mask whose lower border is above
  /// `limit`.
  func place(for mask: ChartMask, from startRow: Int, bottomBelow limit: Int) -> (x: Int, y: Int)? {
    guard mask.width <= width, mask.height <= height, let first = mask.runs.first else {
      return nil
    }
    let lastRow = min(height - mask.height, limit - mask.height - 1)
    var row = max(startRow, firstFreeRow - Int(first.row), 0)
    while row <= lastRow {
      if longestFree[row + Int(mask.longest.row)] >= Int16(mask.longest.length),
        let column = column(for: mask, row: row)
      {
        return (column, row)
      }
      row += 1
    }
    return nil
  }

  /// The leftmost column at which all runs of a mask are free, with its top at `row`.
  private func column(for mask: ChartMask, row: Int) -> Int? {
    let lastColumn = width - mask.width
    var column = 0
    // Runs are tried in a cycle: the one that failed is the most likely to fail again.
    var index = 0
    var passed = 0
    while passed < mask.runs.count {
      let run = mask.runs[index]
      let line = (row + Int(run.row)) * width
      let start = column + Int(run.start)
      let leap = Int(leaps[line + start])
      if leap >= Int(run.length) {
        passed += 1
        index = index + 1 == mask.runs.count ? 0 : index + 1
        continue
      }
      passed = 0
      if leap < 0 {
        column -= leap
      } else {
        let obstacle = start + leap
        guard obstacle < width else { return nil }
        column += leap - Int(leaps[line + obstacle])
      }
      guard column <= lastColumn else { return nil }
    }
    return column
  }

  /// Occupies the cells of a mask.
  mutating func take(_ mask: ChartMask, x: Int, y: Int) {
    for run in mask.runs {
      takeRun(row: y + Int(run.row), start: x + Int(run.start), length: Int(run.length))
    }
    for row in y..<y + mask.height { measureLongestFree(row) }
    usedWidth = max(usedWidth, x + mask.width)
    usedHeight = max(usedHeight, y + mask.height)
    while firstFreeRow < height, leaps[firstFreeRow * width] == -Int16(truncatingIfNeeded: width) {
      firstFreeRow += 1
    }
  }

  private mutating func measureLongestFree(_ row: Int) {
    var longest: Int16 = 0
    var column = 0
    while column < width {
      let leap = leaps[row * width + column]
      longest = max(longest, leap)
      column += Int(abs(leap))
    }
    longestFree[row] = longest
  }

  private mutating func takeRun(row: Int, start: Int, length: Int) {
    let line = row * width
    let end = start + length
    var taken = end < width && leaps[line + end] < 0 ? Int(leaps[line + end]) : 0
    var column = end - 1
    while column >= start {
      taken -= 1
      leaps[line + column] = Int16(truncatingIfNeeded: taken)
      column -= 1
    }
    while column >= 0, leaps[line + column] < 0 {
      taken -= 1
      leaps[line + column] = Int16(truncatingIfNeeded: taken)
      column -= 1
    }
    var free = 0
    while column >= 0, leaps[line + column] > 0 {
      free += 1
      leaps[line + column] = Int16(truncatingIfNeeded: free)
      column -= 1
    }
  }
}
