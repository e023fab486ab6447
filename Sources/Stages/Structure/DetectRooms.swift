public import MeshPipeline
import SurfaceKernels

/// Finds the storeys, rooms, walls and openings of a building.
public struct DetectRooms: Stage {
  public static let otherNames = [
    "floor-plan", "rooms", "detect-walls", "find-rooms", "find-walls", "scan-to-bim", "building",
  ]
  public static let summary = "Finds the storeys, rooms, walls and openings of a building."
  public static let discussion = """
    Makes a building of a scan, for drawings and models of it: storeys, rooms as polygons, walls with thickness, openings with sill \
    and height, stairs, and furniture as boxes. The scan itself stays as it is.

    - **From RoomPlan** (`from=room`, and by default if the scan has a room): the phone's walls, doors, windows and furniture with \
    the numbers that it gave. Walls that close a loop make a room. RoomPlan knows no thickness of walls: they are \
    `wallThickness` thick, behind the surface that the phone saw, and on both sides of it between two rooms.

    - **From meshes** (`from=scan`, and by default without a room): heights at which much is level are floors and ceilings. What \
    stands upright between them lies on lines, which become parallel, perpendicular or diagonal to each other where they are so \
    within their uncertainty. The lines cut each storey into cells, and those with floor or ceiling are in rooms: a minimal cut \
    follows walls and bridges what the scan does not show (as Ochmann and others 2019). Faces that look away from each other are the two sides of a wall, whose \
    thickness is measured; of walls of which one face was seen, an open doorway shows the thickness by its sides, and the others are \
    `wallThickness` thick, or as thick as a recess in them is deep. Runs of short walls on a circle are a round \
    one, in which openings are looked for along the arc. Doors and windows are holes with a recess, with something behind them in the wall, or of ARKit's class; a part of a wall \
    that is just missing is none. Their edges are the sides of the recess, or where the wall ends. Boxes around what stands in rooms are furniture; where the height of their top changes or a gap is between them, those that touch \
    are taken apart.

    - **Stairs and steps** of scans: level treads, each one rise (12 to 22 cm) higher and one going (18 to 40 cm) further than \
    the one before, are a flight of stairs, and a landing joins two. Winders, whose treads turn, are none, nor are fewer than three rises. Floors too near above \
    each other for people to stand between them are of one storey: rooms half a storey higher, or beyond a step in the floor from wall to wall, along the \
    axes of the plan, have a floor of their own.

    The scan must be upright, its faces must look to where people are, and an object without a floor and walls has no plan: a warning says so. \
    Classes help (`classify-planes` is not needed). Where the scan ends without a wall, the room ends.

    Axes of the plan follow most of the walls. North is that of the map of the scan, as of a LAS file, or of the compass, if at least three \
    photographs say where they looked (`GPSImgDirection` in EXIF) and two thirds of them agree; otherwise it is unknown, unless `north` tells it. What was not measured is listed under `assumptions`, and dimensions have an \
    uncertainty, the half of the interval that holds the truth with 95 % probability; assumed ones have none.

    The report names each room with area, height and floor above that of its storey, stairs with the number and size of their steps, and each wall with length, thickness and openings, in metres. A building moves along with later \
    stages that move the scene, but is not found again.
    """
  public static let example = #"""
    { "use": "detect-rooms", "with": { "wallThickness": "12cm" } }
    """#
  public static let dataFlow = StageDataFlow(makes: [.building])
  public static let relativeCost = 2.0

  public struct Parameters: StageParameters {
    @Parameter("Source of the building: RoomPlan's room or the scan.")
    public var from = Source.auto

    @Parameter("Thickness of walls of which no second face was seen.", in: 0.01...2)
    public var wallThickness = Length(meters: 0.1)

    @Parameter(
      "Compass bearing of what is at the top of the plan, clockwise from north; by default from the map of the scan or the compass of the photographs, if they know it.",
      in: .degrees(-360...360))
    public var north: Angle? = nil

    public init() {}
  }

  /// What a building is made of.
  public enum Source: String, CaseIterable, ParameterValue {
    /// The room if there is one, otherwise the scan.
    case auto
    /// The room that a phone found.
    case room
    /// Meshes.
    case scan
  }

  /// Why there is no building.
  public enum Failure: StageFailure, Equatable {
    /// The scan has no room.
    case noRoom
    /// No wall of the room is upright.
    case noWalls
    /// The scan has more surface than any building of which a phone makes a scan, in square metres.
    case tooLarge(area: Double)

    public var message: String {
      switch self {
      case .tooLarge(let area):
        "the scan has \(NumberText.fixed(area / 10_000, digits: 0)) hectares of surface, more than a building; check its unit (--input-unit mm for millimetres), or crop it"
      case .noRoom:
        "the scan has no room; name a file of RoomPlan with --room, or use \"from\": \"scan\""
      case .noWalls: "the room has no upright wall, so that there is no plan; check the up axis"
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func expectedMemory(for scene: PlannedScene) -> Int { 40 * scene.faceCount }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    if let room = scene.room, parameters.from != .scan {
      scene.buildings = [try building(of: room, in: scene.coordinateSystem, context)]
    } else if parameters.from == .room {
      throw Failure.noRoom
    } else if scene.faceCount > 0 {
      scene.buildings = try building(of: scene, context).map { [$0] } ?? []
    } else if scene.pointCount > 0 {
      context.warn("points alone have no plan; 'reconstruct-surface' makes a surface of them")
    }
    for index in scene.buildings.indices {
      scene.buildings[index].north = try Self.north(
        of: scene.buildings[index], in: scene, given: parameters.north, context)
      report(scene.buildings[index], to: context)
    }
    try context.progress(1)
    return scene
  }

  /// In square metres; the samples of more would take more than 4 GB.
  private static let mostArea = 40_000.0

  private func building(of scene: Scene, _ context: StageContext) throws -> Building? {
    let meters = scene.coordinateSystem.metersPerUnit
    let area = scene.meshes.reduce(0) { $0 + $1.area } * meters * meters
    guard area < Self.mostArea else { throw Failure.tooLarge(area: area) }
    let found = try ScanBuilding(
      scene.meshes, up: scene.coordinateSystem.up.vector,
      metersPerUnit: meters, thickness: parameters.wallThickness.meters
    ) { try context.progress(0.95 * $0) }
    switch found.reason {
    case .noFloor:
      context.warn(
        "there is no plan: no level floor with a ceiling or walls above it; an object has none, and a room must be upright, in its true size, and its faces must look inward"
      )
    case .noRoom:
      context.warn("there is no plan: the walls that were found enclose no room")
    case nil: break
    }
    return found.building
  }

  private func building(
    of room: Room, in system: CoordinateSystem, _ context: StageContext
  ) throws -> Building {
    let found = RoomBuilding(
      room, up: system.up.vector, metersPerUnit: system.metersPerUnit,
      thickness: parameters.wallThickness.meters)
    guard let building = found.building else { throw Failure.noWalls }
    if found.homelessOpenings > 0 {
      context.warn(
        "\(found.homelessOpenings) doors, windows or openings are in no wall, and were left out")
    }
    if building.storeys.allSatisfy(\.rooms.isEmpty) {
      context.warn("the walls enclose no room; ends of walls are more than 15 cm apart")
    }
    return building
  }
}
