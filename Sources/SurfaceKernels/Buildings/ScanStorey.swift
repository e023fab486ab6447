import MeshpipeScene
import POSIX

/// One storey of a building, from the samples of a scan.
struct ScanStorey {
  private(set) var storey: Building.Storey
  /// Whether a room ends where the scan does.
  private(set) var hasOpenSides = false

  /// Faces within 20° of upright may be on walls.
  private static let upright = 0.35
  /// What stands in a room from floor to ceiling is a column if it is smaller than this, in square metres.
  private static let largestColumn = 1.0
  /// A wall this near to the border of the scan is the border, in metres.
  private static let borderGap = 0.4
  /// What tells a wall from furniture is above this share of the height.
  private static let (upperShare, upperShareWithoutCeiling) = (0.82, 0.65)

  private let samples: [ScanSamples.Sample]
  private let upright: [ScanSamples.Sample]
  private let level: StoreyLevels.Level

  /// - Parameters:
  ///   - all: The samples of the scan.
  ///   - thickness: Of walls with one face.
  init(
    _ all: [ScanSamples.Sample], _ level: StoreyLevels.Level, name: String, thickness: Double
  ) {
    self.level = level
    samples = all.filter {
      $0.position.z > level.floor - 0.2 && $0.position.z < level.ceiling + 0.2
    }
    upright = samples.filter {
      abs($0.normal.z) < Self.upright && $0.position.z > level.floor + 0.1
        && $0.position.z < level.ceiling - 0.03 && Self.mayBeWall($0.kind)
    }
    let height =
      level.hasCeiling
      ? PlanUncertainty.dimension(
        level.ceiling - level.floor, between: level.floorDeviation, and: level.ceilingDeviation)
      : Building.Dimension(level.ceiling - level.floor)
    storey = Building.Storey(name: name, elevation: level.floor, height: height)
    let outlines = outlines()
    guard !outlines.isEmpty else { return }
    storey.rooms = outlines.map(room)
    let walls = ScanWalls(outlines, thickness: thickness, heights: storey.rooms.map(\.height))
    hasOpenSides = outlines.contains { $0.loops.joined().contains(where: \.isOpen) }
    storey.walls = WallEnds(WallOpenings(walls, samples, level).walls).joined()
    RoomStorey.number(&storey.rooms)
    storey.columns = outlines.indices.flatMap { index in
      outlines[index].polygons.dropFirst().filter {
        -PolygonTriangulation.signedArea(of: $0) < Self.largestColumn
      }
      .map { Building.Column(outline: $0.reversed(), height: storey.rooms[index].height) }
    }
    storey.furniture =
      FurnitureBoxes(samples, level, rooms: outlines.compactMap(\.polygons.first)).pieces
  }

  /// Phones call much of a wall a window.
  private static func mayBeWall(_ kind: ScanClass) -> Bool {
    kind == .wall || kind == .none || kind == .window || kind == .door
  }

  /// The outlines of the rooms.
  private func outlines() -> [RoomOutline] {
    let share = level.hasCeiling ? Self.upperShare : Self.upperShareWithoutCeiling
    let upper = level.floor + share * (level.ceiling - level.floor)
    let found = WallLineSearch(upright, top: upper).lines
    let raster = PlanRaster(samples, level)
    let walls = WallRegularisation(found, upright).lines.map(\.line)
    guard walls.count > 1, !raster.pixels.isEmpty else { return [] }
    let borders = raster.borders.filter { border in
      !walls.contains {
        $0.direction.dot(border.direction) > 0.97
          && abs($0.distance(to: border.point)) < Self.borderGap
      }
    }
    let lines = walls + borders
    let coverage = Parallel.map(count: lines.count) { index in
      // Where the scan ends there is no wall.
      WallCoverage(
        lines[index], index < walls.count ? upright : [], floor: level.floor,
        ceiling: level.ceiling, upperFloor: upper)
    }
    let high =
      raster.low + SIMD2(Double(raster.columns), Double(raster.rows)) * PlanRaster.pixel
    let cells = RoomCells(
      LineArrangement(lines, low: raster.low, high: high), coverage, raster)
    return RoomOutline.all(of: cells).map { outline in
      var outline = outline
      // Doors and windows are behind the face of their wall.
      outline.simplify()
      outline.refine(
        upright.filter { $0.kind == .wall || $0.kind == .none }, above: upper)
      outline.markOpen(from: walls.count)
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
    let floor = mean(inner.filter { $0.normal.z > 0 }, near: level.floor)
    let ceiling = mean(inner.filter { $0.normal.z < 0 }, near: level.ceiling)
    let (low, high) = (floor?.height ?? level.floor, ceiling?.height ?? level.ceiling)
    let height =
      level.hasCeiling
      ? PlanUncertainty.dimension(
        high - low, between: floor?.deviation ?? level.floorDeviation,
        and: ceiling?.deviation ?? level.ceilingDeviation)
      : Building.Dimension(high - low)
    var room = Building.Space(
      name: "room", outline: polygons, height: height, area: outline.area)
    room.sides = outline.sideLengths
    room.base = low - level.floor
    return room
  }

  /// The mean height of level samples near one; nil if there are few.
  private func mean(
    _ samples: [ScanSamples.Sample], near start: Double
  ) -> (height: Double, deviation: Double)? {
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
    return (height, PlanUncertainty.deviation(spread: spread, area: area))
  }
}
