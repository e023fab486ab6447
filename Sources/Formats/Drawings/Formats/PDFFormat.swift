package import MeshPipeline
import NativeLibraries

/// A drawing to print.
package enum PDFFormat: WritableFormat {
  package static let id = "pdf"
  package static let name = "PDF drawing"
  package static let extensions = ["pdf"]
  package typealias Options = DrawingOptions
  package static let keeps: Set<SceneFeature> = [.building, .sections]
  package static let axes = AxisConvention.declared
  package static let holdsProvenance = Provenance.Extent.full
  package static let remark = """
    The same sheets as in SVG, one on each page of A4 to A0, as vectors and to scale: print it at its actual size. Letters are those of Western \
    European languages; others become question marks, with a warning. It needs libharu.
    """

  package static func missing(for options: DrawingOptions) -> (any UserError)? {
    PDFDocument.fault
  }

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    let drawing = try DrawingSet(of: scene, options, in: context, format: name)
    warnOfLetters(in: drawing.sheets, context)
    let bytes = try PDFDrawing(
      title: drawing.title, remarks: context.provenance?.lines ?? []
    ).bytes(of: drawing.sheets)
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write(bytes)
    try writer.finish()
  }

  private static func warnOfLetters(in sheets: [DrawingSheet], _ context: WritingContext) {
    let texts = sheets.lazy.flatMap(\.drawing.elements).compactMap { element in
      if case .text(let text) = element.shape { text.string } else { nil }
    }
    guard let text = texts.first(where: { !PDFDocument.canShow($0) }) else { return }
    context.stage.warn(
      "PDF can't show all letters of '\(text)': question marks stand for them; SVG and DXF can")
  }
}
