import MeshpipeScene
import POSIX

/// Takes pieces of furniture apart that touch each other: where the heights of their tops change, or where a box around both would
/// be empty in a corner.
///
/// The tops are a grid along the sides of the box. Of all straight cuts across it, the one goes first that brings both parts nearest
/// to boxes of one height, or that goes through a gap; then both are cut again.
struct FurnitureParts {
  /// The samples of each piece.
  private(set) var parts: [[ScanSamples.Sample]] = []

  /// The edge of a cell, and the least side of a part, in metres.
  private static let (cell, leastSide) = (0.05, 0.35)
  /// A top is as wrong as an empty cell if it is this far from that of its box, in metres.
  private static let wrong = 0.25
  /// What a cut must make better, in square metres, and as a share of the box.
  private static let (leastGain, leastShare) = (0.1, 0.12)
  /// What a gap right across counts for, in square metres.
  private static let gap = 0.12
  private static let mostParts = 16
  /// What is larger is not taken apart.
  private static let mostCells = 1 << 14
  /// Faces within 45° of level are so.
  private static let level = 0.7

  /// A rectangle of cells.
  private struct Box {
    var columns: Range<Int>
    var rows: Range<Int>

    var count: Int { columns.count * rows.count }
  }

  private let columns: Int
  private let rows: Int
  /// The height of the highest sample in each cell; nil where there is none.
  private var tops: [Double?]
  /// Whether something level is in each cell; empty if tops were hardly seen.
  private var isLevel: [Bool] = []
  private let usesHeights: Bool

  /// - Parameters:
  ///   - samples: Those of furniture that touches.
  ///   - angle: Of its sides.
  ///   - usesHeights: Whether parts differ in height; backs of seats are higher than the seats.
  init(_ samples: [ScanSamples.Sample], angle: Double, usesHeights: Bool) {
    let (x, y) = (SIMD2<Double>(angle: angle), SIMD2<Double>(angle: angle).left)
    let places = samples.map { SIMD2($0.plan.dot(x), $0.plan.dot(y)) }
    let first = places.first ?? .zero
    let (low, high) = (places.reduce(first, pointwiseMin), places.reduce(first, pointwiseMax))
    let size = ((high - low) / Self.cell).rounded(.down)
    (columns, rows) = (Int(size.x) + 1, Int(size.y) + 1)
    self.usesHeights = usesHeights
    tops = []
    guard columns * rows < Self.mostCells else {
      parts = [samples]
      return
    }
    tops = [Double?](repeating: nil, count: columns * rows)
    let cells = places.map { position in
      let cell = SIMD2<Int>(((position - low) / Self.cell).rounded(.down))
      return cell.y * columns + cell.x
    }
    var isLevel = [Bool](repeating: false, count: tops.count)
    for (cell, sample) in zip(cells, samples) {
      tops[cell] = max(tops[cell] ?? -.infinity, sample.position.z)
      if sample.normal.z > Self.level { isLevel[cell] = true }
    }
    let levelCount = isLevel.count { $0 }
    let seen = tops.count { $0 != nil }
    if 2 * levelCount > seen { self.isLevel = isLevel }
    let boxes = divided()
    parts = boxes.map { box in
      zip(cells, samples).compactMap { cell, sample in
        box.columns.contains(cell % columns) && box.rows.contains(cell / columns) ? sample : nil
      }
    }.filter { !$0.isEmpty }
  }

  private func divided() -> [Box] {
    var boxes = [Box(columns: 0..<columns, rows: 0..<rows)]
    var next = 0
    while next < boxes.count, boxes.count < Self.mostParts {
      if let (one, other) = cut(boxes[next]) {
        boxes[next] = one
        boxes.append(other)
      } else {
        next += 1
      }
    }
    return boxes
  }

  /// The best cut; nil if none makes enough better.
  private func cut(_ box: Box) -> (Box, Box)? {
    let least = Int((Self.leastSide / Self.cell).rounded(.up))
    let whole = error(of: box)
    let area = Self.cell * Self.cell
    var best = max(Self.leastGain / area, Self.leastShare * Double(box.count))
    var result: (Box, Box)?
    func consider(_ one: Box, _ other: Box, _ before: Box) {
      let isGap = !isLevel.isEmpty && !hasTop(before)
      let gain = whole - error(of: one) - error(of: other) + (isGap ? Self.gap / area : 0)
      if gain > best { (best, result) = (gain, (one, other)) }
    }
    if box.columns.count >= 2 * least {
      for column in box.columns.lowerBound + least...box.columns.upperBound - least {
        consider(
          Box(columns: box.columns.lowerBound..<column, rows: box.rows),
          Box(columns: column..<box.columns.upperBound, rows: box.rows),
          Box(columns: column - 1..<column, rows: box.rows))
      }
    }
    if box.rows.count >= 2 * least {
      for row in box.rows.lowerBound + least...box.rows.upperBound - least {
        consider(
          Box(columns: box.columns, rows: box.rows.lowerBound..<row),
          Box(columns: box.columns, rows: row..<box.rows.upperBound),
          Box(columns: box.columns, rows: row - 1..<row))
      }
    }
    return result
  }

  /// Whether a top is in a box: between two pieces are only their sides.
  private func hasTop(_ box: Box) -> Bool {
    box.rows.contains { row in box.columns.contains { isLevel[row * columns + $0] } }
  }

  /// How many cells of the rectangle around what is in a box are empty or of another height than most.
  private func error(of box: Box) -> Double {
    var (low, high) = (SIMD2(Int.max, Int.max), SIMD2(Int.min, Int.min))
    var heights: [Double] = []
    for row in box.rows {
      for column in box.columns {
        guard let top = tops[row * columns + column] else { continue }
        heights.append(top)
        (low.x, low.y) = (min(low.x, column), min(low.y, row))
        (high.x, high.y) = (max(high.x, column), max(high.y, row))
      }
    }
    guard !heights.isEmpty else { return 0 }
    let empty = (high.x - low.x + 1) * (high.y - low.y + 1) - heights.count
    guard usesHeights else { return Double(empty) }
    heights.sort()
    let middle = heights[heights.count / 2]
    return heights.reduce(Double(empty)) { $0 + min(1, abs($1 - middle) / Self.wrong) }
  }
}
