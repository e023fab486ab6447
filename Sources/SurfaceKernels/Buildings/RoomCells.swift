import MeshpipeBase
import MeshpipeScene
import POSIX

/// Tells which cells of an arrangement of wall lines are rooms, and which belong to the same one.
///
/// The cells in rooms are those of the cheapest division: each costs its area times how unlikely it is, and each piece of a border
/// its length where no wall was seen. So a border follows walls, and bridges what the scan does not show along their lines
/// (as in Ochmann and others, *Automatic reconstruction of fully volumetric 3D building models*, 2019).
struct RoomCells {
  /// The cost of a metre of border without a wall, in square metres.
  private static let borderCost = 0.3
  /// What is between two faces that look away from each other, at most this far apart, is a wall.
  private static let thickestWall = 0.45
  /// Walls beside a doorway are seen within this of it, in metres.
  private static let besides = 0.6
  /// In square metres.
  private static let leastRoom = 1.0

  let arrangement: LineArrangement
  /// The room of each cell; -1 for those in none.
  private(set) var rooms: [Int]
  private(set) var roomCount = 0

  init(
    _ arrangement: LineArrangement, _ coverage: [WallCoverage], _ raster: PlanRaster,
    _ steps: FloorSteps
  ) {
    self.arrangement = arrangement
    let support = arrangement.edges.map { edge in
      steps.isStep(line: edge.line) ? 0 : coverage[edge.line].support(edge.range)
    }
    let within = Self.withinWalls(arrangement, coverage)
    var cut = MinimumCut(count: arrangement.cells.count)
    for (number, cell) in arrangement.cells.enumerated() {
      let area = cell.area
      let share = within[number] ? 0 : raster.mean(cell.corners, raster.isInside)
      let isOuter = cell.lines.contains(-1)
      cut.addNode(number, ifOutside: isOuter ? 0 : area * share, ifInside: area * (1 - share))
    }
    for (edge, support) in zip(arrangement.edges, support) {
      let length = (edge.range.upperBound - edge.range.lowerBound) * Self.borderCost
      // A wall's face looks to the left, where its room is.
      cut.addPair(edge.left, edge.right, length * (1 - support), length)
    }
    let isInside = cut.solve()
    var sets = DisjointSets(count: arrangement.cells.count)
    for edge in arrangement.edges where isInside[edge.left] && isInside[edge.right] {
      let isBorder =
        steps.isStep(line: edge.line)
        ? steps.isStep(line: edge.line, edge.range)
        : coverage[edge.line].upperSupport(edge.range) >= 0.5
      if !isBorder { sets.join(edge.left, edge.right) }
    }
    let numbers = sets.numbered()
    var areas = [Double](repeating: 0, count: numbers.count)
    for (number, cell) in arrangement.cells.enumerated() {
      areas[Int(numbers.labels[number])] += cell.area
    }
    var names: [Int: Int] = [:]
    rooms = arrangement.cells.indices.map { cell in
      let set = Int(numbers.labels[cell])
      guard isInside[cell], areas[set] >= Self.leastRoom else { return -1 }
      let name = names[set] ?? names.count
      names[set] = name
      return name
    }
    roomCount = names.count
  }

  /// The cells between two faces of a wall, also where a door is in it.
  private static func withinWalls(
    _ arrangement: LineArrangement, _ coverage: [WallCoverage]
  ) -> [Bool] {
    arrangement.cells.map { cell in
      // The sides from behind of which the cell is seen.
      let backs = cell.corners.indices.compactMap { index -> (line: Int, seen: Bool)? in
        let number = cell.lines[index]
        guard coverage.indices.contains(number) else { return nil }
        let line = arrangement.lines[number]
        guard line.distance(to: cell.center) < 0 else { return nil }
        let a = line.coordinate(of: cell.corners[index])
        let b = line.coordinate(of: cell.corners[(index + 1) % cell.corners.count])
        let range = min(a, b) - besides...max(a, b) + besides
        return (number, coverage[number].support(range) > 0.35)
      }
      for one in backs where one.seen {
        for other in backs where other.seen && other.line > one.line {
          let (a, b) = (arrangement.lines[one.line], arrangement.lines[other.line])
          if a.direction.dot(b.direction) < -0.95, -a.distance(to: b.point) < thickestWall {
            return true
          }
        }
      }
      return false
    }
  }
}
