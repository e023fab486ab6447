package import MeshPipeline

extension OFF: ReadableFormat {
  package static let canBring: Set<SceneFeature> = [
    .faces, .points, .normals, .colors, .textureCoordinates,
  ]

  package static func recognizes(_ head: FileHead) -> Bool {
    let lines = (head.text ?? "").split(whereSeparator: \.isNewline)
    let first = lines.first { !$0.hasPrefix("#") } ?? ""
    let keyword = first.drop { $0 == " " || $0 == "\t" }.prefix { !$0.isWhitespace }
    return keyword.hasSuffix("OFF") && keyword.allSatisfy { "STCN4nOF".contains($0) }
  }

  /// Reads a scan, as text or binary; one without faces is a point cloud.
  ///
  /// Vertices keep their order, including unused ones. Faces with more than three corners are
  /// triangulated.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try context.reading(path) { file in
      let contents = try contents(of: file, in: context)
      try context.stage.progress(0.8)
      var scene = try contents.scene(path: path, in: context)
      scene.takeOrigin()
      try context.stage.progress(1)
      return scene
    }
  }

  private static func contents(
    of file: MappedFile, in context: ReadingContext
  ) throws -> OFFContents {
    try file.withBytes { bytes in
      var words = OFFWords(textStart(of: bytes)..<bytes.count)
      do {
        let header = try header(bytes, &words)
        if let start = binaryStart(bytes, words) {
          var binary = OFFBinary(file, header: header, offset: start)
          try binary.read(bytes)
          return binary.contents
        }
        var text = OFFText(words, header: header)
        try text.read(bytes)
        for remark in text.remarks {
          context.stage.warn("\(FileSystem.name(of: file.path)): \(remark)")
        }
        return text.contents
      } catch let fault as LineFault {
        throw ReadingError.line(path: file.path, line: fault.line + 1, fault.message)
      }
    }
  }

  /// Reads the keyword, which is optional.
  private static func header(
    _ bytes: Span<UInt8>, _ words: inout OFFWords
  ) throws(LineFault) -> OFFHeader {
    guard words.findWord(bytes) else { throw words.fault("the file is empty") }
    let range = words.word(bytes)
    if let header = OFFHeader(text(bytes, range.prefix(64))) {
      guard !header.isHomogeneous else {
        throw words.fault(
          "is 4OFF, whose vertices have a fourth coordinate that divides the others; save it as OFF"
        )
      }
      words.skip(header.length)
      return header
    }
    guard bytes[range.lowerBound] &- 0x30 <= 9, let plain = OFFHeader("OFF") else {
      throw words.fault("begins with \(quoted(bytes, range)); is this an OFF file?")
    }
    return plain
  }

  /// The offset of the numbers in a binary file; nil for a text file.
  private static func binaryStart(_ bytes: Span<UInt8>, _ words: OFFWords) -> Int? {
    var words = words
    guard words.findWordOnLine(bytes), text(bytes, words.word(bytes).prefix(8)) == "BINARY" else {
      return nil
    }
    words.skip(6)
    while words.position < words.end, bytes[words.position] != 0x0A { words.skip(1) }
    return words.position + 1
  }
}
