import MeshPipeline
import POSIX

/// The entities of sheets in a DXF file, and the blocks that they need.
struct DXFEntities {
  /// A block of one dimension, which programs show in place of their own.
  struct DimensionBlock {
    var name: String
    var record: String
    var contents: DXFText
  }

  private(set) var text = DXFText()
  private(set) var dimensionBlocks: [DimensionBlock] = []

  /// Where the line of a shape goes: what holds it, and the layer.
  private struct Place {
    var owner = DXFHandles.modelSpace
    var layer: String
    var offset: SIMD2<Double>
    var scale: Double
  }

  /// Adds what a sheet shows, moved by an offset.
  mutating func add(_ sheet: DrawingSheet, offset: SIMD2<Double>, _ handles: inout DXFHandles) {
    for element in sheet.drawing.elements {
      let place = Place(layer: element.layer.name, offset: offset, scale: sheet.scale)
      switch element.shape {
      case .line(let path): Self.add(path, place, to: &text, &handles)
      case .region(let paths): addHatch(paths, place, &handles)
      case .text(let string): Self.add(string, place, to: &text, &handles)
      case .block(let block): addInsert(block, place, &handles)
      case .dimension(let dimension): add(dimension, place, &handles)
      // DXF has pictures only as files beside it.
      case .picture: break
      }
    }
  }

  /// The lines of a symbol, for its block.
  static func contents(
    of block: DrawingBlock, owner: String, _ handles: inout DXFHandles
  ) -> DXFText {
    var text = DXFText()
    let place = Place(owner: owner, layer: block.layer.name, offset: .zero, scale: 1)
    for path in block.paths { add(path, place, to: &text, &handles) }
    return text
  }

  private static func begin(
    _ type: String, _ place: Place, _ text: inout DXFText, _ handles: inout DXFHandles
  ) {
    text.add(0, type)
    text.add(5, handles.make())
    text.add(330, place.owner)
    text.add(100, "AcDbEntity")
    text.add(8, place.layer)
  }

  private static func add(
    _ path: DrawingPath, _ place: Place, to text: inout DXFText, _ handles: inout DXFHandles
  ) {
    guard path.points.count > 1 else { return }
    if path.points.count == 2, !path.isClosed {
      let part = path.part(0)
      if let arc = part.arc {
        return add(arc, place, to: &text, &handles)
      }
      begin("LINE", place, &text, &handles)
      text.add(100, "AcDbLine")
      text.add(10, part.start + place.offset)
      return text.add(11, part.end + place.offset)
    }
    begin("LWPOLYLINE", place, &text, &handles)
    text.add(100, "AcDbPolyline")
    text.add(90, path.points.count)
    // Bit 128 lets dashes go around corners.
    text.add(70, (path.isClosed ? 1 : 0) + 128)
    text.add(43, 0.0)
    for (index, point) in path.points.enumerated() {
      text.add(10, point + place.offset, isFlat: true)
      if path.bulges.indices.contains(index), path.bulges[index] != 0 {
        text.add(42, path.bulges[index])
      }
    }
  }

  private static func add(
    _ arc: PlanArc, _ place: Place, to text: inout DXFText, _ handles: inout DXFHandles
  ) {
    begin("ARC", place, &text, &handles)
    text.add(100, "AcDbCircle")
    text.add(10, arc.center + place.offset)
    text.add(40, arc.radius)
    text.add(100, "AcDbArc")
    // Counterclockwise from the first angle to the second.
    let ends = [arc.start, arc.start + arc.sweep].sorted().map { angle -> Double in
      let degrees = (angle * 180 / .pi).truncatingRemainder(dividingBy: 360)
      return degrees < 0 ? degrees + 360 : degrees
    }
    text.add(50, ends[0])
    text.add(51, ends[1])
  }

  private static func add(
    _ string: DrawingText, _ place: Place, to text: inout DXFText, _ handles: inout DXFHandles
  ) {
    begin("TEXT", place, &text, &handles)
    text.add(100, "AcDbText")
    let position = string.position + place.offset
    text.add(10, position)
    text.add(40, string.height * place.scale)
    text.add(1, DXFText.encoded(string.string))
    text.add(50, string.turn * 180 / .pi)
    let alignment =
      switch string.alignment {
      case .left: 0
      case .center: 1
      case .right: 2
      }
    if alignment > 0 {
      text.add(72, alignment)
      text.add(11, position)
    }
    text.add(100, "AcDbText")
  }

  private mutating func addHatch(
    _ paths: [DrawingPath], _ place: Place, _ handles: inout DXFHandles
  ) {
    let paths = paths.filter { $0.points.count > 1 }
    guard !paths.isEmpty else { return }
    Self.begin("HATCH", place, &text, &handles)
    text.add(100, "AcDbHatch")
    text.add(10, SIMD2<Double>.zero)
    text.add(210, .zero, isFlat: true)
    text.add(230, 1.0)
    text.add(2, "SOLID")
    text.add(70, 1)
    text.add(71, 0)
    text.add(91, paths.count)
    for (index, path) in paths.enumerated() {
      text.add(92, index == 0 ? 3 : 2)
      let hasBulges = path.bulges.contains { $0 != 0 }
      text.add(72, hasBulges ? 1 : 0)
      text.add(73, 1)
      text.add(93, path.points.count)
      for (number, point) in path.points.enumerated() {
        text.add(10, point + place.offset, isFlat: true)
        if hasBulges { text.add(42, path.part(number).bulge) }
      }
      text.add(97, 0)
    }
    // Every other area from outside is filled.
    text.add(75, 0)
    text.add(76, 1)
    text.add(98, 0)
  }

  private mutating func addInsert(
    _ block: DrawingBlock.Reference, _ place: Place, _ handles: inout DXFHandles
  ) {
    Self.begin("INSERT", place, &text, &handles)
    text.add(100, "AcDbBlockReference")
    text.add(2, block.block.name)
    text.add(10, block.origin + place.offset)
    text.add(41, block.scale.x)
    text.add(42, block.scale.y)
    text.add(43, 1.0)
    text.add(50, block.turn * 180 / .pi)
  }

  private mutating func add(
    _ dimension: DrawingDimension, _ place: Place, _ handles: inout DXFHandles
  ) {
    let shown = dimension.shown(scale: place.scale)
    let name = "*D\(dimensionBlocks.count + 1)"
    let record = handles.make()
    var contents = DXFText()
    var inside = place
    inside.owner = record
    for path in shown.lines + shown.ticks { Self.add(path, inside, to: &contents, &handles) }
    Self.add(shown.text, inside, to: &contents, &handles)
    dimensionBlocks.append(DimensionBlock(name: name, record: record, contents: contents))

    Self.begin("DIMENSION", place, &text, &handles)
    text.add(100, "AcDbDimension")
    text.add(2, name)
    text.add(10, dimension.ends.1 + place.offset)
    let (c, s) = (cos(shown.text.turn), sin(shown.text.turn))
    let middle = shown.text.position + SIMD2(-s, c) * (shown.text.height / 2 * place.scale)
    text.add(11, middle + place.offset)
    // Rotated, with a block of its own, and with its text where 11 says.
    text.add(70, 32 + (dimension.shift == nil ? 0 : 128))
    text.add(1, DXFText.encoded(dimension.text))
    text.add(71, 5)
    text.add(42, dimension.length)
    text.add(3, DXFDrawing.dimensionStyle)
    text.add(100, "AcDbAlignedDimension")
    text.add(13, dimension.from + place.offset)
    text.add(14, dimension.to + place.offset)
    text.add(50, dimension.direction.angle * 180 / .pi)
    text.add(100, "AcDbRotatedDimension")
  }
}
