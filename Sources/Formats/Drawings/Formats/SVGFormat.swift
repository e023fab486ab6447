package import MeshPipeline

/// A drawing that browsers show.
package enum SVGFormat: WritableFormat {
  package static let id = "svg"
  package static let name = "SVG drawing"
  package static let extensions = ["svg"]
  package typealias Options = DrawingOptions
  package static let keeps: Set<SceneFeature> = [.building, .sections]
  package static let axes = AxisConvention.declared
  package static let holdsProvenance = Provenance.Extent.full
  package static let remark = """
    A drawing to scale of what `section` cut, and of the buildings that a stage found: a plan of each storey, with dimensions, doors and areas. \
    Sheets are below one another in one file, whose size is that on paper, in millimetres. Each layer is a group of its name, \
    such as `A-WALL`, and texts are texts. Dimensions are in metres; areas are within the inner faces of walls.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    let drawing = try DrawingSet(of: scene, options, in: context, format: name)
    let metadata = context.provenance.map { "\(Provenance.key) \($0.text)" }
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write(
      SVGDrawing(drawing.sheets, title: drawing.title, metadata: metadata).text)
    try writer.finish()
  }
}
