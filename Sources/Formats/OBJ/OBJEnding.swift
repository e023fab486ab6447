import MeshPipeline

/// How an OBJ file ends, for signs that it ends early: copied from a full disk, or by a program that was stopped.
struct OBJEnding {
  /// The last line, if it is not a whole statement and no line break follows it.
  private(set) var brokenLine: Range<Int>?
  /// Whether the last line ends with a line break.
  private let hasLineBreak: Bool
  /// Whether the last line is a vertex, a texture coordinate or a normal.
  private let endsInVertices: Bool

  /// Longer lines are not statements.
  private static let longest = 1 << 16

  /// - Parameter range: That of the text.
  init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    func isBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
    var end = range.upperBound
    hasLineBreak = end > range.lowerBound && isBreak(bytes[end - 1])
    while end > range.lowerBound, OBJ.isBlank(bytes[end - 1]) { end -= 1 }
    var start = end
    while start > range.lowerBound, end - start < Self.longest, !isBreak(bytes[start - 1]) {
      start -= 1
    }
    endsInVertices = start < end && bytes[start] == UInt8(ascii: "v")
    // A file of a single line is something else.
    guard !hasLineBreak, start > range.lowerBound, end - start < Self.longest else { return }
    var parser = OBJBlockParser()
    parser.parse(start..<range.upperBound, of: bytes)
    if parser.block.fault != nil || parser.block.remarks.bare > 0 {
      brokenLine = start..<range.upperBound
    }
  }

  /// Asks whether the file is complete, where it does not look so.
  ///
  /// - Throws: ``ReadingError`` if it is a mesh whose faces are missing.
  func check(_ contents: OBJContents, _ file: MappedFile, in context: ReadingContext) throws {
    let name = FileSystem.name(of: file.path)
    if let brokenLine {
      let (line, words) = file.withBytes { bytes in
        (
          TextBlocks.lineBreaks(bytes, before: brokenLine.lowerBound) + 1,
          quoted(bytes, brokenLine)
        )
      }
      context.stage.warn(
        "\(name):\(line): the file ends within the statement \(words), which is left out: is it complete?"
      )
    }
    guard contents.points.isEmpty, contents.remarks.lines == 0, !contents.positions.isEmpty else {
      return
    }
    let count = contents.positions.count
    guard !contents.corners.isEmpty else {
      let isMesh =
        !contents.textureCoordinates.isEmpty || contents.events.contains { $0.kind == .material }
      guard !isMesh else {
        throw ReadingError.content(
          path: file.path,
          "has \(count) vertices with texture coordinates or a material, but no faces: is the file complete?"
        )
      }
      context.stage.warn(
        "\(name): has \(count) vertices but no faces, and is read as a point cloud: is the file complete?"
      )
      return
    }
    guard brokenLine == nil else { return }
    if let unused = unused(contents) {
      context.stage.warn("\(name): no face uses the last \(unused): is the file complete?")
    }
  }

  /// What the faces that are missing would use: some programs leave a few vertices unused, but rarely the last.
  private func unused(_ contents: OBJContents) -> String? {
    let (used, total) = (contents.usedCounts, contents.elementCounts)
    for (part, words) in ["vertices", "texture coordinates", "normals"].enumerated()
    where used[part] > 0 && used[part] < total[part] {
      let (rest, all) = (total[part] - used[part], total[part])
      guard !hasLineBreak || endsInVertices || rest > max(2, all / 10) else { continue }
      return "\(rest) of \(all) \(words)"
    }
    return nil
  }
}
