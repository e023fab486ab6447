package import MeshPipeline

/// The options of outputs that are drawings.
package struct DrawingOptions: StageParameters {
  @Parameter(
    "Scale; by default the largest usual one, such as 1:50, at which all fits on A3 or on 'sheet'.",
    in: 1e-6...1000)
  package var scale: Scale? = nil

  @Parameter("Size of the sheets; by default the smallest on which all fits.")
  package var sheet: SheetSize? = nil

  @Parameter("Title of the sheets; by default the name of the input.")
  package var title = ""

  @Parameter("Write the uncertainty behind each dimension, as 3.412 ± 0.004.")
  package var uncertainties = false

  @Parameter(
    "Add a sheet for each storey with its walls seen from the front, in SVG and PDF over the texture of a textured scan."
  )
  package var elevations = false

  package init() {}

  var settings: SheetSettings {
    var settings = SheetSettings()
    settings.denominator = scale.map { 1 / $0.factor }
    settings.size = sheet
    settings.title = title
    settings.showsUncertainties = uncertainties
    settings.showsElevations = elevations
    return settings
  }
}

extension SheetSize: ParameterValue {}
