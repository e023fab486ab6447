import MeshpipeScene
import POSIX

/// The convex cells into which lines cut a rectangle, and the edges between them.
struct LineArrangement {
  struct Cell {
    /// Counterclockwise.
    var corners: [SIMD2<Double>]
    /// The line from each corner to the next; -1 for the sides of the rectangle.
    var lines: [Int]

    var area: Double { PolygonTriangulation.signedArea(of: corners) }
    var center: SIMD2<Double> { corners.reduce(.zero, +) / Double(corners.count) }
  }

  /// A piece of a line between two cells.
  struct Edge {
    var line: Int
    /// Along the line.
    var range: ClosedRange<Double>
    var left: Int
    var right: Int
  }

  private(set) var cells: [Cell]
  private(set) var edges: [Edge] = []
  let lines: [PlanLine]

  /// Corners as near as this to a line are on it, in metres.
  private static let precision = 1e-6

  /// - Complexity: O(lines³) at worst; as many cells as pairs of lines that cross.
  init(_ lines: [PlanLine], low: SIMD2<Double>, high: SIMD2<Double>) {
    self.lines = lines
    cells = [
      Cell(
        corners: [low, SIMD2(high.x, low.y), high, SIMD2(low.x, high.y)],
        lines: [-1, -1, -1, -1])
    ]
    for number in lines.indices {
      cells = cells.flatMap { Self.cut($0, lines[number], number) }
    }
    connect()
  }

  private static func cut(_ cell: Cell, _ line: PlanLine, _ number: Int) -> [Cell] {
    let sides = cell.corners.map { corner -> Double in
      let distance = line.distance(to: corner)
      return abs(distance) < precision ? 0 : distance
    }
    guard sides.contains(where: { $0 > 0 }), sides.contains(where: { $0 < 0 }) else {
      return [cell]
    }
    return [1.0, -1.0].map { sign in
      var result = Cell(corners: [], lines: [])
      for index in cell.corners.indices {
        let next = (index + 1) % cell.corners.count
        let (own, following) = (sides[index] * sign, sides[next] * sign)
        if own >= 0 {
          result.corners.append(cell.corners[index])
          // From the last corner of this side the cut goes on.
          result.lines.append(own == 0 && following < 0 ? number : cell.lines[index])
        }
        if own * following < 0 {
          let share = own / (own - following)
          let point = cell.corners[index] + (cell.corners[next] - cell.corners[index]) * share
          result.corners.append(point)
          result.lines.append(own > 0 ? number : cell.lines[index])
        }
      }
      return result
    }
  }

  /// Finds the cells on both sides of each piece of a line.
  private mutating func connect() {
    struct Half {
      var line: Int
      var range: ClosedRange<Double>
      var cell: Int
      var isLeft: Bool
    }
    var halves: [Half] = []
    for (number, cell) in cells.enumerated() {
      for index in cell.corners.indices where cell.lines[index] >= 0 {
        let line = lines[cell.lines[index]]
        let a = line.coordinate(of: cell.corners[index])
        let b = line.coordinate(of: cell.corners[(index + 1) % cell.corners.count])
        // A counterclockwise cell is on the left of its sides.
        halves.append(
          Half(line: cell.lines[index], range: min(a, b)...max(a, b), cell: number, isLeft: b > a))
      }
    }
    let sorted = halves.sorted {
      ($0.line, $0.range.lowerBound + $0.range.upperBound, $0.cell)
        < ($1.line, $1.range.lowerBound + $1.range.upperBound, $1.cell)
    }
    for (one, other) in zip(sorted, sorted.dropFirst())
    where one.line == other.line && one.isLeft != other.isLeft
      && abs(one.range.lowerBound - other.range.lowerBound) < 1e-4
      && abs(one.range.upperBound - other.range.upperBound) < 1e-4
    {
      edges.append(
        Edge(
          line: one.line, range: one.range, left: one.isLeft ? one.cell : other.cell,
          right: one.isLeft ? other.cell : one.cell))
    }
  }
}
