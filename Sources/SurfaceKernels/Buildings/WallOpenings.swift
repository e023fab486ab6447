import MeshpipeScene
import POSIX

/// Puts the openings that the faces of walls show into the walls.
struct WallOpenings {
  private(set) var walls: [Building.Wall] = []

  /// Openings of both faces whose middles are this near are one, in metres.
  private static let sameWithin = 0.4
  /// Doors reach the floor and are up to this wide; what is wider is an opening.
  private static let (doorSill, widestDoor) = (0.25, 1.7)

  /// - Parameters:
  ///   - samples: Those of the scan, without stairs.
  ///   - heights: Of each room, its floor and its ceiling.
  ///   - elevation: Of the storey.
  init(
    _ found: ScanWalls, _ samples: [ScanSamples.Sample], _ heights: [ClosedRange<Double>],
    elevation: Double, floorDeviation: Double
  ) {
    var thicknesses = [Double?](repeating: nil, count: found.faces.count)
    for entry in found.walls where !entry.wall.thickness.isAssumed {
      for face in entry.faces { thicknesses[face] = entry.wall.thickness.value }
    }
    let known = thicknesses
    let rasters = Parallel.map(count: found.faces.count) { index in
      let side = found.faces[index].side
      let room = heights[found.faces[index].room]
      let round = side.bulge == 0 ? nil : RoundWallFace(side.course, samples)
      return WallFaceRaster(
        round?.line ?? PlanLine(from: side.from, to: side.to), length: side.length,
        height: room.upperBound - room.lowerBound, floor: room.lowerBound,
        thickness: known[index], round?.samples ?? samples)
    }
    var numbers: [Building.Opening.Kind: Int] = [:]
    for entry in found.walls {
      var wall = entry.wall
      let axis = PlanLine(from: wall.start, to: wall.end)
      var parts: [FaceOpenings.Found] = []
      var recesses: [RecessDepth] = []
      for face in entry.faces {
        for opening in FaceOpenings(rasters[face]).found {
          if let recess = opening.recess { recesses.append(recess) }
          var own = opening
          own.raise(by: heights[found.faces[face].room].lowerBound - elevation)
          let side = found.faces[face].side
          guard side.bulge == 0 else {
            own.edges = RoundWallFace(side.course, []).edges(
              own.edges, length: wall.course.length)
            parts.append(own)
            continue
          }
          Self.add(own, of: side, axis, &parts)
        }
      }
      let length = wall.course.length
      parts = parts.filter { $0.edges.middle > 0 && $0.edges.middle < length }
      wall.openings = parts.sorted { $0.edges.middle < $1.edges.middle }.map {
        Self.opening($0, &numbers, floorDeviation)
      }
      let side = entry.faces.first.map { found.faces[$0].side.deviation } ?? 0
      Self.thicken(&wall, recesses, faceDeviation: side)
      walls.append(wall)
    }
  }

  /// Gives a wall of which one face was seen the thickness that its openings show, behind that face.
  private static func thicken(
    _ wall: inout Building.Wall, _ recesses: [RecessDepth], faceDeviation: Double
  ) {
    guard wall.thickness.isAssumed, wall.bulge == 0 else { return }
    let before = wall.thickness.value
    let whole = recesses.filter(\.isWhole).map(\.depth)
    if let first = whole.first {
      let depth = whole.dropFirst().reduce(first) { $0.joined($1) }
      wall.thickness = PlanUncertainty.dimension(
        depth.place, between: depth.deviation, and: faceDeviation)
    } else if let deepest = recesses.map(\.depth.place).max(), deepest > before {
      wall.thickness = Building.Dimension(deepest)
    }
    let line = PlanLine(from: wall.start, to: wall.end)
    let behind = line.direction.left * ((before - wall.thickness.value) / 2)
    (wall.start, wall.end) = (wall.start + behind, wall.end + behind)
  }

  private static func add(
    _ opening: FaceOpenings.Found, of side: RoomOutline.Side, _ axis: PlanLine,
    _ parts: inout [FaceOpenings.Found]
  ) {
    let line = PlanLine(from: side.from, to: side.to)
    func moved(_ edge: OpeningEdges.Edge) -> OpeningEdges.Edge {
      .init(place: axis.coordinate(of: line.point(at: edge.place)), deviation: edge.deviation)
    }
    var own = opening
    (own.edges.left, own.edges.right) = (moved(opening.edges.left), moved(opening.edges.right))
    if own.edges.left.place > own.edges.right.place { swap(&own.edges.left, &own.edges.right) }
    let twin = parts.firstIndex { abs($0.edges.middle - own.edges.middle) < sameWithin }
    guard let twin else {
      parts.append(own)
      return
    }
    parts[twin].edges = parts[twin].edges.joined(own.edges)
    parts[twin].kind = parts[twin].kind ?? own.kind
  }

  private static func opening(
    _ found: FaceOpenings.Found, _ numbers: inout [Building.Opening.Kind: Int],
    _ floorDeviation: Double
  ) -> Building.Opening {
    let (edges, sill) = (found.edges, found.edges.bottom)
    let kind =
      found.kind
      ?? (sill.place - found.floor > doorSill
        ? .window : edges.width > widestDoor ? .opening : .door)
    let number = numbers[kind, default: 0] + 1
    numbers[kind] = number
    return Building.Opening(
      name: "\(kind.rawValue)-\(number)", kind, at: edges.middle,
      width: PlanUncertainty.dimension(
        edges.width, between: edges.left.deviation, and: edges.right.deviation),
      sill: PlanUncertainty.dimension(sill.place, between: sill.deviation, and: floorDeviation),
      height: PlanUncertainty.dimension(
        edges.height, between: edges.top.deviation,
        and: sill.place > found.floor ? sill.deviation : floorDeviation))
  }
}
