import MeshPipeline
import POSIX

/// Sheets as a DXF file of AutoCAD 2000, in metres: the first one where it is, others to its right.
struct DXFDrawing {
  /// The whole file.
  let bytes: [UInt8]

  static let dimensionStyle = "ARCH"

  /// Between sheets, in millimetres of paper.
  private static let gap = 20.0

  /// - Parameter remarks: Lines of comments at the beginning.
  init(_ sheets: [DrawingSheet], remarks: [String]) {
    var handles = DXFHandles()
    let elements = sheets.flatMap(\.drawing.elements)
    let blocks = DrawingBlock.all.filter { block in
      elements.contains { element in
        if case .block(let reference) = element.shape { return reference.block.name == block.name }
        return false
      }
    }
    let symbols = blocks.map { block -> DXFEntities.DimensionBlock in
      let record = handles.make()
      return DXFEntities.DimensionBlock(
        name: block.name, record: record,
        contents: DXFEntities.contents(of: block, owner: record, &handles))
    }
    var entities = DXFEntities()
    for (sheet, offset) in zip(sheets, Self.offsets(of: sheets)) {
      entities.add(sheet, offset: offset, &handles)
    }
    var seen = Set<String>()
    let layers = (elements.map(\.layer) + blocks.map(\.layer)).filter {
      seen.insert($0.name).inserted
    }
    let all = symbols + entities.dimensionBlocks
    let frame = DXFFrame(
      layers: layers, blocks: all, scale: sheets.first?.scale ?? 1, bounds: Self.bounds(of: sheets))
    let tables = frame.tables(&handles)
    let blockSection = frame.blockSection(&handles)
    let objects = frame.objects(&handles)
    var file = DXFText()
    for remark in remarks { file.add(999, remark) }
    file.append(frame.header(seed: handles.make()))
    file.append(tables)
    file.append(blockSection)
    file.add(0, "SECTION")
    file.add(2, "ENTITIES")
    file.append(entities.text)
    file.add(0, "ENDSEC")
    file.append(objects)
    file.add(0, "EOF")
    bytes = file.bytes
  }

  /// What each sheet is moved by.
  private static func offsets(of sheets: [DrawingSheet]) -> [SIMD2<Double>] {
    guard let first = sheets.first else { return [] }
    var left = first.origin.x
    return sheets.map { sheet in
      let offset = SIMD2(left, first.origin.y) - sheet.origin
      left += (sheet.paper.x + gap) * sheet.scale
      return offset
    }
  }

  private static func bounds(
    of sheets: [DrawingSheet]
  ) -> (low: SIMD2<Double>, high: SIMD2<Double>) {
    guard let first = sheets.first else { return (.zero, SIMD2(1, 1)) }
    let size = sheets.reduce(SIMD2(-gap * first.scale, 0)) { sum, sheet in
      SIMD2(
        sum.x + (sheet.paper.x + gap) * sheet.scale, max(sum.y, sheet.paper.y * sheet.scale))
    }
    return (first.origin, first.origin + size)
  }
}
