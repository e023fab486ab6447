import MeshPipeline

/// Sheets as one SVG, one below the other, in millimetres of paper.
struct SVGDrawing {
  private(set) var text = ""
  /// Between sheets, in millimetres.
  private static let gap = 10.0

  /// - Parameter metadata: What made it, as text that is escaped already; nil to say nothing.
  init(_ sheets: [DrawingSheet], title: String, metadata: String?) {
    let width = sheets.map(\.paper.x).max() ?? 0
    let height =
      sheets.reduce(0) { $0 + $1.paper.y } + Self.gap * Double(max(0, sheets.count - 1))
    add(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.number(width))mm" height="\(Self.number(height))mm" \
      viewBox="0 0 \(Self.number(width)) \(Self.number(height))" \
      font-family="Helvetica, Arial, 'Liberation Sans', sans-serif" stroke-linecap="round" stroke-linejoin="round">
      """)
    add("<title>\(escapedForXML(title))</title>")
    if let metadata { add("<metadata>\(metadata)</metadata>") }
    var top = 0.0
    for (index, sheet) in sheets.enumerated() {
      add(
        "<g id=\"sheet-\(index + 1)\" class=\"sheet\" transform=\"translate(0 \(Self.number(top)))\">"
          + "<title>\(escapedForXML(sheet.title))</title>")
      add(
        "<rect class=\"paper\" width=\"\(Self.number(sheet.paper.x))\" height=\"\(Self.number(sheet.paper.y))\" "
          + "fill=\"#ffffff\"/>")
      for layer in sheet.drawing.layers { draw(layer, of: sheet, number: index + 1) }
      add("</g>")
      top += sheet.paper.y + Self.gap
    }
    add("</svg>")
  }

  private mutating func add(_ line: String) { text += line + "\n" }

  private static func number(_ value: Double) -> String {
    NumberText.trimmed(value, digits: 3)
  }

  private mutating func draw(_ layer: DrawingLayer, of sheet: DrawingSheet, number: Int) {
    let color = "#" + layer.color.hexadecimal
    let dashes = layer.isDashed ? " stroke-dasharray=\"2 1.2\"" : ""
    add(
      "<g id=\"sheet-\(number).\(layer.name)\" class=\"\(layer.name)\" stroke=\"\(color)\" "
        + "stroke-width=\"\(Self.number(Double(layer.lineWeight) / 100))\" fill=\"none\"\(dashes)>"
        + "<title>\(escapedForXML(layer.title))</title>")
    for element in sheet.drawing.elements where element.layer == layer {
      switch element.shape {
      case .line(let path): add("<path d=\"\(Self.data(path, sheet))\"/>")
      case .region(let paths):
        let data = paths.map { Self.data($0, sheet) }.joined()
        add("<path d=\"\(data)\" fill=\"\(color)\" fill-rule=\"evenodd\" stroke=\"none\"/>")
      case .text(let text): draw(text, color, sheet)
      case .picture(let picture): draw(picture, sheet)
      case .block(let block):
        let data = block.paths.map { Self.data($0, sheet) }.joined()
        add("<path class=\"\(block.block.name)\" d=\"\(data)\"/>")
      case .dimension(let dimension):
        let shown = dimension.shown(scale: sheet.scale)
        let data = (shown.lines + shown.ticks).map { Self.data($0, sheet) }.joined()
        add("<path class=\"dimension\" d=\"\(data)\"/>")
        draw(shown.text, color, sheet)
      }
    }
    add("</g>")
  }

  private mutating func draw(_ text: DrawingText, _ color: String, _ sheet: DrawingSheet) {
    let place = Self.place(text.position, sheet)
    let anchor =
      switch text.alignment {
      case .left: ""
      case .center: " text-anchor=\"middle\""
      case .right: " text-anchor=\"end\""
      }
    let turn =
      abs(text.turn) < 1e-9
      ? ""
      : " transform=\"rotate(\(Self.number(-text.turn * 180 / .pi)) \(place))\""
    let size = Self.number(text.height * DrawingText.sizePerHeight)
    let coordinates = place.split(separator: " ")
    add(
      "<text x=\"\(coordinates[0])\" y=\"\(coordinates[1])\" font-size=\"\(size)\" fill=\"\(color)\" "
        + "stroke=\"none\"\(anchor)\(turn)>\(escapedForXML(text.string))</text>")
  }

  private mutating func draw(_ picture: DrawingPicture, _ sheet: DrawingSheet) {
    let corner = Self.place(SIMD2(picture.low.x, picture.high.y), sheet).split(separator: " ")
    let size = (picture.high - picture.low) / sheet.scale
    add(
      "<image x=\"\(corner[0])\" y=\"\(corner[1])\" width=\"\(Self.number(size.x))\" "
        + "height=\"\(Self.number(size.y))\" preserveAspectRatio=\"none\" "
        + "href=\"data:image/jpeg;base64,\(URLText.base64(picture.bytes))\"/>")
  }

  /// On paper, from its upper left corner.
  private static func place(_ point: SIMD2<Double>, _ sheet: DrawingSheet) -> String {
    let position = sheet.onPaper(point)
    return "\(number(position.x)) \(number(sheet.paper.y - position.y))"
  }

  private static func data(_ path: DrawingPath, _ sheet: DrawingSheet) -> String {
    guard let first = path.points.first else { return "" }
    var data = "M" + place(first, sheet)
    for index in 0..<path.partCount {
      let part = path.part(index)
      if let arc = part.arc {
        let radius = number(arc.radius / sheet.scale)
        let isLarge = abs(arc.sweep) > .pi ? 1 : 0
        data +=
          "A\(radius) \(radius) 0 \(isLarge) \(arc.sweep > 0 ? 0 : 1) \(place(part.end, sheet))"
      } else if !(path.isClosed && index == path.partCount - 1) {
        data += "L" + place(part.end, sheet)
      }
    }
    return path.isClosed ? data + "Z" : data
  }
}
