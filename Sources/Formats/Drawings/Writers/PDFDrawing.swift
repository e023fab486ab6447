import MeshPipeline
import NativeLibraries
import POSIX

/// Sheets as pages of a PDF, to scale.
struct PDFDrawing {
  private let document: PDFDocument
  private let remarks: [String]

  /// Points in a millimetre.
  private static let unit = 72 / 25.4
  /// Of dashed lines, in millimetres.
  private static let dash = 2.0
  private static let dashGap = 1.2
  /// Of chords from arcs that are dashed, in millimetres.
  private static let roundness = 0.01

  /// - Parameter remarks: Lines of comments at the end, in ASCII.
  init(title: String, remarks: [String]) throws(NativeLibraryError) {
    self.remarks = remarks
    // Titles have an encoding of their own, which is that of texts for the letters of Latin-1 alone.
    let letters = title.unicodeScalars.map { $0.value <= 0xFF ? Character($0) : "?" }
    document = try PDFDocument(title: String(letters))
  }

  /// The file with these pages.
  func bytes(of sheets: [DrawingSheet]) throws(NativeLibraryError) -> [UInt8] {
    for sheet in sheets {
      document.addPage(size: sheet.paper * Self.unit)
      for element in sheet.drawing.elements { draw(element, sheet) }
    }
    return Self.adding(remarks, to: try document.finish())
  }

  /// Puts comments before the last lines, which readers look for at the end and which count from the beginning.
  private static func adding(_ remarks: [String], to file: [UInt8]) -> [UInt8] {
    let mark = Array("startxref".utf8)
    guard !remarks.isEmpty,
      let end = file.indices.dropLast(mark.count - 1).last(where: {
        file[$0..<$0 + mark.count].elementsEqual(mark)
      })
    else { return file }
    let comments = remarks.map { "% \($0)\n" }.joined()
    return file[..<end] + Array(comments.utf8) + file[end...]
  }

  private func draw(_ element: Drawing.Element, _ sheet: DrawingSheet) {
    let layer = element.layer
    let color = SIMD3<Double>(
      Double(layer.color.red), Double(layer.color.green), Double(layer.color.blue))
    document.setPen(color / 255, width: Double(layer.lineWeight) / 100 * Self.unit)
    func stroke(_ paths: [DrawingPath]) {
      let shown = layer.isDashed ? paths.flatMap { Self.dashes(of: $0, sheet) } : paths
      guard shown.contains(where: { $0.points.count > 1 }) else { return }
      for path in shown { add(path, sheet) }
      document.strokePath()
    }
    switch element.shape {
    case .line(let path): stroke([path])
    case .block(let block): stroke(block.paths)
    case .region(let paths):
      guard paths.contains(where: { $0.points.count > 1 }) else { return }
      for path in paths { add(path, sheet) }
      document.fillPath()
    case .text(let text): write(text, sheet)
    case .picture(let picture):
      document.draw(
        jpeg: picture.bytes, at: place(picture.low, sheet),
        size: (picture.high - picture.low) / sheet.scale * Self.unit)
    case .dimension(let dimension):
      let shown = dimension.shown(scale: sheet.scale)
      stroke(shown.lines + shown.ticks)
      write(shown.text, sheet)
    }
  }

  private func place(_ point: SIMD2<Double>, _ sheet: DrawingSheet) -> SIMD2<Double> {
    sheet.onPaper(point) * Self.unit
  }

  private func add(_ path: DrawingPath, _ sheet: DrawingSheet) {
    guard path.points.count > 1 else { return }
    document.move(to: place(path.points[0], sheet))
    for index in 0..<path.partCount {
      let part = path.part(index)
      if let arc = part.arc {
        add(arc, sheet)
      } else if !(path.isClosed && index == path.partCount - 1) {
        document.line(to: place(part.end, sheet))
      }
    }
    if path.isClosed { document.closePath() }
  }

  /// Adds an arc as Bézier curves of at most an eighth of a circle, which leave it by less than a millionth of its radius.
  private func add(_ arc: PlanArc, _ sheet: DrawingSheet) {
    let count = max(1, Int((abs(arc.sweep) / (.pi / 4)).rounded(.up)))
    let step = arc.sweep / Double(count)
    let handle = 4.0 / 3 * tan(step / 4) * arc.radius
    for index in 0..<count {
      let from = SIMD2(angle: arc.start + Double(index) * step)
      let to = SIMD2(angle: arc.start + Double(index + 1) * step)
      let (start, end) = (arc.center + from * arc.radius, arc.center + to * arc.radius)
      document.curve(
        to: place(end, sheet), place(start + from.left * handle, sheet),
        place(end - to.left * handle, sheet))
    }
  }

  private func write(_ text: DrawingText, _ sheet: DrawingSheet) {
    let (c, s) = (cos(text.turn), sin(text.turn))
    let shift =
      switch text.alignment {
      case .left: 0.0
      case .center: text.width / 2
      case .right: text.width
      }
    let start = sheet.onPaper(text.position) - SIMD2(c, s) * shift
    document.write(
      text.string, at: start * Self.unit,
      size: text.height * DrawingText.sizePerHeight * Self.unit, cosine: c, sine: s)
  }

  /// The dashes of a line; versions of libharu differ in the type of their lengths.
  private static func dashes(of path: DrawingPath, _ sheet: DrawingSheet) -> [DrawingPath] {
    var points = path.flattened(tolerance: roundness * sheet.scale)
    if path.isClosed, let first = points.first { points.append(first) }
    let lengths = [dash * sheet.scale, dashGap * sheet.scale]
    var dashes: [DrawingPath] = []
    var (isDash, left) = (true, lengths[0])
    var current: [SIMD2<Double>] = points.first.map { [$0] } ?? []
    for (from, to) in zip(points, points.dropFirst()) {
      var position = from
      while true {
        let rest = to - position
        let length = rest.length
        if length <= left {
          left -= length
          if isDash { current.append(to) }
          break
        }
        position += rest * (left / length)
        if isDash {
          dashes.append(DrawingPath(current + [position]))
        }
        isDash.toggle()
        current = isDash ? [position] : []
        left = lengths[isDash ? 0 : 1]
      }
    }
    if isDash, current.count > 1 { dashes.append(DrawingPath(current)) }
    return dashes
  }
}
