public import MeshPipeline

extension OBJ: ReadableFormat {
  public static let canBring: Set<SceneFeature> = [
    .faces, .points, .normals, .colors, .textureCoordinates, .materials, .textures, .classification,
  ]

  /// Reads a scan with its material libraries and pictures.
  ///
  /// All vertices are kept, in the order of the file. Faces with more than three corners are cut into
  /// triangles. A file without faces is a point cloud.
  public static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    let file = try MappedFile(path: path)
    let blocks = try parse(file, in: context)
    var assembly = try OBJAssembly(blocks, file: file)
    return try assembly.scene(in: context)
  }

  /// Parses all blocks of a file on all cores.
  private static func parse(_ file: MappedFile, in context: ReadingContext) throws -> [OBJBlock] {
    let ranges = file.withBytes { bytes in
      let hasMark =
        bytes.count > 2 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
      return TextBlocks.ranges(bytes, of: (hasMark ? 3 : 0)..<bytes.count, joinsLines: true)
    }
    let blocks = Parallel.map(count: ranges.count) { index in
      var parser = OBJBlockParser(ranges[index])
      if context.stage.isCancelled { return parser.block }
      file.withBytes { parser.parse($0) }
      file.release(ranges[index])
      return parser.block
    }
    try context.stage.progress(0.6)
    var linesBefore = 0
    for block in blocks {
      if let fault = block.fault {
        throw ReadingError.line(
          path: file.path, line: linesBefore + fault.line + 1, fault.message)
      }
      linesBefore += block.lineCount
    }
    return blocks
  }
}
