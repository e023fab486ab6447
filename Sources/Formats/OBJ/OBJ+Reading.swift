package import MeshPipeline

extension OBJ: ReadableFormat {
  package static let canBring: Set<SceneFeature> = [
    .faces, .points, .normals, .colors, .textureCoordinates, .materials, .textures, .classification,
  ]

  package static func recognizes(_ head: FileHead) -> Bool {
    let words: Set<Substring> = ["v", "vn", "vt", "f", "g", "o", "mtllib", "usemtl", "s"]
    let first = head.body.split(whereSeparator: \.isNewline).lazy
      .map { $0.drop { $0 == " " || $0 == "\t" } }
      .first { !$0.isEmpty && !$0.hasPrefix("#") }
    return first.map { words.contains($0.prefix { $0 != " " && $0 != "\t" }) } == true
  }

  /// Reads a scan with its material libraries and textures.
  ///
  /// All vertices are kept, in the order of the file. Faces with more than three corners are
  /// triangulated. A file without faces is a point cloud, with a warning, unless it is a mesh by what else is in it.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try context.reading(path) { file in
      let system = coordinateSystem(of: path) ?? .arkit
      let origin = file.withBytes { Self.origin(of: $0, metersPerUnit: system.metersPerUnit) }
      let range = try textRange(of: file)
      let ending = file.withBytes { OBJEnding($0, range) }
      let whole = range.lowerBound..<(ending.brokenLine?.lowerBound ?? range.upperBound)
      let contents = try contents(of: file, whole, at: origin, in: context)
      try ending.check(contents, file, in: context)
      var assembly = OBJAssembly(contents, file: file)
      var scene = try assembly.scene(in: context)
      scene.coordinateSystem = system
      scene.takeOrigin(origin)
      return scene
    }
  }

  package static func coordinateSystem(of path: String) -> CoordinateSystem? {
    DeclaredCoordinates.inHead(of: path) { $0.hasPrefix("#") }
  }

  /// Parses a file in blocks, on all cores, and assembles them as they arrive.
  private static func contents(
    of file: MappedFile, _ range: Range<Int>, at origin: SIMD3<Double>, in context: ReadingContext
  ) throws -> OBJContents {
    let ranges = file.withBytes { TextBlocks.ranges($0, of: range, joinsLines: true) }
    var contents = OBJContents(file)
    try Parallel.inOrder(count: ranges.count, in: { OBJBlockParser(origin: origin) }) {
      index, parser in
      if context.stage.isCancelled { return }
      file.withBytes { parser.parse(ranges[index], of: $0) }
      file.release(ranges[index])
    } take: { parser in
      try context.stage.progress(0.6 * Double(parser.block.range.upperBound) / Double(file.count))
      try contents.append(&parser.block)
    }
    try contents.finish()
    return contents
  }

  private static func textRange(of file: MappedFile) throws -> Range<Int> {
    try file.withBytes { bytes in
      // Space that was preallocated for a file and never filled may be of any length.
      if bytes.count > 0, bytes[0] == 0 {
        throw ReadingError.line(path: file.path, line: 1, "begins with zeros; is this an OBJ file?")
      }
      let start = textStart(of: bytes)
      return start..<max(start, textEnd(of: bytes))
    }
  }

  /// The end of the text: some programs append a zero, as in memory, or a Ctrl-Z, as in CP/M.
  private static func textEnd(of bytes: Span<UInt8>) -> Int {
    var end = bytes.count
    let limit = max(0, end - 4096)
    while end > limit, bytes[end - 1] == 0 || bytes[end - 1] == 0x1A || isBlank(bytes[end - 1]) {
      end -= 1
    }
    // The line break of the last line is kept, for the line number.
    while end < bytes.count, isBlank(bytes[end]) { end += 1 }
    return end
  }

  static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
