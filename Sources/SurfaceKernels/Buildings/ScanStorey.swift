import MeshpipeScene
import POSIX

/// One storey of a building, from the samples of a scan.
struct ScanStorey {
  private(set) var storey: Building.Storey
  /// Whether a room ends where the scan does.
  private(set) var hasOpenSides = false

  /// What stands in a room from floor to ceiling is a column if it is smaller than this, in square metres.
  private static let largestColumn = 1.0
  /// Stairs begin on a floor of the storey within this, in metres.
  private static let stairReach = 0.1

  /// - Parameters:
  ///   - samples: Those of the scan, without stairs.
  ///   - stairs: Those that begin on this storey.
  ///   - thickness: Of walls with one face.
  init(
    _ samples: [ScanSamples.Sample], _ found: StoreyLevels.Storey,
    stairs: [StairSearch.Found], name: String, thickness: Double
  ) {
    let level = found.levels[0]
    let height =
      level.hasCeiling
      ? PlanUncertainty.dimension(
        level.ceiling - found.elevation, between: level.floorDeviation,
        and: level.ceilingDeviation)
      : Building.Dimension(level.ceiling - found.elevation)
    storey = Building.Storey(name: name, elevation: found.elevation, height: height)
    let levels = found.levels.map { level in
      let own = stairs.filter { stair in
        level.floors.contains { abs($0 - stair.foot) < Self.stairReach }
      }
      return ScanLevel(
        samples, level, elevation: found.elevation, stairs: own.flatMap(\.stair.steps))
    }
    let rooms = levels.flatMap(\.rooms)
    guard !rooms.isEmpty else { return }
    storey.rooms = rooms.map(\.room)
    let walls = ScanWalls(
      rooms.map(\.outline), thickness: thickness, rooms: rooms, elevation: found.elevation)
    hasOpenSides = rooms.contains { room in
      room.outline.loops.joined().contains { $0.isOpen && !$0.isStep }
    }
    storey.walls = WallEnds(
      WallOpenings(
        walls, samples, rooms.map(\.heights), elevation: found.elevation,
        floorDeviation: level.floorDeviation
      ).walls
    ).joined()
    RoomStorey.number(&storey.rooms)
    storey.columns = rooms.flatMap { found in
      found.outline.polygons.dropFirst().filter {
        -PolygonTriangulation.signedArea(of: $0) < Self.largestColumn
      }
      .map { Building.Column(outline: $0.reversed(), height: found.room.height) }
    }
    storey.furniture =
      levels.flatMap { level in FurnitureBoxes(level, elevation: found.elevation).pieces }
    storey.stairs = stairs.map { stair in
      var own = stair.stair
      own.base = stair.foot - found.elevation
      own.heights = own.heights.map { $0 + own.base }
      return own
    }
  }
}
