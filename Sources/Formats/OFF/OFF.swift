package import MeshPipeline

/// Object File Format: vertices and polygons, originally by Geomview.
package enum OFF: Format {
  package static let id = "off"
  package static let name = "Object File Format"
  package static let extensions = ["off"]
}

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

extension OFF: WritableFormat {
  package static let keeps: Set<SceneFeature> = [.faces, .points, .colors]
  package static let holdsFaceColors = true
  package static let axes = AxisConvention.undeclared(usually: .arkit)
  package static let remark = """
    Text. All meshes and points are merged; with colours it is a COFF file, whose vertices have red, \
    green, blue and opacity from 0 to 255; colours of faces stand behind each face.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    _ = try context.options(of: Self.self)
    try context.requireFinitePositions(of: scene)
    let vertexCount = scene.vertexCount + scene.pointCount
    guard vertexCount > 0 else {
      throw UnwritableScene.nothingToWrite(format: name, holds: "faces and points")
    }
    guard vertexCount <= Int(Int32.max), scene.faceCount <= Int(Int32.max) else {
      throw UnwritableScene.tooLarge(format: name, limit: "\(Int32.max) vertices or faces")
    }
    context.warnOfLosses(of: scene, in: Self.self)
    context.warnOfAxes(of: scene, in: Self.self)

    let hasColors =
      scene.meshes.contains { $0.colors != nil } || scene.pointClouds.contains { $0.colors != nil }
    let hasFaceColors = scene.meshes.contains { $0.faceColors != nil }
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write(hasColors ? "COFF\n" : "OFF\n")
    try writer.write("\(vertexCount) \(scene.faceCount) 0\n")
    for mesh in scene.meshes {
      try write(mesh.positions, mesh.colors, hasColors: hasColors, to: writer)
    }
    for cloud in scene.pointClouds {
      try write(cloud.positions, cloud.colors, hasColors: hasColors, to: writer)
    }
    var firstVertex: UInt32 = 0
    for mesh in scene.meshes {
      try writeFaces(
        of: mesh, firstVertex: firstVertex, colors: hasFaceColors ? mesh.meanFaceColors : nil,
        to: writer)
      firstVertex += UInt32(mesh.vertexCount)
    }
    try writer.finish()
  }

  /// Parts without colours are white if others have some.
  private static func write(
    _ positions: [Vector3], _ colors: [Color]?, hasColors: Bool, to writer: FileWriter
  ) throws {
    let powers = DecimalPowers.shared
    try writer.write(count: positions.count) { range, buffer in
      for vertex in range {
        buffer.append(decimal: positions[vertex].x, powers: powers)
        buffer.append(" ")
        buffer.append(decimal: positions[vertex].y, powers: powers)
        buffer.append(" ")
        buffer.append(decimal: positions[vertex].z, powers: powers)
        if hasColors {
          let color = colors?[vertex] ?? .white
          for part in [color.red, color.green, color.blue, color.alpha] {
            buffer.append(" ")
            buffer.append(decimal: part)
          }
        }
        buffer.append("\n")
      }
    }
  }

  private static func writeFaces(
    of mesh: Mesh, firstVertex: UInt32, colors: [Color]?, to writer: FileWriter
  ) throws {
    let indices = mesh.indices
    try writer.write(count: mesh.faceCount) { faces, buffer in
      for face in faces {
        buffer.append("3")
        for corner in 3 * face..<3 * face + 3 {
          buffer.append(" ")
          buffer.append(decimal: indices[corner] + firstVertex)
        }
        if let color = colors?[face] {
          for part in [color.red, color.green, color.blue, color.alpha] {
            buffer.append(" ")
            buffer.append(decimal: part)
          }
        }
        buffer.append("\n")
      }
    }
  }
}
