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
    var along: ClosedRange<Double>
    var heights: ClosedRange<Double>
    /// Nil if no class says it.
    var kind: Building.Opening.Kind?
    /// Standard deviations along and upwards.
    var deviations: SIMD2<Double>
  }

  private(set) var found: [Found] = []

  /// In metres.
  private static let (leastWidth, mostWidth, leastHeight) = (0.4, 5.0, 0.4)
  private static let (leastDoor, doorSill) = (1.6, 0.2)
  /// The share of a rectangle that is closed by something, and that of the ring around it that is wall.
  private static let (leastFilling, leastRing) = (0.75, 0.25)
  /// The same for a hole behind which nothing was seen.
  private static let (sureFilling, sureRing, sureWidth) = (0.95, 0.9, 0.6)
  /// The share of a rectangle between the sides of a recess that may be wall.
  private static let mostWall = 0.3
  /// The deviations of an edge that the sides of a recess show, of one where wall ends, and of one where a filling does.
  private static let (jambDeviation, wallDeviation, fillingDeviation) = (0.007, 0.015, 0.025)

  private let face: WallFaceRaster
  private let px = WallFaceRaster.pixel

  init(_ face: WallFaceRaster) {
    self.face = face
    let isHole = face.wall.indices.map { !face.isWall($0) }
    let isClosed = isHole.indices.map { place in
      isHole[place] && face.behind[place] > 0.5
    }
    let jambs = RecessSides(face)
    for region in regions(of: isClosed) {
      add(opening(region, isClosed, Self.leastFilling, Self.leastRing).map { refined($0, jambs) })
    }
    for pair in jambs.pairs { add(opening(pair, isHole)) }
    for region in regions(of: isHole)
    where 5 * region.count(where: { face.front[$0] > 0.3 }) < region.count {
      let hole = opening(region, isHole, Self.sureFilling, Self.sureRing)
      if let hole, hole.along.upperBound - hole.along.lowerBound > Self.sureWidth { add(hole) }
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
    return measured(box, sides, isDoor: isDoor, kind(of: region))
  }

  /// The rectangle of a region, without what sticks out of it.
  private func box(of region: [Int]) -> Box? {
    var columns = [Int](repeating: 0, count: face.columns)
    var rows = [Int](repeating: 0, count: face.rows)
    for place in region {
      columns[place % face.columns] += 1
      rows[place / face.columns] += 1
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

  /// The edges of an opening: where the wall ends if it is there, otherwise where the pixels end.
  private func measured(
    _ box: Box, _ sides: [Double], isDoor: Bool, _ kind: Building.Opening.Kind?
  ) -> Found {
    let (c, r) = (box.columns, box.rows)
    let inner = r.count > 4 ? r.lowerBound + 1...r.upperBound - 1 : r
    let across = c.count > 4 ? c.lowerBound + 1...c.upperBound - 1 : c
    /// What is open of three pixels at an edge, as it mostly is along the edge: noise blurs it.
    func open(_ edge: ClosedRange<Int>, _ lines: ClosedRange<Int>, isUpwards: Bool) -> Double {
      let sums = lines.compactMap { line -> Double? in
        let places = edge.map { isUpwards ? (row: $0, column: line) : (row: line, column: $0) }
        guard places.allSatisfy({ 0..<face.rows ~= $0.row && 0..<face.columns ~= $0.column }) else {
          return nil
        }
        return places.reduce(0) { $0 + 1 - min(1, face.wall[$1.row * face.columns + $1.column]) }
      }
      return px * (sums.interpolatedMedian() ?? 1.5)
    }
    let isEnd = sides.map { $0 > 0.5 }
    func edge(_ first: Int) -> Double { px * Double(first) }
    let left =
      isEnd[0]
      ? edge(c.lowerBound + 1) - open(c.lowerBound - 2...c.lowerBound, inner, isUpwards: false)
      : edge(c.lowerBound)
    let right =
      isEnd[1]
      ? edge(c.upperBound) + open(c.upperBound...c.upperBound + 2, inner, isUpwards: false)
      : edge(c.upperBound + 1)
    let top =
      isEnd[2]
      ? edge(r.upperBound) + open(r.upperBound...r.upperBound + 2, across, isUpwards: true)
      : edge(r.upperBound + 1)
    let bottom =
      isDoor
      ? 0
      : isEnd[3]
        ? edge(r.lowerBound + 1) - open(r.lowerBound - 2...r.lowerBound, across, isUpwards: true)
        : edge(r.lowerBound)
    func deviation(_ isSharp: Bool) -> Double {
      isSharp ? Self.wallDeviation : Self.fillingDeviation
    }
    return Found(
      along: left...max(left, right), heights: bottom...max(bottom, top), kind: kind,
      deviations: SIMD2(deviation(isEnd[0] && isEnd[1]), deviation(isEnd[2] && isEnd[3])))
  }

  private func kind(of region: [Int]) -> Building.Opening.Kind? {
    let doors = region.count { face.kinds[$0] == .door }
    let windows = region.count { face.kinds[$0] == .window }
    guard 5 * max(doors, windows) > region.count else { return nil }
    return doors >= windows ? .door : .window
  }

  // MARK: Sides of recesses

  /// Moves the ends of an opening to the sides of its recess.
  private func refined(_ opening: Found, _ jambs: RecessSides) -> Found {
    var result = opening
    let left = jambs.place(near: opening.along.lowerBound, looksForward: true)
    let right = jambs.place(near: opening.along.upperBound, looksForward: false)
    guard let left, let right, right - left > Self.leastWidth else { return result }
    result.along = left...right
    result.deviations.x = Self.jambDeviation
    return result
  }

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
    var result = measured(box, ring(around: box), isDoor: isDoor, kind(of: region))
    result.along = pair.along
    // The wall around it may be missing above and below.
    func near(_ value: Double, _ other: Double) -> Double {
      abs(value - other) < 0.1 ? value : other
    }
    let low = isDoor ? 0 : near(result.heights.lowerBound, pair.heights.lowerBound)
    let high = near(result.heights.upperBound, pair.heights.upperBound)
    result.heights = low...max(low, high)
    result.deviations.x = Self.jambDeviation
    return result
  }
}
