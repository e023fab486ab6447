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
    try context.reading(path) { file in
      var assembly = OBJAssembly(try contents(of: file, in: context), file: file)
      return try assembly.scene(in: context)
    }
  }

  /// Parses a file in blocks, on all cores, and puts them together as they come.
  private static func contents(
    of file: MappedFile, in context: ReadingContext
  ) throws -> OBJContents {
    let ranges = file.withBytes { bytes in
      let hasMark =
        bytes.count > 2 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
      return TextBlocks.ranges(bytes, of: (hasMark ? 3 : 0)..<bytes.count, joinsLines: true)
    }
    var contents = OBJContents(file)
    try Parallel.inOrder(count: ranges.count, in: { OBJBlockParser() }) { index, parser in
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
}
