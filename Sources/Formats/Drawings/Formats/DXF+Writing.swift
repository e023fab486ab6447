package import MeshPipeline

extension DXF: WritableFormat {
  package typealias Options = DrawingOptions
  package static let keeps: Set<SceneFeature> = [.building, .sections]
  package static let axes = AxisConvention.fixed(.blender)
  package static let holdsProvenance = Provenance.Extent.full
  package static let remark = """
    Written as a drawing of AutoCAD 2000, read as a model: plans and sections as in SVG, in metres, at the size of what they show. The first is where \
    the scene is, the others are to its right, each with its frame. Layers are named as by the AIA (`A-WALL`, `A-DOOR`); walls are closed polylines with a \
    filling, doors and windows blocks, dimensions are dimensions. Heights of texts are for the scale of the sheets.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    let drawing = try DrawingSet(
      of: scene, options, in: context, format: name, holdsPictures: false)
    let file = DXFDrawing(drawing.sheets, remarks: context.provenance?.lines ?? [])
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write(file.bytes)
    try writer.finish()
  }
}
