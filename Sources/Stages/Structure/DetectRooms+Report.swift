import MeshPipeline

extension DetectRooms {
  /// Notes the parts of a building, storey by storey.
  func report(_ building: Building, to context: StageContext) {
    context.note("storeys", building.storeys.count.json)
    context.note("rooms", building.storeys.reduce(0) { $0 + $1.rooms.count }.json)
    let walls = building.storeys.flatMap(\.walls)
    context.note("walls", walls.count.json)
    let openings = walls.flatMap(\.openings)
    for kind in Building.Opening.Kind.allCases {
      context.note("\(kind.rawValue)s", openings.count { $0.kind == kind }.json)
    }
    if let north = building.north { context.note("north", Self.json(north)) }
    context.note("plan", JSONValue(.array(building.storeys.map(Self.json))))
    context.note(
      "assumptions", JSONValue(.array(building.assumptions.map { JSONValue(.string($0)) })))
  }

  /// The bearing of what is at the top of the plan, in degrees clockwise from north.
  private static func json(_ north: Building.North) -> JSONValue {
    func degrees(_ radians: Double) -> JSONValue { Angle(radians: radians).degrees.json(digits: 1) }
    var members = [JSONValue.Member("top", degrees(north.angle))]
    if let uncertainty = north.uncertainty {
      members.append(.init("uncertainty", degrees(uncertainty)))
    }
    let source =
      switch north.source {
      case .user: "given"
      case .photographs(let count, _): "compass of \(count) photographs"
      case .grid(let name): name
      }
    members.append(.init("source", JSONValue(.string(source))))
    return JSONValue(.object(members))
  }

  private static func json(_ storey: Building.Storey) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", JSONValue(.string(storey.name))),
      .init("elevation", storey.elevation.json(digits: 3)),
      .init("height", json(storey.height)),
      .init("rooms", JSONValue(.array(storey.rooms.map(json)))),
      .init("walls", JSONValue(.array(storey.walls.map(json)))),
    ]
    if !storey.columns.isEmpty { members.append(.init("columns", storey.columns.count.json)) }
    if !storey.stairs.isEmpty {
      members.append(.init("stairs", JSONValue(.array(storey.stairs.map(json)))))
    }
    if !storey.furniture.isEmpty {
      members.append(.init("furniture", JSONValue(.array(storey.furniture.map(json)))))
    }
    return JSONValue(.object(members))
  }

  private static func json(_ stair: Building.Stair) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("steps", stair.steps.count.json), .init("risers", stair.riserCount.json),
      .init("landings", stair.landings.count.json),
    ]
    for (name, size) in [("rise", stair.rise), ("going", stair.going), ("width", stair.width)] {
      if let size { members.append(.init(name, json(size))) }
    }
    return JSONValue(.object(members))
  }

  private static func json(_ room: Building.Space) -> JSONValue {
    JSONValue(
      .object([
        .init("name", JSONValue(.string(room.name))),
        .init("floor", room.base.json(digits: 3)),
        .init("squareMeters", json(room.area, digits: 2)),
        .init("height", json(room.height)),
        .init("corners", room.outline.reduce(0) { $0 + $1.count }.json),
      ]))
  }

  private static func json(_ wall: Building.Wall) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", JSONValue(.string(wall.name))),
      .init("length", json(wall.length)),
      .init("thickness", json(wall.thickness)),
      .init("height", json(wall.height)),
    ]
    if wall.isExterior { members.append(.init("isExterior", JSONValue(.bool(true)))) }
    if !wall.openings.isEmpty {
      members.append(.init("openings", JSONValue(.array(wall.openings.map(json)))))
    }
    return JSONValue(.object(members))
  }

  private static func json(_ opening: Building.Opening) -> JSONValue {
    JSONValue(
      .object([
        .init("name", JSONValue(.string(opening.name))),
        .init("position", opening.position.json(digits: 3)),
        .init("width", json(opening.width)),
        .init("sill", json(opening.sill)),
        .init("height", json(opening.height)),
      ]))
  }

  private static func json(_ piece: Building.Piece) -> JSONValue {
    JSONValue(
      .object([
        .init("category", JSONValue(.string(piece.category))),
        .init(
          "size",
          JSONValue(
            .array([piece.size.x, piece.size.y, piece.size.z].map { $0.json(digits: 2) }))),
      ]))
  }

  /// The value and its uncertainty; a value without one is assumed.
  private static func json(_ dimension: Building.Dimension, digits: Int = 3) -> JSONValue {
    var members = [JSONValue.Member("value", dimension.value.json(digits: digits))]
    if let uncertainty = dimension.uncertainty {
      members.append(.init("uncertainty", uncertainty.json(digits: digits)))
    }
    return JSONValue(.object(members))
  }
}
