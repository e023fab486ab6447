import MeshPipeline

/// What a DXF file has besides its entities: header, tables, blocks and the dictionary of layouts.
struct DXFFrame {
  var layers: [DrawingLayer]
  var blocks: [DXFEntities.DimensionBlock]
  /// The metres that a millimetre of paper stands for.
  var scale: Double
  var bounds: (low: SIMD2<Double>, high: SIMD2<Double>)

  // MARK: Header

  /// Settings; none of them is a date.
  func header(seed: String) -> DXFText {
    var text = DXFText()
    text.add(0, "SECTION")
    text.add(2, "HEADER")
    func variable(_ name: String) { text.add(9, "$" + name) }
    variable("ACADVER")
    text.add(1, "AC1015")
    variable("DWGCODEPAGE")
    text.add(3, "ANSI_1252")
    variable("EXTMIN")
    text.add(10, bounds.low)
    variable("EXTMAX")
    text.add(10, bounds.high)
    for (name, number) in [
      ("LTSCALE", scale), ("DIMSCALE", scale), ("DIMTXT", DrawingDimension.usualHeight),
      ("DIMASZ", DrawingDimension.tick), ("DIMTSZ", DrawingDimension.tick),
      ("DIMEXO", DrawingDimension.lineGap), ("DIMEXE", DrawingDimension.overshoot),
      ("DIMGAP", DrawingDimension.textGap), ("TEXTSIZE", 2.5 * scale),
    ] {
      variable(name)
      text.add(40, number)
    }
    for (name, number) in [
      // Lengths in decimal metres, angles in degrees counterclockwise from east.
      ("LUNITS", 2), ("LUPREC", 3), ("AUNITS", 0), ("INSUNITS", 6), ("MEASUREMENT", 1),
      ("DIMTAD", 1), ("DIMTIH", 0), ("DIMTOH", 0), ("DIMDEC", 3), ("DIMZIN", 0), ("PDMODE", 0),
    ] {
      variable(name)
      text.add(70, number)
    }
    variable("LWDISPLAY")
    text.add(290, 1)
    variable("HANDSEED")
    text.add(5, seed)
    text.add(0, "ENDSEC")
    text.add(0, "SECTION")
    text.add(2, "CLASSES")
    text.add(0, "ENDSEC")
    return text
  }

  // MARK: Tables

  /// The tables, in the order in which AutoCAD has them.
  func tables(_ handles: inout DXFHandles) -> DXFText {
    var text = DXFText()
    text.add(0, "SECTION")
    text.add(2, "TABLES")
    addViewport(to: &text, &handles)
    addLineTypes(to: &text, &handles)
    addLayers(to: &text, &handles)
    let style = Self.begin("STYLE", count: 1, &text, &handles)
    Self.record(
      "STYLE", "AcDbTextStyleTableRecord", "Standard", handle: DXFHandles.textStyle, in: style,
      &text)
    for (code, value) in [(40, 0.0), (41, 1), (50, 0)] { text.add(code, value) }
    text.add(71, 0)
    text.add(42, 2.5 * scale)
    text.add(3, "arial.ttf")
    text.add(4, "")
    text.add(0, "ENDTAB")
    for name in ["VIEW", "UCS"] {
      _ = Self.begin(name, count: 0, &text, &handles)
      text.add(0, "ENDTAB")
    }
    let programs = Self.begin("APPID", count: 1, &text, &handles)
    Self.record(
      "APPID", "AcDbRegAppTableRecord", "ACAD", handle: handles.make(), in: programs, &text)
    text.add(0, "ENDTAB")
    addDimensionStyle(to: &text, &handles)
    let records = Self.begin("BLOCK_RECORD", count: blocks.count + 2, &text, &handles)
    func addRecord(_ name: String, _ handle: String, layout: String) {
      text.add(0, "BLOCK_RECORD")
      text.add(5, handle)
      text.add(330, records)
      text.add(100, "AcDbSymbolTableRecord")
      text.add(100, "AcDbBlockTableRecord")
      text.add(2, name)
      text.add(340, layout)
    }
    addRecord("*Model_Space", DXFHandles.modelSpace, layout: DXFHandles.modelLayout)
    addRecord("*Paper_Space", DXFHandles.paperSpace, layout: DXFHandles.paperLayout)
    for block in blocks { addRecord(block.name, block.record, layout: "0") }
    text.add(0, "ENDTAB")
    text.add(0, "ENDSEC")
    return text
  }

  /// Begins a table, and returns its handle.
  private static func begin(
    _ name: String, count: Int, _ text: inout DXFText, _ handles: inout DXFHandles
  ) -> String {
    let handle = handles.make()
    text.add(0, "TABLE")
    text.add(2, name)
    text.add(5, handle)
    text.add(330, "0")
    text.add(100, "AcDbSymbolTable")
    text.add(70, count)
    return handle
  }

  private static func record(
    _ type: String, _ subclass: String, _ name: String, handle: String, in table: String,
    _ text: inout DXFText
  ) {
    text.add(0, type)
    text.add(type == "DIMSTYLE" ? 105 : 5, handle)
    text.add(330, table)
    text.add(100, "AcDbSymbolTableRecord")
    text.add(100, subclass)
    text.add(2, name)
    text.add(70, 0)
  }

  private func addViewport(to text: inout DXFText, _ handles: inout DXFHandles) {
    let table = Self.begin("VPORT", count: 1, &text, &handles)
    Self.record(
      "VPORT", "AcDbViewportTableRecord", "*Active", handle: handles.make(), in: table, &text)
    let size = bounds.high - bounds.low
    let middle = (bounds.low + bounds.high) / 2
    for (code, point) in [
      (10, SIMD2(0.0, 0)), (11, SIMD2(1, 1)), (12, middle), (13, .zero), (14, SIMD2(1, 1)),
      (15, SIMD2(1, 1)),
    ] {
      text.add(code, point, isFlat: true)
    }
    text.add(16, .zero, isFlat: true)
    text.add(36, 1.0)
    text.add(17, SIMD2<Double>.zero)
    text.add(40, max(size.y, size.x * 0.6) * 1.05)
    text.add(41, 1.667)
    text.add(42, 50.0)
    for code in [43, 44, 50, 51] { text.add(code, 0.0) }
    for (code, value) in [
      (71, 0), (72, 1000), (73, 1), (74, 3), (75, 0), (76, 0), (77, 0), (78, 0),
    ] {
      text.add(code, value)
    }
    text.add(0, "ENDTAB")
  }

  private func addLineTypes(to text: inout DXFText, _ handles: inout DXFHandles) {
    let table = Self.begin("LTYPE", count: 4, &text, &handles)
    for (name, title, dashes) in [
      ("ByBlock", "", []), ("ByLayer", "", []), ("Continuous", "Solid line", []),
      ("DASHED", "Dashed __ __ __", [2.0, -1.2]),
    ] {
      Self.record(
        "LTYPE", "AcDbLinetypeTableRecord", name, handle: handles.make(), in: table, &text)
      text.add(3, title)
      text.add(72, 65)
      text.add(73, dashes.count)
      text.add(40, dashes.reduce(0) { $0 + abs($1) })
      for dash in dashes {
        text.add(49, dash)
        text.add(74, 0)
      }
    }
    text.add(0, "ENDTAB")
  }

  private func addLayers(to text: inout DXFText, _ handles: inout DXFHandles) {
    let table = Self.begin("LAYER", count: layers.count + 2, &text, &handles)
    func add(_ name: String, color: Int, _ type: String, weight: Int, plots: Bool = true) {
      Self.record(
        "LAYER", "AcDbLayerTableRecord", name, handle: handles.make(), in: table, &text)
      text.add(62, color)
      text.add(6, type)
      if !plots { text.add(290, 0) }
      text.add(370, weight)
      text.add(390, DXFHandles.plotStyle)
    }
    add("0", color: 7, "Continuous", weight: -3)
    add("Defpoints", color: 7, "Continuous", weight: -3, plots: false)
    for layer in layers {
      add(
        layer.name, color: layer.colorIndex, layer.isDashed ? "DASHED" : "Continuous",
        weight: layer.lineWeight)
    }
    text.add(0, "ENDTAB")
  }

  private func addDimensionStyle(to text: inout DXFText, _ handles: inout DXFHandles) {
    let table = Self.begin("DIMSTYLE", count: 2, &text, &handles)
    text.add(100, "AcDbDimStyleTable")
    for name in ["Standard", DXFDrawing.dimensionStyle] {
      Self.record(
        "DIMSTYLE", "AcDbDimStyleTableRecord", name, handle: handles.make(), in: table, &text)
      for (code, value) in [
        (40, scale), (41, DrawingDimension.tick), (42, DrawingDimension.lineGap), (43, 3.75),
        (44, DrawingDimension.overshoot), (140, DrawingDimension.usualHeight),
        (142, DrawingDimension.tick), (144, 1), (147, DrawingDimension.textGap),
      ] {
        text.add(code, value)
      }
      for (code, value) in [
        (73, 0), (74, 0), (77, 1), (78, 0), (172, 1), (271, 3), (277, 2), (278, 46),
      ] {
        text.add(code, value)
      }
      text.add(340, DXFHandles.textStyle)
      text.add(371, -2)
      text.add(372, -2)
    }
    text.add(0, "ENDTAB")
  }

  // MARK: Blocks

  func blockSection(_ handles: inout DXFHandles) -> DXFText {
    var text = DXFText()
    text.add(0, "SECTION")
    text.add(2, "BLOCKS")
    func add(_ name: String, record: String, _ contents: DXFText, isAnonymous: Bool) {
      text.add(0, "BLOCK")
      text.add(5, handles.make())
      text.add(330, record)
      text.add(100, "AcDbEntity")
      text.add(8, "0")
      text.add(100, "AcDbBlockBegin")
      text.add(2, name)
      text.add(70, isAnonymous ? 1 : 0)
      text.add(10, SIMD2<Double>.zero)
      text.add(3, name)
      text.add(1, "")
      text.append(contents)
      text.add(0, "ENDBLK")
      text.add(5, handles.make())
      text.add(330, record)
      text.add(100, "AcDbEntity")
      text.add(8, "0")
      text.add(100, "AcDbBlockEnd")
    }
    add("*Model_Space", record: DXFHandles.modelSpace, DXFText(), isAnonymous: false)
    add("*Paper_Space", record: DXFHandles.paperSpace, DXFText(), isAnonymous: false)
    for block in blocks {
      add(
        block.name, record: block.record, block.contents, isAnonymous: block.name.hasPrefix("*"))
    }
    text.add(0, "ENDSEC")
    return text
  }

  // MARK: Objects

  /// The dictionaries that readers expect: groups, layouts, styles of lines and of plots.
  func objects(_ handles: inout DXFHandles) -> DXFText {
    var text = DXFText()
    let root = handles.make()
    let groups = handles.make()
    let layouts = handles.make()
    let plotStyles = handles.make()
    text.add(0, "SECTION")
    text.add(2, "OBJECTS")
    func dictionary(_ handle: String, owner: String, _ entries: [(String, String)]) {
      text.add(0, "DICTIONARY")
      text.add(5, handle)
      text.add(330, owner)
      text.add(100, "AcDbDictionary")
      text.add(281, 1)
      for (name, entry) in entries {
        text.add(3, name)
        text.add(350, entry)
      }
    }
    dictionary(
      root, owner: "0",
      [
        ("ACAD_GROUP", groups), ("ACAD_LAYOUT", layouts), ("ACAD_PLOTSTYLENAME", plotStyles),
      ])
    dictionary(groups, owner: root, [])
    dictionary(
      layouts, owner: root,
      [("Model", DXFHandles.modelLayout), ("Layout1", DXFHandles.paperLayout)])
    text.add(0, "ACDBDICTIONARYWDFLT")
    text.add(5, plotStyles)
    text.add(330, root)
    text.add(100, "AcDbDictionary")
    text.add(281, 1)
    text.add(3, "Normal")
    text.add(350, DXFHandles.plotStyle)
    text.add(100, "AcDbDictionaryWithDefault")
    text.add(340, DXFHandles.plotStyle)
    text.add(0, "ACDBPLACEHOLDER")
    text.add(5, DXFHandles.plotStyle)
    text.add(330, plotStyles)
    addLayout("Model", DXFHandles.modelLayout, of: DXFHandles.modelSpace, 0, layouts, to: &text)
    addLayout("Layout1", DXFHandles.paperLayout, of: DXFHandles.paperSpace, 1, layouts, to: &text)
    text.add(0, "ENDSEC")
    return text
  }

  private func addLayout(
    _ name: String, _ handle: String, of record: String, _ order: Int, _ owner: String,
    to text: inout DXFText
  ) {
    text.add(0, "LAYOUT")
    text.add(5, handle)
    text.add(330, owner)
    text.add(100, "AcDbPlotSettings")
    text.add(1, "")
    text.add(4, "A3")
    text.add(6, "")
    for (code, value) in [
      (40, 10.0), (41, 10), (42, 10), (43, 10), (44, 420), (45, 297), (46, 0), (47, 0), (48, 0),
      (49, 0), (140, 0), (141, 0), (142, 1), (143, 1),
    ] {
      text.add(code, value)
    }
    text.add(70, order == 0 ? 1024 : 0)
    for (code, value) in [(72, 1), (73, 0), (74, 5)] { text.add(code, value) }
    text.add(7, "")
    for (code, value) in [(75, 16), (76, 0), (77, 2), (78, 300)] { text.add(code, value) }
    for (code, value) in [(147, 1.0), (148, 0), (149, 0)] { text.add(code, value) }
    text.add(100, "AcDbLayout")
    text.add(1, name)
    text.add(70, 1)
    text.add(71, order)
    text.add(10, SIMD2<Double>.zero, isFlat: true)
    text.add(11, SIMD2(420, 297), isFlat: true)
    text.add(12, SIMD2<Double>.zero)
    text.add(14, order == 0 ? bounds.low : .zero)
    text.add(15, order == 0 ? bounds.high : SIMD2(420, 297))
    text.add(146, 0.0)
    text.add(13, SIMD2<Double>.zero)
    text.add(16, SIMD2(1, 0))
    text.add(17, SIMD2(0, 1))
    text.add(76, 1)
    text.add(330, record)
  }
}
