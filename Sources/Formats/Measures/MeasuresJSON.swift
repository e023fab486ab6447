package import MeshPipeline

/// The measures of a building, as JSON.
package enum MeasuresJSON: Format {
  package static let id = "measures-json"
  package static let name = "Measures of a building"
  package static let extensions = ["measures.json"]
}

extension MeasuresJSON: WritableFormat {
  package static let keeps: Set<SceneFeature> = [.building]
  package static let axes = AxisConvention.declared
  package static let remark = """
    Lengths, areas and volumes of the building that `detect-rooms` found, in metres, for programs: end the file's name with \
    .measures.json. Rooms are measured within inner faces, walls between the corners of rooms, wall areas on one side. \
    `uncertainty` is half of the interval that holds the truth with 95 % probability; what was not measured is `assumed`.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    guard !scene.buildings.isEmpty else { throw NoBuilding(format: name) }
    let buildings = scene.buildings.map { BuildingMeasures($0).json }
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write(
      JSONValue(.object([.init("buildings", JSONValue(.array(buildings)))])).prettyText)
    try writer.finish()
  }
}
