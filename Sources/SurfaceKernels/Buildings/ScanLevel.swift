import MeshpipeScene
import POSIX

/// The rooms between a floor of a storey and its ceiling, from the samples of a scan.
struct ScanLevel {
  /// A room, and the walls around it.
  struct Found {
    var room: Building.Space
    var outline: RoomOutline
    /// Where its walls stand, and where its ceiling is.
    var heights: ClosedRange<Double>
  }

  private(set) var rooms: [Found] = []
  /// The samples of the level, without stairs.
  let samples: [ScanSamples.Sample]
  let level: StoreyLevels.Level

  /// Faces within 20° of upright may be on walls.
  private static let upright = 0.35
  /// A wall this near to the border of the scan is the border, in metres.
  private static let borderGap = 0.4
  /// What tells a wall from furniture is above this share of the height.
  private static let (upperShare, upperShareWithoutCeiling) = (0.82, 0.65)
  /// The floor of a room has at least this share of the largest level area in it: tables are above it.
  private static let leastFloor = 0.25
  /// Level areas that are more than this above the floor of the storey are furniture, in metres.
  private static let highestStep = 0.65
  /// Floors this near to that of the storey are the same, in metres.
  private static let sameFloor = 0.05

  private let upright: [ScanSamples.Sample]
  private let elevation: Double

  /// - Parameters:
  ///   - all: The samples of the scan, without stairs.
  ///   - elevation: Of the storey.
  ///   - stairs: The steps of stairs that begin here.
  init(
    _ all: [ScanSamples.Sample], _ level: StoreyLevels.Level, elevation: Double,
    stairs: [[SIMD2<Double>]]
  ) {
    (self.level, self.elevation) = (level, elevation)
    samples = all.filter {
      $0.position.z > level.floor - 0.2 && $0.position.z < level.ceiling + 0.2
        && !level.isElsewhere($0.plan)
    }
    upright = samples.filter {
      abs($0.normal.z) < Self.upright && $0.position.z > level.floor + 0.1
        && $0.position.z < level.ceiling - 0.03 && Self.mayBeWall($0.kind)
    }
    rooms = outlines(stairs).map { outline in
      let room = room(outline)
      let floor = abs(room.base) < Self.sameFloor ? elevation : elevation + room.base
      return Found(
        room: room, outline: outline, heights: floor...max(floor, level.ceiling))
    }
  }

  /// Phones call much of a wall a window.
  private static func mayBeWall(_ kind: ScanClass) -> Bool {
    kind == .wall || kind == .none || kind == .window || kind == .door
  }

  /// The outlines of the rooms.
  private func outlines(_ stairs: [[SIMD2<Double>]]) -> [RoomOutline] {
    let share = level.hasCeiling ? Self.upperShare : Self.upperShareWithoutCeiling
    // Furniture on a higher part of the floor goes up further.
    let highest = level.floors.filter { $0 < elevation + Self.highestStep }.max() ?? level.floor
    let upper = highest + share * (level.ceiling - highest)
    let found = WallLineSearch(upright, top: upper).lines
    let raster = PlanRaster(samples, level, stairs: stairs)
    var steps = FloorSteps(samples, level, raster)
    let walls = WallRegularisation(found, upright).lines.map(\.line)
    guard walls.count > 1, !raster.pixels.isEmpty else { return [] }
    let borders = raster.borders.filter { border in
      !walls.contains {
        $0.direction.dot(border.direction) > 0.97
          && abs($0.distance(to: border.point)) < Self.borderGap
      }
    }
    let coverage = Parallel.map(count: walls.count + borders.count) { index in
      // Where the scan ends there is no wall.
      WallCoverage(
        index < walls.count ? walls[index] : borders[index - walls.count],
        index < walls.count ? upright : [], floor: level.floor, ceiling: level.ceiling,
        upperFloor: upper)
    }
    steps.firstLine = walls.count + borders.count
    steps.align(with: walls, coverage)
    let floorSteps = steps
    let lines = walls + borders + steps.steps.map(\.line)
    let high =
      raster.low + SIMD2(Double(raster.columns), Double(raster.rows)) * PlanRaster.pixel
    let cells = RoomCells(
      LineArrangement(lines, low: raster.low, high: high), coverage, raster, floorSteps)
    return RoomOutline.all(of: cells).map { outline in
      var outline = outline
      // Doors and windows are behind the face of their wall.
      outline.markOpen(from: walls.count, floorSteps)
      outline.simplify()
      outline.refine(
        upright.filter { $0.kind == .wall || $0.kind == .none }, above: upper)
      outline.bend(upright)
      return outline
    }
  }

  /// A room with its own floor and ceiling.
  private func room(_ outline: RoomOutline) -> Building.Space {
    let polygons = outline.polygons
    let inner = samples.filter {
      abs($0.normal.z) > 0.8 && !polygons.isEmpty && isInside($0.plan, of: polygons[0])
    }
    let floor = floor(of: inner.filter { $0.normal.z > 0 })
    let (low, start) = (floor?.height ?? level.floor, level.ceiling)
    let down = inner.filter { $0.normal.z < 0 }
    let ceiling =
      mean(down, near: start)
      ?? level.ceilings.lazy.compactMap { mean(down, near: $0) }.first
    let high = ceiling?.height ?? level.ceiling
    let height =
      level.hasCeiling
      ? PlanUncertainty.dimension(
        high - low, between: floor?.deviation ?? level.floorDeviation,
        and: ceiling?.deviation ?? level.ceilingDeviation)
      : Building.Dimension(high - low)
    var room = Building.Space(
      name: "room", outline: polygons, height: height, area: outline.area)
    room.sides = outline.sideLengths
    room.base = low - elevation
    return room
  }

  /// The lowest of the floors of which enough is among samples.
  private func floor(
    of samples: [ScanSamples.Sample]
  ) -> (height: Double, deviation: Double)? {
    let found = level.floors.compactMap { mean(samples, near: $0) }
    guard let most = found.map(\.area).max() else { return nil }
    let lowest = found.first { $0.area >= Self.leastFloor * most }
    return lowest.map { ($0.height, $0.deviation) }
  }

  /// The mean height of level samples near one; nil if there are few.
  private func mean(
    _ samples: [ScanSamples.Sample], near start: Double
  ) -> (height: Double, deviation: Double, area: Double)? {
    var height = start
    var (area, spread) = (0.0, 0.0)
    for gate in [0.12, 0.06, 0.04] {
      var (sum, squares) = (0.0, 0.0)
      area = 0
      for sample in samples where abs(sample.position.z - height) < gate {
        let offset = sample.position.z - height
        sum += offset * sample.area
        squares += offset * offset * sample.area
        area += sample.area
      }
      guard area > 0.5 else { return nil }
      height += sum / area
      spread = max(squares / area - (sum / area) * (sum / area), 0).squareRoot()
    }
    return (height, PlanUncertainty.deviation(spread: spread, area: area), area)
  }
}
