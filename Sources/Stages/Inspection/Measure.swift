public import MeshPipeline

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
    for figure in try SceneMeasurement(copy scene, in: context).figures {
      context.note(figure.key, figure.value)
    }
    try context.progress(1)
    return scene
  }
}
