import POSIX

/// Lengths, areas and volumes of a building, in metres.
public struct BuildingMeasures: Sendable, Equatable {
  /// The measures of a storey.
  public struct Storey: Sendable, Equatable {
    /// Its name.
    public var name: String
    /// The height of its floor.
    public var elevation: Double
    /// From floor to ceiling.
    public var height: Building.Dimension
    /// Of the rooms together, within inner faces.
    public var floorArea: Double
    /// The rooms.
    public var rooms: [Room]
    /// The walls.
    public var walls: [Wall]
    /// Doors, windows and openings.
    public var openings: [Opening]
  }

  /// The measures of a room, within inner faces.
  public struct Room: Sendable, Equatable {
    /// Its name.
    public var name: String
    /// Of the floor.
    public var area: Building.Dimension
    /// Around the floor, and around what stands in the room.
    public var perimeter: Double
    /// From floor to ceiling.
    public var height: Building.Dimension
    /// Floor area times height.
    public var volume: Double
  }

  /// The measures of a wall.
  public struct Wall: Sendable, Equatable {
    /// Its name.
    public var name: String
    /// Of its face, between the corners of rooms.
    public var length: Building.Dimension
    /// From its lower to its upper end.
    public var height: Building.Dimension
    /// Between its faces.
    public var thickness: Building.Dimension
    /// Of one side, with openings.
    public var grossArea: Double
    /// Of one side, less openings.
    public var area: Double
    /// Of its body as cut at corners, less openings.
    public var volume: Double
  }

  /// The measures of a door, a window or an opening.
  public struct Opening: Sendable, Equatable {
    /// Its name.
    public var name: String
    /// What fills it.
    public var kind: Building.Opening.Kind
    /// The name of the wall that it is in.
    public var wall: String
    /// Along the wall.
    public var width: Building.Dimension
    /// From its lower to its upper edge.
    public var height: Building.Dimension
    /// From the floor to its lower edge.
    public var sill: Building.Dimension
    /// Width times height.
    public var area: Double
  }

  /// The storeys, the lowest first.
  public var storeys: [Storey]

  /// Measures a building.
  public init(_ building: Building) {
    storeys = building.storeys.map(Storey.init)
  }

  /// The floor area of all rooms.
  public var floorArea: Double { storeys.reduce(0) { $0 + $1.floorArea } }
  /// The volume of all rooms.
  public var volume: Double {
    storeys.reduce(0) { $0 + $1.rooms.reduce(0) { $0 + $1.volume } }
  }
}

extension BuildingMeasures.Storey {
  fileprivate init(_ storey: Building.Storey) {
    name = storey.name
    elevation = storey.elevation
    height = storey.height
    rooms = storey.rooms.map(BuildingMeasures.Room.init)
    floorArea = rooms.reduce(0) { $0 + $1.area.value }
    walls = zip(storey.walls, storey.wallOutlines).map(BuildingMeasures.Wall.init)
    openings = storey.walls.flatMap { wall in
      wall.openings.map { BuildingMeasures.Opening($0, in: wall) }
    }
  }
}

extension BuildingMeasures.Room {
  fileprivate init(_ space: Building.Space) {
    name = space.name
    area = space.area
    perimeter = space.outline.reduce(0) { sum, polygon in
      sum
        + zip(polygon, polygon.dropFirst() + polygon.prefix(1)).reduce(0) {
          $0 + ($1.1 - $1.0).length
        }
    }
    height = space.height
    volume = space.area.value * space.height.value
  }
}

extension BuildingMeasures.Wall {
  fileprivate init(_ wall: Building.Wall, outline: [SIMD2<Double>]) {
    name = wall.name
    (length, height, thickness) = (wall.length, wall.height, wall.thickness)
    grossArea = wall.length.value * wall.height.value
    // Only what is within the wall.
    let openings = wall.openings.reduce(0) { sum, opening in
      let low = max(opening.sill.value, wall.base)
      let high = min(opening.sill.value + opening.height.value, wall.base + wall.height.value)
      return sum + opening.width.value * max(0, high - low)
    }
    area = max(0, grossArea - openings)
    volume =
      abs(PolygonTriangulation.signedArea(of: outline)) * wall.height.value - openings
      * wall.thickness.value
  }
}

extension BuildingMeasures.Opening {
  fileprivate init(_ opening: Building.Opening, in wall: Building.Wall) {
    name = opening.name
    kind = opening.kind
    self.wall = wall.name
    (width, height, sill) = (opening.width, opening.height, opening.sill)
    area = opening.width.value * opening.height.value
  }
}
