import MeshpipeScene
import POSIX

/// Puts the openings that the faces of walls show into the walls.
struct WallOpenings {
  private(set) var walls: [Building.Wall] = []

  /// Openings of both faces whose middles are this near are one, in metres.
  private static let sameWithin = 0.4
  /// Doors reach the floor and are up to this wide; what is wider is an opening.
  private static let (doorSill, widestDoor) = (0.25, 1.7)

  /// An opening in the coordinates of a wall.
  private struct Part {
    var found: FaceOpenings.Found
    var count = 1
    var middle: Double { (found.along.lowerBound + found.along.upperBound) / 2 }
  }

  init(_ found: ScanWalls, _ samples: [ScanSamples.Sample], _ level: StoreyLevels.Level) {
    var thicknesses = [Double?](repeating: nil, count: found.faces.count)
    for entry in found.walls where !entry.wall.thickness.isAssumed {
      for face in entry.faces { thicknesses[face] = entry.wall.thickness.value }
    }
    let known = thicknesses
    let rasters = Parallel.map(count: found.faces.count) { index in
      let side = found.faces[index].side
      return WallFaceRaster(
        PlanLine(from: side.from, to: side.to), length: side.length,
        height: level.ceiling - level.floor, floor: level.floor,
        thickness: known[index], samples)
    }
    var numbers: [Building.Opening.Kind: Int] = [:]
    for entry in found.walls {
      var wall = entry.wall
      let axis = PlanLine(from: wall.start, to: wall.end)
      var parts: [Part] = []
      for face in entry.faces where wall.bulge == 0 {
        for opening in FaceOpenings(rasters[face]).found {
          Self.add(opening, of: found.faces[face].side, axis, &parts)
        }
      }
      let length = (wall.end - wall.start).length
      parts = parts.filter { $0.middle > 0 && $0.middle < length }
      wall.openings = parts.sorted { $0.middle < $1.middle }.map { Self.opening($0, &numbers) }
      walls.append(wall)
    }
  }

  private static func add(
    _ opening: FaceOpenings.Found, of side: RoomOutline.Side, _ axis: PlanLine,
    _ parts: inout [Part]
  ) {
    let line = PlanLine(from: side.from, to: side.to)
    let ends = [opening.along.lowerBound, opening.along.upperBound].map {
      axis.coordinate(of: line.point(at: $0))
    }
    var own = opening
    own.along = min(ends[0], ends[1])...max(ends[0], ends[1])
    let part = Part(found: own)
    guard let twin = parts.firstIndex(where: { abs($0.middle - part.middle) < sameWithin }) else {
      parts.append(part)
      return
    }
    let before = parts[twin].found
    let count = Double(parts[twin].count)
    func mean(_ a: ClosedRange<Double>, _ b: ClosedRange<Double>) -> ClosedRange<Double> {
      let low = (a.lowerBound * count + b.lowerBound) / (count + 1)
      return low...max(low, (a.upperBound * count + b.upperBound) / (count + 1))
    }
    parts[twin].found.along = mean(before.along, own.along)
    parts[twin].found.heights = mean(before.heights, own.heights)
    parts[twin].found.kind = before.kind ?? own.kind
    parts[twin].count += 1
  }

  private static func opening(
    _ part: Part, _ numbers: inout [Building.Opening.Kind: Int]
  ) -> Building.Opening {
    let found = part.found
    let width = found.along.upperBound - found.along.lowerBound
    let sill = found.heights.lowerBound
    let kind = found.kind ?? (sill > doorSill ? .window : width > widestDoor ? .opening : .door)
    let number = numbers[kind, default: 0] + 1
    numbers[kind] = number
    let (along, upwards) = (found.deviations.x, found.deviations.y)
    return Building.Opening(
      name: "\(kind.rawValue)-\(number)", kind, at: part.middle,
      width: PlanUncertainty.dimension(width, between: along, and: along),
      sill: Building.Dimension(sill, uncertainty: PlanUncertainty.factor * upwards),
      height: PlanUncertainty.dimension(
        found.heights.upperBound - sill, between: upwards, and: sill > 0 ? upwards : 0.005))
  }
}
