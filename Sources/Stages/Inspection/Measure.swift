public import MeshPipeline
import SurfaceKernels

/// Measures the rooms, walls and openings of a building, and the area and volume of meshes.
public struct Measure: Stage {
  public static let otherNames = ["dimensions", "quantities", "takeoff", "volume", "room-area"]
  public static let summary =
    "Measures the rooms, walls and openings of a building, and the area and volume of meshes."
  public static let discussion = """
    Run `detect-rooms` first; without a building only the meshes are measured. Nothing changes.

    - **`storeys`** has, for each: `rooms` with area, perimeter, height and volume within inner faces, `walls` with length between \
    the corners of rooms, height, thickness and the area of one side with and without openings, and `openings` with width, \
    height and sill.
    - **How sure**: `uncertainty` is half of the interval that holds the truth with 95 % probability; what \
    was not measured is `assumed`.
    - **`meshes`** has the area of each, and the volume of those that are closed.

    All numbers are in metres. Conditions know the sums: `"expect": "floorArea > 50m2 and rooms == 3"`. Outputs whose names \
    end with `.measures.json` or `.measures.csv` have the same for programs and spreadsheets.
    """
  public static let example = #"""
    { "use": "measure", "expect": "floorArea > 10m2" }
    """#
  public static let figures =
    [
      SceneMeasure(figure: "floorArea", .area), SceneMeasure(figure: "roomVolume", .volume),
      SceneMeasure(figure: "wallArea", .area), SceneMeasure(figure: "lowestCeiling", .length),
    ] + ["rooms", "walls", "doors", "windows"].map { SceneMeasure(figure: $0, .count) }

  public typealias Parameters = NoParameters

  public init(_ parameters: NoParameters) {}

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    if !scene.buildings.isEmpty { report(scene.buildings.map(BuildingMeasures.init), to: context) }
    let unit = scene.coordinateSystem.metersPerUnit
    var meshes: [JSONValue] = []
    for (index, mesh) in scene.meshes.enumerated() where mesh.faceCount > 0 {
      meshes.append(Self.json(of: mesh, metersPerUnit: unit))
      try context.progress(Double(index + 1) / Double(scene.meshes.count))
    }
    if !meshes.isEmpty { context.note("meshes", JSONValue(.array(meshes))) }
    try context.progress(1)
    return scene
  }

  private func report(_ buildings: [BuildingMeasures], to context: StageContext) {
    let storeys = buildings.flatMap(\.storeys)
    let openings = storeys.flatMap(\.openings)
    let rooms = storeys.flatMap(\.rooms)
    let walls = storeys.flatMap(\.walls)
    context.note("floorArea", buildings.reduce(0) { $0 + $1.floorArea }.json(digits: 4))
    context.note("roomVolume", buildings.reduce(0) { $0 + $1.volume }.json(digits: 4))
    context.note("wallArea", walls.reduce(0) { $0 + $1.area }.json(digits: 4))
    if let lowest = rooms.map(\.height.value).min() {
      context.note("lowestCeiling", lowest.json(digits: 4))
    }
    context.note("rooms", rooms.count.json)
    context.note("walls", walls.count.json)
    context.note("doors", openings.count { $0.kind == .door }.json)
    context.note("windows", openings.count { $0.kind == .window }.json)
    context.note(
      "storeys", JSONValue(.array(buildings.flatMap { $0.json["storeys"]?.elements ?? [] })))
  }

  private static func json(of mesh: Mesh, metersPerUnit unit: Double) -> JSONValue {
    let health = MeshHealth(mesh)
    let area = mesh.area
    var members: [JSONValue.Member] = [
      .init("name", mesh.name.json), .init("faces", mesh.faceCount.json),
      .init("area", (area * unit * unit).json(digits: 6)),
    ]
    if health.isWatertight {
      members.append(.init("volume", (health.volume * unit * unit * unit).json(digits: 9)))
    }
    return JSONValue(.object(members))
  }
}
