import MeshPipeline

/// What one sheet shows, before its scale is known.
struct DrawingView: Sendable {
  /// `Ground floor`, `Section 1.20 m`.
  var title: String
  /// What it fills, in metres, without dimensions.
  var low: SIMD2<Double>
  var high: SIMD2<Double>
  /// What dimensions need on each side, in millimetres.
  var margin = SIMD2<Double>.zero
  /// The direction of north, counterclockwise from the top, in radians; nil if unknown.
  var north: Double?
  /// Remarks for the title block, in sentences.
  var notes: [String] = []
  /// What was taken for granted, each without an end: `walls are 10 cm thick`.
  var assumptions: [String] = []
  /// Draws it, for the metres that a millimetre of paper stands for.
  var draw: @Sendable (_ scale: Double) -> Drawing
}

/// A sheet of paper with a drawing to scale, its frame and its title block.
struct DrawingSheet: Sendable {
  var title: String
  /// In millimetres.
  var paper: SIMD2<Double>
  /// The metres that a millimetre of paper stands for.
  var scale: Double
  /// The place in the drawing of the paper's lower left corner, in metres.
  var origin: SIMD2<Double>
  var drawing: Drawing

  /// Draws views, each on a sheet of its own, all at one scale.
  static func sheets(
    of views: [DrawingView], _ settings: SheetSettings, _ block: TitleBlock
  ) throws(SheetFit.Misfit) -> [DrawingSheet] {
    let fit = try SheetFit(views.map { ($0.high - $0.low, $0.margin) }, settings)
    let scale = fit.metersPerMillimeter
    return views.enumerated().map { index, view in
      // The middle of the drawing in the middle of what the frame leaves.
      let room = SIMD2(fit.paper.x, fit.paper.y + SheetFit.stripHeight)
      let origin = (view.low + view.high) / 2 - room / 2 * scale
      var drawing = view.draw(scale)
      var frame = block
      (frame.view, frame.number, frame.count) = (view, index + 1, views.count)
      drawing.append(frame.drawing(fit, origin: origin))
      return DrawingSheet(
        title: view.title, paper: fit.paper, scale: scale, origin: origin, drawing: drawing)
    }
  }

  /// The place on paper in millimetres, from the lower left, of one of the drawing.
  func onPaper(_ point: SIMD2<Double>) -> SIMD2<Double> { (point - origin) / scale }
}
