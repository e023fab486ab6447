import MeshPipeline

/// Reads the binary form of OFF: big-endian whole numbers and floats of four bytes.
struct OFFBinary {
  private(set) var contents = OFFContents()

  private let file: MappedFile
  private let header: OFFHeader
  private var offset: Int

  init(_ file: MappedFile, header: OFFHeader, offset: Int) {
    self.file = file
    self.header = header
    self.offset = offset
  }

  mutating func read(_ bytes: Span<UInt8>) throws {
    if header.namesDimension, try count(bytes, "dimensions") != 3 {
      throw fault("only vertices of 3 coordinates can be read")
    }
    let vertexCount = try count(bytes, "vertices")
    let faceCount = try count(bytes, "faces")
    _ = try count(bytes, "edges")
    let width = 4 * header.vertexWidth(colorWidth: 4)
    try require(vertexCount, of: width, "vertices")
    contents.positions.reserveCapacity(vertexCount)
    for _ in 0..<vertexCount { readVertex(bytes) }
    // The number of corners, and the number of colour components.
    try require(faceCount, of: 8, "faces")
    for _ in 0..<faceCount { try readFace(bytes, vertexCount) }
  }

  private mutating func readVertex(_ bytes: Span<UInt8>) {
    contents.positions.append(Vector3(float(bytes), float(bytes), float(bytes)))
    if header.hasNormals {
      contents.normals.append(Vector3(float(bytes), float(bytes), float(bytes)))
    }
    if header.hasColors {
      contents.colors.append(SIMD4(float(bytes), float(bytes), float(bytes), float(bytes)))
    }
    if header.hasTextureCoordinates {
      contents.textureCoordinates.append(Vector2(float(bytes), float(bytes)))
    }
  }

  private mutating func readFace(_ bytes: Span<UInt8>, _ vertexCount: Int) throws {
    let cornerCount = try count(bytes, "corners of a face")
    try require(cornerCount, of: 4, "corners of a face")
    var corners: [UInt32] = []
    corners.reserveCapacity(cornerCount)
    for _ in 0..<cornerCount {
      let index = try count(bytes, "vertices before one")
      guard index < vertexCount else {
        throw fault(
          "the face refers to vertex \(index), but there are \(vertexCount), counted from 0")
      }
      corners.append(UInt32(index))
    }
    let partCount = try count(bytes, "parts of a colour")
    try require(partCount, of: 4, "parts of a colour")
    var color = SIMD4<Float>(0, 0, 0, -1)
    for part in 0..<partCount {
      let value = float(bytes)
      if part < 4 { color[part] = value }
    }
    contents.append(face: corners, color: partCount == 3 || partCount == 4 ? color : nil)
  }

  /// A non-negative whole number.
  private mutating func count(_ bytes: Span<UInt8>, _ what: String) throws -> Int {
    guard offset + 4 <= bytes.count else {
      throw fault("the file ends before the number of \(what)")
    }
    let value = Int32(bitPattern: bytes.word(at: offset, true))
    guard value >= 0 else { throw fault("the number of \(what) is negative") }
    offset += 4
    return Int(value)
  }

  /// A float whose bytes are known to exist.
  private mutating func float(_ bytes: Span<UInt8>) -> Float {
    defer { offset += 4 }
    return Float(bitPattern: bytes.word(at: offset, true))
  }

  private func require(_ count: Int, of size: Int, _ what: String) throws {
    let room = (file.count - offset) / size
    guard count <= room else {
      throw fault("the file claims \(count) \(what), but has room for \(room)")
    }
  }

  private func fault(_ message: String) -> ReadingError {
    .byte(path: file.path, offset: offset, message)
  }
}
