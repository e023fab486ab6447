package import MeshPipeline

/// The measures of a building, as a table.
package enum MeasuresCSV: Format {
  package static let id = "measures-csv"
  package static let name = "Measures of a building as a table"
  package static let extensions = ["measures.csv"]
}

extension MeasuresCSV: WritableFormat {
  package static let keeps: Set<SceneFeature> = [.building]
  package static let axes = AxisConvention.declared
  package static let remark = """
    The same as .measures.json with a row for each room, wall, door, window and opening, for spreadsheets: end the file's name \
    with .measures.csv. Columns with `±` hold half of the interval that holds the truth with 95 % probability; they are \
    empty where a number is assumed.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    guard !scene.buildings.isEmpty else { throw NoBuilding(format: name) }
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write(line(columns))
    for building in scene.buildings {
      for storey in BuildingMeasures(building).storeys {
        for room in storey.rooms { try writer.write(line(row(of: room, in: storey))) }
        for wall in storey.walls { try writer.write(line(row(of: wall, in: storey))) }
        for opening in storey.openings { try writer.write(line(row(of: opening, in: storey))) }
      }
    }
    try writer.finish()
  }

  private static let columns = [
    "storey", "element", "name", "wall", "length (m)", "length ±", "width (m)", "width ±",
    "height (m)", "height ±", "sill (m)", "sill ±", "area (m²)", "area ±", "volume (m³)",
    "perimeter (m)",
  ]

  private typealias Storey = BuildingMeasures.Storey

  private static func row(of room: BuildingMeasures.Room, in storey: Storey) -> [String] {
    [storey.name, "room", room.name, "", "", "", "", ""] + cells(room.height) + ["", ""]
      + cells(room.area) + [cell(room.volume), cell(room.perimeter)]
  }

  private static func row(of wall: BuildingMeasures.Wall, in storey: Storey) -> [String] {
    [storey.name, "wall", wall.name, ""] + cells(wall.length) + cells(wall.thickness)
      + cells(wall.height) + ["", "", cell(wall.area), "", cell(wall.volume), ""]
  }

  private static func row(of opening: BuildingMeasures.Opening, in storey: Storey) -> [String] {
    [storey.name, opening.kind.rawValue, opening.name, opening.wall, "", ""]
      + cells(opening.width) + cells(opening.height) + cells(opening.sill)
      + [cell(opening.area), "", "", ""]
  }

  private static func cells(_ dimension: Building.Dimension) -> [String] {
    [cell(dimension.value), dimension.uncertainty.map(cell) ?? ""]
  }

  private static func cell(_ number: Double) -> String { NumberText.fixed(number, digits: 4) }

  /// A record (RFC 4180).
  private static func line(_ cells: [String]) -> String {
    cells.map { cell in
      let isPlain = !cell.contains { "\",\r\n".contains($0) }
      return isPlain ? cell : "\"\(cell.replacing("\"", with: "\"\""))\""
    }.joined(separator: ",") + "\r\n"
  }
}
