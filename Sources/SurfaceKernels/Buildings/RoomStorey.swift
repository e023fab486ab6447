import MeshpipeScene
import POSIX

/// One storey of a building, from the walls, floors and furniture that a phone found on it.
struct RoomStorey {
  /// Gaps between walls of at most this are closed, in metres.
  private static let reach = 0.15
  /// Regions of less than this are between walls, in square metres.
  private static let leastArea = 0.4
  /// On which side of a wall there is floor is looked up this far from it, in metres.
  private static let sideProbe = 0.3
  /// A door or window without a known wall belongs to one at most this far from its middle, in metres.
  private static let openingReach = 0.3

  let elevation: Double
  let walls: [SurfaceWall]
  /// Doors, windows and openings that are in no wall.
  private(set) var homelessOpenings = 0
  private(set) var storey: Building.Storey

  private let floors: [[SIMD2<Double>]]
  private let graph: WallGraph
  private let thickness: Double
  private let uses: [(name: String, point: SIMD2<Double>)]

  /// - Parameters:
  ///   - inverse: From the scene to the building's axes.
  ///   - thickness: Of walls of which it is not known.
  init(
    name: String, _ parts: [Room.Part], walls: [SurfaceWall],
    uses: [(name: String, point: SIMD2<Double>)], inverse: Transform, thickness: Double
  ) {
    (self.walls, self.thickness, self.uses) = (walls, thickness, uses)
    let floorParts = parts.filter { $0.kind == .floor }.map { floor in
      floor.outline.map {
        (inverse * floor.placement).apply(toPoint: SIMD3($0.x, $0.y, 0))
      }
    }
    floors = floorParts.map { polygon in
      let flat = polygon.map { SIMD2($0.x, $0.y) }
      return PolygonTriangulation.signedArea(of: flat) < 0 ? flat.reversed() : flat
    }
    let ground = floorParts.joined().map(\.z).min() ?? walls.map(\.heights.lowerBound).min() ?? 0
    elevation = ground
    graph = WallGraph(
      walls.enumerated().flatMap { $1.segments($0) }, reach: Self.reach)
    let tops = walls.map { $0.heights.upperBound - ground }
    let height = tops.interpolatedMedian() ?? 0
    storey = Building.Storey(
      name: name, elevation: ground,
      height: RoomBuilding.dimension(height))
    addWalls(parts.filter(\.isInsert), inverse)
    addRooms()
    storey.furniture = parts.filter { $0.kind == .object }.map {
      Self.piece($0, inverse, ground: ground)
    }
  }

  // MARK: Walls

  /// On which sides of a wall there are rooms.
  private func rooms(besides index: Int) -> (left: Bool, right: Bool) {
    var sides = (left: false, right: false)
    for region in graph.regions {
      for side in region where side.wall == index {
        if side.isForward { sides.left = true } else { sides.right = true }
      }
    }
    return (
      sides.left || hasFloor(besides: index, left: Self.sideProbe),
      sides.right || hasFloor(besides: index, left: -Self.sideProbe)
    )
  }

  private func hasFloor(besides index: Int, left distance: Double) -> Bool {
    let (start, end) = walls[index].course.ends(movedLeft: distance)
    let beside = PlanCurve(from: start, to: end, bulge: walls[index].bulge)
    let places = [0.2, 0.5, 0.8].map { beside.point(at: $0) }
    return places.count { place in floors.contains { isInside(place, of: $0) } } >= 2
  }

  /// How far the centre line is to the left of the surface, and whether there is a room on each side.
  private func centre(of index: Int) -> (left: Double, isInner: Bool) {
    let half = (walls[index].thickness ?? thickness) / 2
    let rooms = rooms(besides: index)
    if rooms.left && rooms.right { return (0, true) }
    let hasRoomLeft = rooms.left == rooms.right ? walls[index].hasFrontLeft : rooms.left
    return (hasRoomLeft ? -half : half, false)
  }

  private mutating func addWalls(_ inserts: [Room.Part], _ inverse: Transform) {
    var numbers: [Building.Opening.Kind: Int] = [:]
    let owned = inserts.map { insert in (insert, owner(of: insert, inverse)) }
    homelessOpenings = owned.count { $0.1 == nil }
    let parallel = walls.indices.map { index in
      let (surface, line) = (walls[index], centre(of: index))
      let ends = surface.course.ends(movedLeft: line.left)
      let height = surface.heights.upperBound - surface.heights.lowerBound
      var wall = Building.Wall(
        name: "wall-\(index + 1)", from: ends.start, to: ends.end,
        thickness: surface.thickness.map { RoomBuilding.dimension($0) }
          ?? Building.Dimension(thickness),
        height: RoomBuilding.dimension(height), length: RoomBuilding.dimension(surface.length))
      wall.bulge = surface.bulge
      wall.base = surface.heights.lowerBound - elevation
      wall.isExterior = !line.isInner
      for (insert, owner) in owned where owner == index {
        let opening = self.opening(insert, in: wall, surface, inverse, &numbers)
        wall.openings.append(opening)
      }
      return wall
    }
    storey.walls = WallEnds(parallel).joined()
  }

  private func owner(of insert: Room.Part, _ inverse: Transform) -> Int? {
    if let parent = insert.parent,
      let named = walls.firstIndex(where: { $0.part.identifier == parent })
    {
      return named
    }
    let center = (inverse * insert.placement).translation
    let distances = walls.map { $0.distance(to: SIMD2(center.x, center.y)) }
    guard let least = distances.min(), least < Self.openingReach else { return nil }
    return distances.firstIndex(of: least)
  }

  private func opening(
    _ insert: Room.Part, in wall: Building.Wall, _ surface: SurfaceWall, _ inverse: Transform,
    _ numbers: inout [Building.Opening.Kind: Int]
  ) -> Building.Opening {
    let kind: Building.Opening.Kind =
      insert.kind == .door ? .door : insert.kind == .window ? .window : .opening
    let number = numbers[kind, default: 0] + 1
    numbers[kind] = number
    let center = (inverse * insert.placement).translation
    let sill = center.z - insert.size.y / 2 - elevation
    return Building.Opening(
      name: "\(kind.rawValue)-\(number)", kind,
      at: surface.course.share(of: SIMD2(center.x, center.y)) * wall.course.length,
      width: RoomBuilding.dimension(insert.size.x), sill: RoomBuilding.dimension(sill),
      height: RoomBuilding.dimension(insert.size.y))
  }

  // MARK: Rooms

  private mutating func addRooms() {
    let regions = graph.regions.filter {
      PolygonTriangulation.signedArea(of: $0.map(\.from)) > Self.leastArea
    }
    for region in regions {
      let heights = Set(region.map(\.wall)).sorted().map {
        walls[$0].heights.upperBound - walls[$0].heights.lowerBound
      }
      let outline = [self.outline(of: region)] + holes(in: region)
      add(outline, height: heights.interpolatedMedian() ?? storey.height.value)
    }
    // A floor on which walls close no room is one by its own outline.
    for floor in floors {
      let closed = storey.rooms.filter { room in
        let middle = room.outline[0].reduce(.zero, +) / Double(room.outline[0].count)
        return isInside(middle, of: floor)
      }
      let area = closed.reduce(0) { $0 + $1.area.value }
      if area < 0.3 * PolygonTriangulation.signedArea(of: floor) {
        add([floor], height: storey.height.value)
      }
    }
    Self.number(&storey.rooms)
  }

  private mutating func add(_ outline: [[SIMD2<Double>]], height: Double) {
    let area = outline.reduce(0) { $0 + PolygonTriangulation.signedArea(of: $1) }
    let use = uses.first { isInside($0.point, of: outline[0]) }
    var room = Building.Space(
      name: use?.name ?? "room", outline: outline, height: RoomBuilding.dimension(height),
      area: Building.Dimension(
        area, uncertainty: RoomBuilding.areaUncertainty(of: outline[0])))
    room.sides = outline[0].indices.map { index in
      let next = outline[0][(index + 1) % outline[0].count]
      return RoomBuilding.dimension((next - outline[0][index]).length)
    }
    storey.rooms.append(room)
  }

  /// Gives rooms of the same use numbers: `Bedroom 1`, `Bedroom 2`, `Bathroom`.
  static func number(_ rooms: inout [Building.Space]) {
    var counts: [String: Int] = [:]
    for room in rooms { counts[room.name, default: 0] += 1 }
    var numbers: [String: Int] = [:]
    for index in rooms.indices {
      let name = rooms[index].name
      let number = numbers[name, default: 0] + 1
      numbers[name] = number
      let title = name.prefix(1).uppercased() + name.dropFirst()
      rooms[index].name = counts[name] == 1 && name != "room" ? title : "\(title) \(number)"
    }
  }

  /// The inner faces of the walls around a region.
  private func outline(of region: [WallGraph.Side]) -> [SIMD2<Double>] {
    let faces = region.map { side -> PlanLine in
      let line = centre(of: side.wall)
      let half = line.isInner ? (walls[side.wall].thickness ?? thickness) / 2 : 0
      let wall = walls[side.wall]
      guard wall.bulge == 0 else { return PlanLine(from: side.from, to: side.to).moved(left: half) }
      let axis =
        side.isForward
        ? PlanLine(from: wall.course.start, to: wall.course.end)
        : PlanLine(from: wall.course.end, to: wall.course.start)
      return axis.moved(left: half)
    }
    return region.indices.flatMap { index -> [SIMD2<Double>] in
      let before = (index + region.count - 1) % region.count
      let node = region[index].from
      if region[index].wall == region[before].wall, walls[region[index].wall].bulge == 0 {
        return []
      }
      let (one, other) = (faces[before], faces[index])
      if let corner = one.crossing(other), (corner - node).length < 2 * (Self.reach + thickness) {
        return [corner]
      }
      let ends = [one, other].map { $0.point(at: $0.coordinate(of: node)) }
      return (ends[0] - ends[1]).length < 0.002 ? [ends[0]] : ends
    }
  }

  /// What stands in a region.
  private func holes(in region: [WallGraph.Side]) -> [[SIMD2<Double>]] {
    let around = region.map(\.from)
    return graph.outer.filter { loop in
      loop.allSatisfy { side in
        isInside((side.from + side.to) / 2, of: around)
          && !region.contains { $0.wall == side.wall }
      }
    }.map { $0.map(\.from) }
  }

  private static func piece(
    _ part: Room.Part, _ inverse: Transform, ground: Double
  ) -> Building.Piece {
    let placement = inverse * part.placement
    let center = placement.translation
    return Building.Piece(
      category: part.category, center: SIMD2(center.x, center.y),
      turn: SIMD2(placement.x.x, placement.x.y).angle,
      size: SIMD3(part.size.x, part.size.z, part.size.y),
      base: center.z - part.size.y / 2 - ground)
  }
}
