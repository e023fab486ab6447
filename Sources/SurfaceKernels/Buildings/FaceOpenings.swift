import MeshpipeScene
import POSIX

/// The doors, windows and openings that a face of a wall shows.
///
/// A hole in the face is an opening if something shows that the scan is not just incomplete there: the sides of a recess at both of
/// its ends, or what closes it, behind the face or by its class. A hole behind which nothing was seen must be a rectangle with
/// wall all around.
struct FaceOpenings {
  /// A rectangle in a face.
  struct Found {
    var edges: OpeningEdges
    /// Nil if no class says it.
    var kind: Building.Opening.Kind?
    /// Nil if no sides of a recess were seen.
    var recess: RecessDepth?
    /// The height from which its own is counted.
    var floor = 0.0

    /// Counts heights from further below.
    mutating func raise(by height: Double) {
      floor += height
      edges.bottom.place += height
      edges.top.place += height
    }

    var along: ClosedRange<Double> { edges.along }
  }

  private(set) var found: [Found] = []

  /// In metres.
  private static let (leastWidth, mostWidth, leastHeight) = (0.4, 5.0, 0.4)
  private static let (leastDoor, doorSill) = (1.6, 0.2)
  /// The share of a rectangle that is closed by something, and that of the ring around it that is wall.
  private static let (leastFilling, leastRing) = (0.75, 0.25)
  /// The same for a hole behind which nothing was seen.
  private static let (sureFilling, sureRing, sureSize) = (0.95, 0.9, 0.6)
  /// The share of a rectangle between the sides of a recess that may be wall.
  private static let mostWall = 0.3

  private let face: WallFaceRaster
  private let px = WallFaceRaster.pixel

  init(_ face: WallFaceRaster) {
    self.face = face
    let isHole = face.wall.indices.map { !face.isWall($0) }
    let isClosed = isHole.indices.map { index in
      isHole[index] && face.behind[index] > 0.5
    }
    for region in regions(of: isClosed) {
      add(opening(region, isClosed, Self.leastFilling, Self.leastRing))
    }
    for pair in RecessSides(face).pairs { add(opening(pair, isHole)) }
    for region in regions(of: isHole)
    where 5 * region.count(where: { face.front[$0] > 0.3 }) < region.count {
      let hole = opening(region, isHole, Self.sureFilling, Self.sureRing)
      if let hole, hole.edges.width > Self.sureSize, hole.edges.height > Self.sureSize { add(hole) }
    }
  }

  /// Adds an opening unless a surer one is there.
  private mutating func add(_ opening: Found?) {
    guard let opening, !found.contains(where: { $0.along.overlaps(opening.along) }) else { return }
    found.append(opening)
  }

  /// Connected parts of a mask, by their pixels.
  private func regions(of mask: [Bool]) -> [[Int]] {
    var isDone = mask.map { !$0 }
    var result: [[Int]] = []
    for start in mask.indices where !isDone[start] {
      var region = [start]
      isDone[start] = true
      var next = 0
      while next < region.count {
        let (row, column) = (region[next] / face.columns, region[next] % face.columns)
        next += 1
        for (r, c) in [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        where 0..<face.rows ~= r && 0..<face.columns ~= c && !isDone[r * face.columns + c] {
          isDone[r * face.columns + c] = true
          region.append(r * face.columns + c)
        }
      }
      if region.count > 40 { result.append(region) }
    }
    return result
  }

  // MARK: Rectangles of pixels

  private struct Box {
    var columns: ClosedRange<Int>
    var rows: ClosedRange<Int>
  }

  private func opening(
    _ region: [Int], _ mask: [Bool], _ leastFilling: Double, _ leastRing: Double
  ) -> Found? {
    guard let box = box(of: region) else { return nil }
    let count = Double(box.rows.count * box.columns.count)
    let filling = share(box.columns, box.rows) { mask[$0] } ?? 0
    let isDoor = Double(box.rows.lowerBound) * px < Self.doorSill
    let (width, height) = (Double(box.columns.count) * px, Double(box.rows.count) * px)
    let leastHeight = isDoor ? Self.leastDoor : Self.leastHeight
    guard filling > leastFilling, filling * count > leastFilling * Double(region.count),
      width >= Self.leastWidth, width <= Self.mostWidth,
      height >= leastHeight - px
    else { return nil }
    let sides = ring(around: box)
    let ring = isDoor ? Array(sides.prefix(3)) : sides
    guard ring.reduce(0, +) > leastRing * Double(ring.count) else { return nil }
    func range(_ cells: ClosedRange<Int>) -> ClosedRange<Double> {
      px * Double(cells.lowerBound)...px * Double(cells.upperBound + 1)
    }
    return measured(
      along: range(box.columns), heights: range(box.rows), isDoor: isDoor, kind(of: region))
  }

  /// The rectangle of a region, without what sticks out of it.
  private func box(of region: [Int]) -> Box? {
    var columns = [Int](repeating: 0, count: face.columns)
    var rows = [Int](repeating: 0, count: face.rows)
    for index in region {
      columns[index % face.columns] += 1
      rows[index / face.columns] += 1
    }
    func core(_ counts: [Int]) -> ClosedRange<Int>? {
      let sorted = counts.filter { $0 > 0 }.sorted()
      guard !sorted.isEmpty else { return nil }
      let usual = sorted[sorted.count / 2]
      guard let first = counts.firstIndex(where: { 2 * $0 > usual }),
        let last = counts.lastIndex(where: { 2 * $0 > usual })
      else { return nil }
      return first...last
    }
    guard let width = core(columns), let height = core(rows) else { return nil }
    return Box(columns: width, rows: height)
  }

  /// The share of a rectangle's pixels for which something holds; nil if it has none.
  private func share(
    _ columns: ClosedRange<Int>, _ rows: ClosedRange<Int>, _ holds: (Int) -> Bool
  ) -> Double? {
    var (count, all) = (0, 0)
    for row in rows where 0..<face.rows ~= row {
      for column in columns where 0..<face.columns ~= column {
        all += 1
        if holds(row * face.columns + column) { count += 1 }
      }
    }
    return all > 0 ? Double(count) / Double(all) : nil
  }

  /// The shares of wall to the left, to the right, above and below a rectangle.
  private func ring(around box: Box) -> [Double] {
    let (c, r) = (box.columns, box.rows)
    return [
      share(c.lowerBound - 3...c.lowerBound - 2, r, face.isWall),
      share(c.upperBound + 2...c.upperBound + 3, r, face.isWall),
      share(c, r.upperBound + 2...r.upperBound + 3, face.isWall),
      share(c, r.lowerBound - 3...r.lowerBound - 2, face.isWall),
    ].map { $0 ?? 0 }
  }

  /// The opening at about the place of a rectangle.
  private func measured(
    along: ClosedRange<Double>, heights: ClosedRange<Double>, isDoor: Bool,
    _ kind: Building.Opening.Kind?
  ) -> Found {
    let edges = OpeningEdgeSearch(face, along: along, heights: heights, isDoor: isDoor).edges
    return Found(
      edges: edges, kind: kind,
      recess: RecessDepth(face, edges, isDoor: isDoor && kind != .window))
  }

  private func kind(of region: [Int]) -> Building.Opening.Kind? {
    let doors = region.count { face.kinds[$0] == .door }
    let windows = region.count { face.kinds[$0] == .window }
    guard 5 * max(doors, windows) > region.count else { return nil }
    return doors >= windows ? .door : .window
  }

  // MARK: Sides of recesses

  /// The opening between two sides of a recess, if there is no wall between them.
  private func opening(_ pair: RecessSides.Pair, _ isHole: [Bool]) -> Found? {
    func cells(_ range: ClosedRange<Double>) -> ClosedRange<Int> {
      let low = Int((range.lowerBound / px).rounded())
      return low...max(low, Int((range.upperBound / px).rounded()) - 1)
    }
    let box = Box(columns: cells(pair.along), rows: cells(pair.heights))
    let isDoor = pair.heights.lowerBound < Self.doorSill
    let height = pair.heights.upperBound - pair.heights.lowerBound
    guard let open = share(box.columns, box.rows, { isHole[$0] }), open > 1 - Self.mostWall,
      height > (isDoor ? Self.leastDoor : Self.leastHeight),
      Self.leastWidth...Self.mostWidth ~= pair.along.upperBound - pair.along.lowerBound
    else { return nil }
    let region = box.rows.flatMap { row in
      box.columns.compactMap { column in
        0..<face.rows ~= row && 0..<face.columns ~= column ? row * face.columns + column : nil
      }
    }
    return measured(along: pair.along, heights: pair.heights, isDoor: isDoor, kind(of: region))
  }
}
