package import MeshPipeline

/// Points as lines of numbers, with or without a header.
package enum XYZ: Format {
  package static let id = "xyz"
  package static let name = "XYZ text"
  package static let extensions = ["xyz", "asc", "csv"]
}

extension XYZ: ReadableFormat {
  package static let canBring: Set<SceneFeature> = .ofPoints

  /// Two lines of at least three numbers are points, whatever stands before them.
  package static func recognizes(_ head: FileHead) -> Bool {
    guard head.text != nil else { return false }
    let bytes = head.bytes.span
    guard let header = try? PointTextHeader(bytes) else { return false }
    var lines = TextLines(header.bodyOffset..<bytes.count)
    for _ in 0..<2 {
      guard let range = try? lines.next(bytes) else { return false }
      // The last line may be cut off.
      guard range.upperBound < bytes.count || bytes.count == head.fileSize else { return true }
      let words = header.words(text(bytes, range))
      guard words.count >= 3, words.allSatisfy({ Double($0) != nil }) else { return false }
    }
    return true
  }

  /// Reads points; their columns come from a header, or from what is in them.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try context.reading(path) {
      try PointTextReader(file: $0, context: context, isLeica: false).scene()
    }
  }

  package static func coordinateSystem(of path: String) -> CoordinateSystem? {
    DeclaredCoordinates.inHead(of: path) { $0.hasPrefix("#") }
  }
}

extension XYZ: WritableFormat {
  package struct Options: StageParameters {
    @Parameter(
      """
      Columns in their order: x, y, z, red, green, blue, alpha, nx, ny, nz, confidence, \
      classification, and custom attributes by name; all that the scene has if empty.
      """)
    package var columns: [String] = []
    @Parameter("Separator of numbers; null for a comma in .csv, and a space in other files.")
    package var delimiter: PointTextDelimiter? = nil
    @Parameter("Begin with the names of the columns, in a comment unless it is .csv.")
    package var header = true
    @Parameter(
      "Offset that is added to coordinates, as for a national grid, which are then written with 4 decimals. By default as in the file that was read."
    )
    package var origin: NumberVector? = nil

    package init() {}
  }

  package static let holdsProvenance = Provenance.Extent.full
  package static let keeps: Set<SceneFeature> = .ofPoints
  package static let axes = AxisConvention.undeclared(usually: .blender)
  package static let addsOrigin = true
  package static let remark = """
    A line for each point, also for each vertex of a mesh. Reading finds delimiter and columns: by a first line or comment \
    that names them, or by what is in them (three whole numbers up to 255 are a colour, three numbers of length 1 a \
    normal, one more the intensity). The comments before the points name columns, axes and unit, and classes that aren't ARKit's. \
    Points far from zero, as in national grids, are read relative to a round place near them, which is \
    added again when they are written. trimesh reads files without a `header` only. Files with other extensions, such as .txt, are known by two lines of numbers, or read with \
    `--input-format xyz`, and written with `"format": "xyz"`.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    try context.requirePoints(in: scene, of: Self.self)
    context.warnOfLosses(of: scene, in: Self.self)
    context.warnOfAxes(of: scene, in: Self.self)
    let isTable = fileExtension(of: output.mainPath) == "csv"
    let delimiter = options.delimiter ?? (isTable ? .comma : .space)
    var rows = PointRows(
      scene.asPoints, delimiter: delimiter.byte, origin: options.origin?.value ?? scene.origin)
    if !options.columns.isEmpty, let unknown = rows.select(options.columns) {
      let names = rows.columns.map(\.name).joined(separator: ", ")
      throw InvalidFormatOption(
        format: id, option: "columns", fault: "the scene has no '\(unknown)', but \(names)")
    }
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    if options.header {
      let names = rows.columns.map(\.name).joined(separator: delimiter.text)
      if isTable {
        try writer.write(names + "\n")
      } else {
        try writer.write("# written by \(scene.coordinateSystem.declaration)\n")
        for line in context.provenance?.lines ?? [] { try writer.write("# \(line)\n") }
        for remark in rows.classRemarks { try writer.write("# \(remark.text)\n") }
        try writer.write("# \(names)\n")
      }
    }
    try rows.write(to: writer)
    try writer.finish()
  }
}

/// What separates the numbers of a line.
package enum PointTextDelimiter: String, CaseIterable, ParameterValue {
  case space, tab, comma, semicolon

  var text: String {
    switch self {
    case .space: " "
    case .tab: "\t"
    case .comma: ","
    case .semicolon: ";"
    }
  }

  var byte: UInt8 { Array(text.utf8)[0] }
}
