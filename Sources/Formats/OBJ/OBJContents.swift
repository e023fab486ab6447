import MeshPipeline

/// The contents of an OBJ file, assembled from its blocks.
struct OBJContents {
  private(set) var positions: [Vector3] = []
  /// Red, green and blue as written; empty, or one per position after ``finish()``.
  private(set) var colors: [Vector3] = []
  private(set) var textureCoordinates: [Vector2] = []
  private(set) var normals: [Vector3] = []

  /// Three vertices per face.
  private(set) var corners: [UInt32] = []
  private(set) var textureIndices = OBJIndices()
  private(set) var normalIndices = OBJIndices()
  private(set) var polygons: [FacePolygon] = []
  /// The vertices of point elements.
  private(set) var points: [UInt32] = []

  private(set) var events: [OBJBlock.Event] = []
  private(set) var remarks = OBJBlock.Remarks()
  /// Kinds of elements that faces refer to but the file does not have.
  private(set) var namesMissing: [String] = []

  /// One more than the greatest position, texture coordinate and normal that a face or a point refers to.
  var usedCounts: SIMD3<Int> {
    parts.reduce(.zero) { pointwiseMax($0, $1.elementsNeeded) }
  }

  private let file: MappedFile
  private var lineCount = 0
  private var parts: [Part] = []

  /// Conditions on a block that are checked when all elements are known.
  private struct Part {
    var range: Range<Int>
    var linesBefore: Int
    var elementsBefore: SIMD3<Int>
    /// The minimum number of elements for all indices to be valid.
    var elementsNeeded: SIMD3<Int>
  }

  init(_ file: MappedFile) { self.file = file }

  /// Counts of positions, texture coordinates and normals.
  var elementCounts: SIMD3<Int> {
    SIMD3(positions.count, textureCoordinates.count, normals.count)
  }

  /// Adds the next block of the file.
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
    if remarks.brokenPlaces == 0 {
      remarks.firstBrokenPlaceLine = lineCount + block.remarks.firstBrokenPlaceLine + 1
    }
    remarks.brokenPlaces += block.remarks.brokenPlaces
    remarks.bare += block.remarks.bare
    remarks.nonFinite += block.remarks.nonFinite
    remarks.lines += block.remarks.lines
    remarks.unknown += block.remarks.unknown
    lineCount += block.lineCount
  }

  /// Ends the file, when all elements are known.
  ///
  /// - Throws: ``ReadingError`` with the line of a face with an invalid index.
  mutating func finish() throws(ReadingError) {
    var total = elementCounts
    // Some programs refer to texture coordinates and normals although the file has none at all.
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
    // Lists that follow the vertices need exactly one value per vertex.
    if total.y != total.x { textureIndices.listIfFollowing(corners[...]) }
    if total.z != total.x { normalIndices.listIfFollowing(corners[...]) }
    textureIndices.padIfListed(to: corners.count)
    normalIndices.padIfListed(to: corners.count)
  }

  /// The fault of a block with an invalid index.
  private func fault(in part: Part, total: SIMD3<Int>) -> ReadingError {
    var parser = OBJBlockParser()
    parser.limits = OBJBlockParser.Limits(before: part.elementsBefore, total: total)
    file.withBytes { parser.parse(part.range, of: $0) }
    let fault = parser.block.fault ?? LineFault(line: 0, message: "an index is out of range")
    return .line(path: file.path, line: part.linesBefore + fault.line + 1, fault.message)
  }
}

extension OBJBlock {
  /// Converts relative indices to absolute ones.
  ///
  /// - Parameter before: Counts of positions, texture coordinates and normals before the block.
  /// - Returns: The minimum counts for all indices to be valid.
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
    for index in relative {
      let value = before + Self.offset(values[index])
      guard value >= 0 else { return .max }
      values[index] = UInt32(value)
    }
    relative.removeAll(keepingCapacity: true)
    var needed: UInt32 = 0
    // One more than a missing index is zero.
    for value in values { needed = max(needed, value &+ 1) }
    return Int(needed)
  }

  /// Adds the indices of a block, whose corners start at `first`.
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
  /// Reserves memory for the rest of the file, assuming that it continues like the block: growing
  /// arrays are copied repeatedly, and untouched memory costs nothing.
  ///
  /// - Parameter rest: The estimated number of remaining blocks, including this one.
  fileprivate mutating func append(_ part: [Element], rest: Double) {
    if capacity < count + part.count {
      reserveCapacity(count + Swift.max(count / 2, Int(Double(part.count) * rest)))
    }
    self += part
  }
}
