package import MeshPipeline

extension STL: ReadableFormat {
  /// Millimetres in slicers and CAD, metres in Blender.
  package static let unitsInUse = [0.001, 1]

  package static let canBring: Set<SceneFeature> = [.faces, .colors, .classification]

  package static func recognizes(_ head: FileHead) -> Bool {
    head.body.hasPrefix("solid") || isBinary(head)
  }

  /// A binary STL has 80 bytes of arbitrary text, a face count, and 50 bytes per face.
  private static func isBinary(_ head: FileHead) -> Bool {
    guard head.bytes.count >= 84 else { return false }
    let count = (80..<84).reversed().reduce(0) { $0 << 8 | Int(head.bytes[$1]) }
    return head.fileSize == 84 + 50 * count
  }

  /// Reads triangles and welds corners with equal positions.
  ///
  /// Facet normals are ignored, since they follow from the winding. Names of solids may be classes, and the attribute
  /// bytes of binary files colours.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try context.reading(path) { try scene(of: $0, in: context) }
  }

  private static func scene(of file: MappedFile, in context: ReadingContext) throws -> Scene {
    let path = file.path
    let triangles: Triangles
    if let count = binaryCount(file) {
      triangles = Triangles(
        corners: try readBinary(file, count, in: context), colors: colors(file, count))
    } else {
      triangles = try STLText(file, in: context).triangles()
    }
    try context.stage.progress(0.6)
    guard triangles.corners.count < Int(UInt32.max) else {
      throw ReadingError.content(path: path, "more than 1,431,655,764 triangles")
    }
    guard !triangles.corners.isEmpty else {
      throw ReadingError.content(path: path, "contains no triangles")
    }
    let name = FileSystem.title(of: path)
    let (firstCorners, indices) = PositionWelder.weld(triangles.corners)
    let positions = firstCorners.map { triangles.corners[Int($0)] }
    var mesh = Mesh(name: name, positions: positions, indices: indices)
    mesh.faceColors = triangles.colors
    mesh.classes = ClassNames.classes(ofRuns: triangles.solids, faceCount: mesh.faceCount)
    if triangles.solids.count == 1, let solid = triangles.solids.first?.name, !solid.isEmpty,
      CoordinateSystem(declaredIn: solid) == nil
    {
      mesh.name = solid
    }
    context.warnOfBrokenNumbers(positions, in: path)
    var scene = Scene(
      name: name, meshes: [mesh], coordinateSystem: coordinateSystem(of: path) ?? .arkit)
    scene.takeOrigin()
    try context.stage.progress(1)
    return scene
  }

  /// Binary files declare it in their first 80 bytes, text files in the name of the solid.
  package static func coordinateSystem(of path: String) -> CoordinateSystem? {
    var isFirst = true
    return DeclaredCoordinates.inHead(of: path) { _ in
      defer { isFirst = false }
      return isFirst
    }
  }

  /// The contents of a file before welding.
  struct Triangles {
    /// Three per triangle.
    var corners: [Vector3]
    /// One per triangle of a coloured file.
    var colors: [Color]?
    /// The named parts of a text file.
    var solids: [(firstFace: Int, name: String)] = []
  }

  private static let headerSize = 84
  private static let recordSize = 50

  /// The number of triangles claimed by a binary file; nil for a text file.
  ///
  /// Some binary files begin with the keyword of text files; their size distinguishes them.
  private static func binaryCount(_ file: MappedFile) -> Int? {
    file.withBytes { bytes in
      guard bytes.count >= headerSize else { return nil }
      let count = Int(bytes.word(at: 80) as UInt32)
      if bytes.count == headerSize + recordSize * count { return count }
      // A number of triangles below 16,777,216 contains a zero byte, and coordinates often do; text
      // has none.
      if bytes.count >= headerSize + recordSize,
        (80..<headerSize + recordSize).contains(where: { bytes[$0] == 0 })
      {
        return count
      }
      var start = 0
      while start < 79, bytes[start] <= 0x20 { start += 1 }
      return text(bytes, start..<start + 5).lowercased() == "solid" ? nil : count
    }
  }

  private static func colors(_ file: MappedFile, _ count: Int) -> [Color]? {
    let words: [UInt16] = Parallel.array(count: count) { range, output in
      file.withBytes { bytes in
        for face in range {
          output.append(bytes.word(at: headerSize + face * recordSize + recordSize - 2))
        }
      }
    }
    return file.withBytes {
      STLColors(header: $0.extracting(0..<headerSize - 4), words: words).colors
    }
  }

  private static func readBinary(
    _ file: MappedFile, _ count: Int, in context: ReadingContext
  ) throws -> [Vector3] {
    let room = (file.count - headerSize) / recordSize
    guard count <= room else {
      throw ReadingError.byte(
        path: file.path, offset: 80,
        "the header claims \(count) triangles, but the file has room for \(room)")
    }
    let rest = file.count - headerSize - recordSize * count
    if rest > 0 {
      context.stage.warn(
        "\(FileSystem.name(of: file.path)): bytes after the last triangle are ignored (\(rest))")
    }
    return Parallel.array(count: 3 * count) { range, output in
      file.withBytes { bytes in
        for corner in range {
          let start = headerSize + corner / 3 * recordSize + 12 + corner % 3 * 12
          output.append(
            Vector3(
              Float(bitPattern: bytes.word(at: start)),
              Float(bitPattern: bytes.word(at: start + 4)),
              Float(bitPattern: bytes.word(at: start + 8))))
        }
      }
    }
  }
}
