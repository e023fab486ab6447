import MeshpipeScene
import POSIX

/// A grid over a storey's plan, with what was seen above each of its pixels.
struct PlanRaster {
  /// What was seen above a pixel.
  struct Seen: OptionSet {
    let rawValue: UInt8
    /// What looks up: the floor, and tops of furniture.
    static let floor = Seen(rawValue: 1)
    static let ceiling = Seen(rawValue: 2)
    /// What looks down below the ceiling, as above a doorway.
    static let lintel = Seen(rawValue: 4)
    static let wall = Seen(rawValue: 8)
  }

  /// The edge of a pixel, in metres.
  static let pixel = 0.05
  /// Faces within 45° of level are so; noise turns them.
  private static let level = 0.7
  private static let reach = 0.15

  let low: SIMD2<Double>
  let columns: Int
  let rows: Int
  private(set) var pixels: [Seen]
  /// Whether enough of the ceiling was seen to tell rooms by it.
  private(set) var hasCeiling = false

  /// - Parameters:
  ///   - samples: Those of the level, without stairs.
  ///   - stairs: The steps of stairs that begin here: below them there is a floor, and above them often no ceiling.
  init(
    _ samples: [ScanSamples.Sample], _ level: StoreyLevels.Level, stairs: [[SIMD2<Double>]] = []
  ) {
    let first = samples.first?.plan ?? .zero
    let box = samples.reduce((first, first)) {
      (pointwiseMin($0.0, $1.plan), pointwiseMax($0.1, $1.plan))
    }
    low = box.0 - 0.5
    let size = (box.1 + 0.5 - low) / Self.pixel
    (columns, rows) = (Int(size.x) + 1, Int(size.y) + 1)
    guard columns * rows < 1 << 26 else {
      pixels = []
      return
    }
    pixels = [Seen](repeating: [], count: columns * rows)
    let head = level.floor + 1.8
    for sample in samples {
      let (rise, height) = (sample.normal.z, sample.position.z)
      var seen: Seen = []
      if rise > Self.level, height < head, height > level.floor - Self.reach {
        seen = level.others.contains { abs($0 - height) < Self.reach } ? [] : .floor
      } else if rise < -Self.level,
        height > level.ceiling - Self.reach
          || level.ceilings.contains(where: { abs($0 - height) < Self.reach })
      {
        seen = level.hasCeiling ? .ceiling : .lintel
      } else if rise < -Self.level, height > head {
        seen = .lintel
      } else if abs(rise) < 0.5 {
        seen = .wall
      }
      if let place = place(of: sample.plan) { pixels[place].formUnion(seen) }
    }
    close()
    for step in stairs { fill(step, with: [.floor, .ceiling]) }
    let floors = pixels.count { $0.contains(.floor) }
    hasCeiling = 2 * pixels.count { $0.contains(.ceiling) } > floors
  }

  /// Adds to the pixels of a convex polygon.
  private mutating func fill(_ polygon: [SIMD2<Double>], with seen: Seen) {
    for index in places(in: polygon) { pixels[index].formUnion(seen) }
  }

  func place(of point: SIMD2<Double>) -> Int? {
    let cell = ((point - low) / Self.pixel).rounded(.down)
    guard cell.x >= 0, cell.y >= 0, cell.x < Double(columns), cell.y < Double(rows) else {
      return nil
    }
    return Int(cell.y) * columns + Int(cell.x)
  }

  func center(_ column: Int, _ row: Int) -> SIMD2<Double> {
    low + (SIMD2(Double(column), Double(row)) + 0.5) * Self.pixel
  }

  /// Fills gaps of a pixel between two others, where there is no wall.
  private mutating func close() {
    let before = pixels
    for row in 1..<max(rows - 1, 1) {
      for column in 1..<max(columns - 1, 1) where !before[row * columns + column].contains(.wall) {
        let index = row * columns + column
        let across = before[index - 1].intersection(before[index + 1])
        let along = before[index - columns].intersection(before[index + columns])
        pixels[index].formUnion(across.union(along).subtracting(.wall))
      }
    }
  }

  /// Lines along the axes around nearly all of what was seen of floor and ceiling, which look inwards.
  var borders: [PlanLine] {
    var (across, along) = ([Int](repeating: 0, count: columns), [Int](repeating: 0, count: rows))
    for index in pixels.indices where !pixels[index].isDisjoint(with: [.floor, .ceiling]) {
      across[index % columns] += 1
      along[index / columns] += 1
    }
    /// Where the first and last half per cent begin.
    func ends(_ counts: [Int]) -> (Int, Int) {
      let few = counts.reduce(0, +) / 200
      var (first, last, sum) = (0, counts.count, 0)
      while first < last, sum + counts[first] <= few {
        sum += counts[first]
        first += 1
      }
      sum = 0
      while last > first, sum + counts[last - 1] <= few {
        sum += counts[last - 1]
        last -= 1
      }
      return (first, last)
    }
    let (x, y) = (ends(across), ends(along))
    let from = low + SIMD2(Double(x.0), Double(y.0)) * Self.pixel
    let to = low + SIMD2(Double(x.1), Double(y.1)) * Self.pixel
    return [
      PlanLine(from, SIMD2(1, 0)), PlanLine(SIMD2(to.x, from.y), SIMD2(0, 1)),
      PlanLine(to, SIMD2(-1, 0)), PlanLine(SIMD2(from.x, to.y), SIMD2(0, -1)),
    ]
  }

  /// How likely a pixel is in a room.
  func isInside(_ index: Int) -> Double {
    let seen = pixels[index]
    if seen.contains(.ceiling) { return 1 }
    guard seen.contains(.floor) else { return 0 }
    if !hasCeiling { return seen.contains(.lintel) ? 0.4 : 1 }
    return seen.contains(.lintel) ? 0.1 : 0.6
  }

  /// The mean of a value over the pixels of a convex polygon, or around its centre if it has none.
  func mean(_ polygon: [SIMD2<Double>], _ value: (Int) -> Double) -> Double {
    let places = places(in: polygon)
    if !places.isEmpty {
      return places.reduce(0) { $0 + value($1) } / Double(places.count)
    }
    let middle = polygon.reduce(.zero, +) / Double(max(polygon.count, 1))
    return place(of: middle).map(value) ?? 0
  }

  /// The pixels whose centres are in a polygon.
  private func places(in polygon: [SIMD2<Double>]) -> [Int] {
    guard let first = polygon.first else { return [] }
    let bottom = polygon.reduce(first, pointwiseMin)
    let top = polygon.reduce(first, pointwiseMax)
    let from = ((bottom - low) / Self.pixel - 0.5).rounded(.up)
    let to = ((top - low) / Self.pixel - 0.5).rounded(.down)
    guard from.y <= to.y, from.x <= to.x else { return [] }
    var result: [Int] = []
    for row in max(0, Int(from.y))...max(0, min(rows - 1, Int(to.y))) {
      for column in max(0, Int(from.x))...max(0, min(columns - 1, Int(to.x)))
      where MeshpipeScene.isInside(center(column, row), of: polygon) {
        result.append(row * columns + column)
      }
    }
    return result
  }
}
