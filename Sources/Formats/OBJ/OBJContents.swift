import MeshPipeline

/// What an OBJ file says, put together from its blocks.
struct OBJContents {
  private(set) var positions: [Vector3] = []
  /// Red, green and blue as written; empty, or one per position once ``finish()`` was called.
  private(set) var colors: [Vector3] = []
  private(set) var textureCoordinates: [Vector2] = []
  private(set) var normals: [Vector3] = []

  /// Three vertices for each face.
  private(set) var corners: [UInt32] = []
  private(set) var textureIndices = OBJIndices()
  private(set) var normalIndices = OBJIndices()
  private(set) var polygons: [FacePolygon] = []
  /// The vertices of point elements.
  private(set) var points: [UInt32] = []

  private(set) var events: [OBJBlock.Event] = []
  private(set) var remarks = OBJBlock.Remarks()
  /// What faces refer to and the file has none of.
  private(set) var namesMissing: [String] = []

  private let file: MappedFile
  private var lineCount = 0
  private var parts: [Part] = []

  /// What must hold of a block when all elements are known.
  private struct Part {
    var range: Range<Int>
    var linesBefore: Int
    var elementsBefore: SIMD3<Int>
    /// How many elements there must be for all indices to refer to one.
    var elementsNeeded: SIMD3<Int>
  }

  init(_ file: MappedFile) { self.file = file }

  /// Counts of positions, texture coordinates and normals.
  private var elementCounts: SIMD3<Int> {
    SIMD3(positions.count, textureCoordinates.count, normals.count)
  }

  /// Adds the block that comes next in the file.
  ///
  /// - Throws: ``ReadingError`` with the line of the block's fault.
  mutating func append(_ block: inout OBJBlock) throws(ReadingError) {
    if let fault = block.fault {
      throw .line(path: file.path, line: lineCount + fault.line + 1, fault.message)
    }
    let before = elementCounts
    guard (before &+ block.elementCounts).max() < Int(UInt32.max) else {
      throw .content(path: file.path, "more than 4,294,967,294 vertices")
    }
    let needed = block.makeIndicesAbsolute(before: before)
    parts.append(
      Part(
        range: block.range, linesBefore: lineCount, elementsBefore: before, elementsNeeded: needed))
    appendStatements(block)
    if !block.colors.isEmpty {
      OBJBlock.pad(&colors, to: before.x)
      colors += block.colors
    }
    let rest = Double(file.count - block.range.lowerBound) / Double(block.range.count)
    positions.append(block.positions, rest: rest)
    textureCoordinates.append(block.textureCoordinates, rest: rest)
    normals.append(block.normals, rest: rest)
    points += block.points.values
    let firstCorner = corners.count
    corners.append(block.corners.values, rest: rest)
    textureIndices.append(block.textureIndices, to: corners, from: firstCorner, rest: rest)
    normalIndices.append(block.normalIndices, to: corners, from: firstCorner, rest: rest)
  }

  private mutating func appendStatements(_ block: borrowing OBJBlock) {
    let facesBefore = corners.count / 3
    for var event in block.events {
      event.firstFace += facesBefore
      events.append(event)
    }
    for var polygon in block.polygons {
      polygon.firstFace += facesBefore
      polygons.append(polygon)
    }
    if remarks.nonFinite == 0 {
      remarks.firstNonFiniteLine = lineCount + block.remarks.firstNonFiniteLine + 1
    }
    if remarks.unknown == 0 {
      remarks.firstUnknown = block.remarks.firstUnknown
      remarks.firstUnknownLine = lineCount + block.remarks.firstUnknownLine + 1
    }
    if remarks.bare == 0 { remarks.firstBareLine = lineCount + block.remarks.firstBareLine + 1 }
    remarks.bare += block.remarks.bare
    remarks.nonFinite += block.remarks.nonFinite
    remarks.lines += block.remarks.lines
    remarks.unknown += block.remarks.unknown
    lineCount += block.lineCount
  }

  /// Ends the file: now all elements are known.
  ///
  /// - Throws: ``ReadingError`` with the line of a face that refers to nothing.
  mutating func finish() throws(ReadingError) {
    var total = elementCounts
    // Some programs name texture coordinates and normals of which the file has none at all.
    if total.y == 0, textureIndices.isUsed {
      namesMissing.append("texture coordinates")
      textureIndices = OBJIndices()
      total.y = .max
    }
    if total.z == 0, normalIndices.isUsed {
      namesMissing.append("normals")
      normalIndices = OBJIndices()
      total.z = .max
    }
    for part in parts where any(part.elementsNeeded .> total) {
      throw fault(in: part, total: total)
    }
    if !colors.isEmpty { OBJBlock.pad(&colors, to: positions.count) }
    // What follows the vertices needs a value for each of them, and no more.
    if total.y != total.x { textureIndices.listIfFollowing(corners[...]) }
    if total.z != total.x { normalIndices.listIfFollowing(corners[...]) }
    textureIndices.padIfListed(to: corners.count)
    normalIndices.padIfListed(to: corners.count)
  }

  /// The fault of a block in which an index refers to nothing.
  private func fault(in part: Part, total: SIMD3<Int>) -> ReadingError {
    var parser = OBJBlockParser()
    parser.limits = OBJBlockParser.Limits(before: part.elementsBefore, total: total)
    file.withBytes { parser.parse(part.range, of: $0) }
    let fault = parser.block.fault ?? LineFault(line: 0, message: "an index refers to nothing")
    return .line(path: file.path, line: part.linesBefore + fault.line + 1, fault.message)
  }
}

extension OBJBlock {
  /// Makes relative indices absolute.
  ///
  /// - Parameter before: Counts of positions, texture coordinates and normals before the block.
  /// - Returns: Counts that they must come to for all indices to refer to something.
  fileprivate mutating func makeIndicesAbsolute(before: SIMD3<Int>) -> SIMD3<Int> {
    let vertices = corners.makeAbsolute(before: before.x)
    let points = points.makeAbsolute(before: before.x)
    let texture = textureIndices.makeAbsolute(before: before.y)
    let normal = normalIndices.makeAbsolute(before: before.z)
    return SIMD3(
      max(vertices, points), textureIndices.followVertices ? vertices : texture,
      normalIndices.followVertices ? vertices : normal)
  }
}

extension OBJIndices {
  fileprivate mutating func makeAbsolute(before: Int) -> Int {
    for place in relative {
      let value = before + Self.offset(values[place])
      guard value >= 0 else { return .max }
      values[place] = UInt32(value)
    }
    relative.removeAll(keepingCapacity: true)
    var needed: UInt32 = 0
    // One more than a missing index is zero.
    for value in values { needed = max(needed, value &+ 1) }
    return Int(needed)
  }

  /// Adds the indices of a block, whose corners stand from `first` on.
  fileprivate mutating func append(
    _ part: borrowing OBJIndices, to corners: [UInt32], from first: Int, rest: Double
  ) {
    guard first < corners.count else { return }
    if part.followVertices, followVertices || first == 0 {
      followVertices = true
      return
    }
    listIfFollowing(corners[..<first])
    guard part.followVertices || !part.values.isEmpty else { return }
    values += repeatElement(Self.missing, count: first - values.count)
    if part.followVertices {
      values += corners[first...]
    } else {
      values.append(part.values, rest: rest)
    }
  }

  fileprivate mutating func padIfListed(to count: Int) {
    guard !values.isEmpty, values.count < count else { return }
    values += repeatElement(Self.missing, count: count - values.count)
  }
}

extension Array {
  /// Adds the elements of a block.
  ///
  /// Memory is taken for what the rest of the file may hold if it goes on like the block: arrays that
  /// grow copy themselves time and again, and memory that nobody writes to costs nothing.
  ///
  /// - Parameter rest: How many blocks like it there may be, itself included.
  fileprivate mutating func append(_ part: [Element], rest: Double) {
    if capacity < count + part.count {
      reserveCapacity(count + Swift.max(count / 2, Int(Double(part.count) * rest)))
    }
    self += part
  }
}
