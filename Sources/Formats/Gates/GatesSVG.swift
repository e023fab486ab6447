package import MeshPipeline

/// What was measured at the gates of a capture, drawn over time.
package enum GatesSVG: Format {
  package static let id = "gates-svg"
  package static let name = "Capture gates"
  package static let extensions = ["gates.svg"]
}

extension GatesSVG: WritableFormat {
  package static let keeps: Set<SceneFeature> = [.gates]
  package static let axes = AxisConvention.declared
  package static let remark = """
    A picture of what `check-capture` measured: end the file's name with .gates.svg. Each gate has a plot of its values over \
    time, or over the frames if these have no times, with the limits of warning and failure as lines; values beyond them \
    are marked, with the frame's name as their title. Browsers show SVG.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write(GateChart(scene.gates).text)
    try writer.finish()
  }
}
