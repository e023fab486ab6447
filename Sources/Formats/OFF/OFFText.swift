import MeshPipeline

/// Reads the text form of OFF.
struct OFFText {
  private(set) var contents = OFFContents()
  /// Warnings for the user.
  private(set) var remarks: [String] = []

  private var words: OFFWords
  private let header: OFFHeader
  private var vertexCount = 0
  private var faceCount = 0
  /// The number of values read per vertex; further ones are ignored.
  private var vertexWidth = 3
  private var colorWidth = 0
  /// Whether lines delimit vertices and faces; otherwise line breaks are irrelevant.
  private var hasLines = true

  init(_ words: OFFWords, header: OFFHeader) {
    self.words = words
    self.header = header
  }

  mutating func read(_ bytes: Span<UInt8>) throws(LineFault) {
    try readCounts(bytes)
    if vertexCount > 0 {
      try findLayout(bytes)
      try readVertices(bytes)
    }
    try readFaces(bytes)
    if words.findWord(bytes) {
      remarks.append(
        "line \(words.line + 1) and everything after it belong to no face and are ignored")
    }
  }

  // MARK: Counts

  private mutating func readCounts(_ bytes: Span<UInt8>) throws(LineFault) {
    if header.namesDimension {
      try require(words.findWord(bytes), "the number of dimensions")
      let dimension = try words.integer(bytes, "the number of dimensions")
      guard dimension == 3 else {
        throw words.fault("its vertices have \(dimension) coordinates; only 3 can be read")
      }
    }
    try require(words.findWord(bytes), "the number of vertices")
    vertexCount = try words.integer(bytes, "the number of vertices")
    let isAlone = !words.findWordOnLine(bytes)
    try require(words.findWord(bytes), "the number of faces")
    faceCount = try words.integer(bytes, "the number of faces")
    if words.findWordOnLine(bytes) {
      _ = try words.integer(bytes, "the number of edges")
    } else if isAlone, words.findWord(bytes), words.wordCountOnLine(bytes, atMost: 2) == 1 {
      // Each count is on a line of its own.
      _ = try words.integer(bytes, "the number of edges")
    }
    // Each number takes a digit and a space.
    let room = (words.end - words.position) / 6 + 1
    guard vertexCount <= room else {
      throw words.fault(
        "the header claims \(vertexCount) vertices, but the file has room for at most \(room)")
    }
    guard vertexCount < Int(UInt32.max) else {
      throw words.fault("contains more than \(UInt32.max) vertices")
    }
  }

  private func require(_ isThere: Bool, _ what: String) throws(LineFault) {
    if !isThere { throw words.fault("the file ends before \(what)") }
  }

  // MARK: Vertices

  /// Determines the number of values per line from the first vertex.
  private mutating func findLayout(_ bytes: Span<UInt8>) throws(LineFault) {
    hasLines = !words.findWordOnLine(bytes)
    try require(words.findWord(bytes), "the first vertex")
    // Some programs add a colour without declaring it; more values mean several vertices per line.
    let most = header.vertexWidth(colorWidth: 4) + 4
    let found = words.wordCountOnLine(bytes, atMost: most + 1)
    hasLines = hasLines && (3...most).contains(found)
    colorWidth = header.hasColors ? 4 : 0
    if hasLines, header.hasColors, found < header.vertexWidth(colorWidth: 4) { colorWidth = 3 }
    vertexWidth = header.vertexWidth(colorWidth: colorWidth)
    guard hasLines, found != vertexWidth else { return }
    guard found > vertexWidth else {
      throw words.fault(
        "a vertex has \(found) numbers, where the first line of the file says \(vertexWidth)")
    }
    remarks.append("the last \(found - vertexWidth) of \(found) numbers of vertices are ignored")
  }

  private mutating func readVertices(_ bytes: Span<UInt8>) throws(LineFault) {
    contents.positions.reserveCapacity(vertexCount)
    for vertex in 0..<vertexCount {
      guard words.findWord(bytes) else {
        throw words.fault("the file ends after \(vertex) of \(vertexCount) vertices")
      }
      contents.positions.append(
        Vector3(try number(bytes), try number(bytes), try number(bytes)))
      if header.hasNormals {
        contents.normals.append(
          Vector3(try number(bytes), try number(bytes), try number(bytes)))
      }
      if header.hasColors {
        var color = SIMD4<Float>(0, 0, 0, -1)
        for part in 0..<colorWidth { color[part] = try number(bytes) }
        contents.colors.append(color)
      }
      if header.hasTextureCoordinates {
        contents.textureCoordinates.append(Vector2(try number(bytes), try number(bytes)))
      }
      if hasLines { words.skipToLineEnd(bytes) }
    }
  }

  /// The next value of a vertex.
  private mutating func number(_ bytes: Span<UInt8>) throws(LineFault) -> Float {
    guard hasLines ? words.findWordOnLine(bytes) : words.findWord(bytes) else {
      throw words.fault("a vertex has fewer than \(vertexWidth) numbers")
    }
    return try words.float(bytes)
  }

  // MARK: Faces

  private mutating func readFaces(_ bytes: Span<UInt8>) throws(LineFault) {
    var corners: [UInt32] = []
    for face in 0..<faceCount {
      guard words.findWord(bytes) else {
        throw words.fault("the file ends after \(face) of \(faceCount) faces")
      }
      let count = try words.integer(bytes, "the number of corners")
      // Each corner takes a space and a digit.
      guard count <= (words.end - words.position) / 2 else {
        throw words.fault("a face has \(count) corners, for which the file has no room")
      }
      corners.removeAll(keepingCapacity: true)
      for _ in 0..<count { corners.append(try corner(bytes)) }
      contents.append(face: corners, color: hasLines ? try color(bytes) : nil)
    }
    guard contents.indices.count < Int(UInt32.max) else {
      throw words.fault("contains more than 1,431,655,764 triangles")
    }
  }

  private mutating func corner(_ bytes: Span<UInt8>) throws(LineFault) -> UInt32 {
    try require(words.findWord(bytes), "the last corner of a face")
    let index = try words.integer(bytes, "the number of a vertex")
    guard index < vertexCount else {
      throw words.fault(
        "the face refers to vertex \(index), but there are \(vertexCount), counted from 0")
    }
    return UInt32(index)
  }

  /// The colour after the corners of a face: three or four numbers up to the end of the line.
  ///
  /// A single number is an index into a list of colours that the file does not contain.
  private mutating func color(_ bytes: Span<UInt8>) throws(LineFault) -> SIMD4<Float>? {
    guard words.findWordOnLine(bytes) else { return nil }
    let count = words.wordCountOnLine(bytes, atMost: 5)
    var color = SIMD4<Float>(0, 0, 0, -1)
    if count == 3 || count == 4 {
      for part in 0..<count where words.findWordOnLine(bytes) {
        color[part] = try words.float(bytes)
      }
    }
    words.skipToLineEnd(bytes)
    return count == 3 || count == 4 ? color : nil
  }
}
