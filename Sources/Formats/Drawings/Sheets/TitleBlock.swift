import MeshPipeline
import POSIX

/// The frame of a sheet, and what stands below the drawing.
struct TitleBlock: Sendable {
  /// The title of all sheets.
  var title: String
  /// What the drawing was made of, and by what.
  var source: [String]
  var view: DrawingView
  var number = 1
  var count = 1

  init(title: String, source: [String]) {
    (self.title, self.source) = (title, source)
    view = DrawingView(title: "", low: .zero, high: .zero) { _ in Drawing() }
  }

  /// The shares of the width of title, scale and remarks.
  private static let shares = [0.36, 0.26, 0.38]
  private static let padding = 3.0
  private static let smallHeight = 1.6
  private static let longestBar = 45.0

  /// Lines and texts in millimetres of paper.
  private struct Paper {
    var drawing = Drawing()
    let origin: SIMD2<Double>
    let scale: Double

    func place(_ x: Double, _ y: Double) -> SIMD2<Double> { origin + SIMD2(x, y) * scale }

    mutating func line(_ from: SIMD2<Double>, _ to: SIMD2<Double>) {
      drawing.add(DrawingPath([place(from.x, from.y), place(to.x, to.y)]), on: .titleBlock)
    }

    mutating func text(
      _ string: String, _ x: Double, _ y: Double, _ height: Double,
      _ alignment: DrawingText.Alignment = .left, on layer: DrawingLayer = .titleBlock
    ) {
      guard !string.isEmpty else { return }
      drawing.add(
        DrawingText(string, at: place(x, y), height: height, alignment), on: layer)
    }
  }

  /// The frame and the strip of a sheet whose paper begins at a place of the drawing.
  func drawing(_ fit: SheetFit, origin: SIMD2<Double>) -> Drawing {
    var paper = Paper(origin: origin, scale: fit.metersPerMillimeter)
    let (border, strip) = (SheetFit.border, SheetFit.stripHeight)
    let size = fit.paper
    paper.drawing.add(
      .rectangle(
        paper.place(border, border), paper.place(size.x - border, size.y - border)),
      on: .titleBlock)
    let top = border + strip
    paper.line(SIMD2(border, top), SIMD2(size.x - border, top))
    let width = size.x - 2 * border
    let second = border + width * Self.shares[0]
    let third = second + width * Self.shares[1]
    for x in [second, third] { paper.line(SIMD2(x, border), SIMD2(x, top)) }
    addTitle(border + Self.padding, second - Self.padding, top, &paper)
    addScale(second + Self.padding, third - Self.padding, top, fit, &paper)
    addNotes(third + Self.padding, size.x - border - Self.padding, top, &paper)
    return paper.drawing
  }

  private func addTitle(_ left: Double, _ right: Double, _ top: Double, _ paper: inout Paper) {
    func cut(_ text: String, _ height: Double) -> String {
      DrawingText.lines(of: text, height: height, width: right - left, most: 1).first ?? ""
    }
    paper.text(cut(title, 4), left, top - 8, 4)
    paper.text(cut(view.title, 3), left, top - 15, 3)
    var y = top - 20.5
    let lines = source.flatMap {
      DrawingText.lines(of: $0, height: Self.smallHeight, width: right - left, most: 2)
    }
    for line in lines.prefix(4) {
      paper.text(line, left, y, Self.smallHeight)
      y -= 3
    }
  }

  private func addScale(
    _ left: Double, _ right: Double, _ top: Double, _ fit: SheetFit, _ paper: inout Paper
  ) {
    paper.text("Scale 1:\(JSONValue.text(of: fit.denominator))", left, top - 7, 3)
    paper.text("\(fit.size.name)  \(number)/\(count)", right, top - 7, 3, .right)
    let arrowSpace = view.north == nil ? 0 : 16.0
    addBar(left, top - 19, min(Self.longestBar, right - left - arrowSpace - 6), fit, &paper)
    if let north = view.north { addArrow(SIMD2(right - 6, top - 19), north, &paper) }
    paper.text("Dimensions in metres", left, top - 28.5, Self.smallHeight)
  }

  /// A bar of alternate parts, of a round length.
  private func addBar(
    _ left: Double, _ y: Double, _ longest: Double, _ fit: SheetFit, _ paper: inout Paper
  ) {
    let round = RoundNumber(atMost: longest * fit.metersPerMillimeter)
    let meters = round.value
    let length = meters / fit.metersPerMillimeter
    let parts = round.digit == 2 ? 4 : 5
    let part = length / Double(parts)
    for index in 0..<parts {
      let low = paper.place(left + Double(index) * part, y)
      let high = paper.place(left + Double(index + 1) * part, y + 1.5)
      if index.isMultiple(of: 2) {
        paper.drawing.add(region: [.rectangle(low, high)], on: .symbols)
      }
      paper.drawing.add(.rectangle(low, high), on: .symbols)
    }
    paper.text("0", left, y + 3, 1.8, .center, on: .symbols)
    let name =
      meters >= 1
      ? "\(JSONValue.text(of: meters)) m" : "\(JSONValue.text(of: (meters * 1000).rounded())) mm"
    paper.text(name, left + length, y + 3, 1.8, .center, on: .symbols)
  }

  private func addArrow(_ center: SIMD2<Double>, _ north: Double, _ paper: inout Paper) {
    let (c, s) = (cos(north), sin(north))
    func place(_ x: Double, _ y: Double) -> SIMD2<Double> {
      paper.place(center.x + c * x - s * y, center.y + s * x + c * y)
    }
    paper.drawing.add(
      region: [
        DrawingPath([place(0, 5.5), place(-2.2, -4), place(0, -2.6)], isClosed: true)
      ], on: .symbols)
    paper.drawing.add(
      DrawingPath(
        [place(0, 5.5), place(-2.2, -4), place(0, -2.6), place(2.2, -4)], isClosed: true),
      on: .symbols)
    let tip = SIMD2(center.x - s * 8, center.y + c * 8)
    paper.text("N", tip.x, tip.y - 1, 2, .center, on: .symbols)
  }

  private func addNotes(_ left: Double, _ right: Double, _ top: Double, _ paper: inout Paper) {
    var y = top - 4.5
    for line in noteLines(width: right - left) {
      paper.text(line, left, y, Self.smallHeight)
      y -= Self.noteStep
    }
  }

  /// Between the lines of remarks, in millimetres, and how many there is space for.
  private static let (noteStep, mostNotes) = (2.9, 10)

  /// Each remark on a line of its own, or all in one paragraph where they are too many.
  func noteLines(width: Double) -> [String] {
    func lines(_ text: String, most: Int) -> [String] {
      DrawingText.lines(of: text, height: Self.smallHeight, width: width, most: most)
    }
    let assumed =
      view.assumptions.isEmpty
      ? [] : ["Assumed: \(view.assumptions.joined(separator: "; "))."]
    let notes = view.notes + assumed
    let separate = notes.flatMap { lines($0, most: Self.mostNotes + 1) }
    guard separate.count > Self.mostNotes else { return separate }
    return lines(notes.joined(separator: " "), most: Self.mostNotes)
  }
}
