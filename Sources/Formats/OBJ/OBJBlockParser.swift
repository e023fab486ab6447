import MeshPipeline

/// Parses the lines of an OBJ file, block by block.
struct OBJBlockParser {
  var block = OBJBlock()
  /// The elements of the file and those before the block, once they are known, to find the line of
  /// a face with an invalid index.
  var limits: Limits?
  /// Subtracted from positions, which single precision would round far from it.
  var origin = SIMD3<Double>.zero

  var position = 0
  private(set) var end = 0
  var line = 0

  /// Counts of positions, texture coordinates and normals.
  struct Limits {
    var before: SIMD3<Int>
    var total: SIMD3<Int>
  }

  /// Parses a block until its end or the first fault, reusing the memory of the previous block.
  mutating func parse(_ range: Range<Int>, of bytes: Span<UInt8>) {
    block.removeAll()
    block.range = range
    (position, end, line) = (range.lowerBound, range.upperBound, 0)
    do throws(LineFault) {
      while position < end {
        if limits == nil { parsePlainLines(bytes) }
        try parseLine(bytes)
      }
    } catch {
      block.fault = error
    }
    block.lineCount = line
  }

  private mutating func parseLine(_ bytes: Span<UInt8>) throws(LineFault) {
    skipSpaces(bytes)
    guard position < end else { return }
    switch bytes[position] {
    case UInt8(ascii: "v"): try parseVertexLine(bytes)
    case UInt8(ascii: "f") where isSpace(bytes, position + 1):
      position += 1
      try parseFace(bytes)
    case UInt8(ascii: "#"): skipComment(bytes)
    case 0x0A, 0x0D: break
    default: try parseOther(bytes)
    }
    try endLine(bytes)
  }

  // MARK: Vertices

  private mutating func parseVertexLine(_ bytes: Span<UInt8>) throws(LineFault) {
    if isSpace(bytes, position + 1) {
      position += 1
      skipSpaces(bytes)
      if isAtLineEnd(bytes) { return parseBare("v") }
      return try parsePosition(bytes)
    }
    guard position + 1 < end, isSpace(bytes, position + 2) else { return try parseOther(bytes) }
    switch bytes[position + 1] {
    case UInt8(ascii: "n"):
      position += 2
      let normal = Vector3(try float(bytes), try float(bytes), try float(bytes))
      block.normals.append(normal)
    case UInt8(ascii: "t"):
      position += 2
      let u = try float(bytes)
      skipSpaces(bytes)
      let v = isAtLineEnd(bytes) ? 0 : try float(bytes)
      skipSpaces(bytes)
      if !isAtLineEnd(bytes) { _ = try float(bytes) }
      append(Vector2(u, v))
    default: try parseOther(bytes)
    }
  }

  /// Adds a texture coordinate, mended where it is beyond any picture.
  private mutating func append(_ place: Vector2) {
    if !place.isPlaceInTexture {
      if block.remarks.brokenPlaces == 0 { block.remarks.firstBrokenPlaceLine = line }
      block.remarks.brokenPlaces += 1
    }
    block.textureCoordinates.append(place.placeInTexture)
  }

  /// Handles a statement without numbers, which still counts, since indices of others depend on it.
  mutating func parseBare(_ word: String) {
    if block.remarks.bare == 0 { block.remarks.firstBareLine = line }
    block.remarks.bare += 1
    switch word {
    case "v": block.positions.append(.zero)
    case "vn": block.normals.append(.zero)
    case "vt": block.textureCoordinates.append(.zero)
    default: break
    }
  }

  private mutating func parsePosition(_ bytes: Span<UInt8>) throws(LineFault) {
    let point =
      origin == .zero
      ? Vector3(try float(bytes), try float(bytes), try float(bytes))
      : Vector3(
        SIMD3<Float>(SIMD3(try double(bytes), try double(bytes), try double(bytes)) - origin))
    if !point.isFinite {
      if block.remarks.nonFinite == 0 { block.remarks.firstNonFiniteLine = line }
      block.remarks.nonFinite += 1
    }
    block.positions.append(point)
    skipSpaces(bytes)
    if !isAtLineEnd(bytes) { try parseColor(bytes) }
  }

  /// Reads what follows the coordinates: a weight, which is ignored, or a colour with or without
  /// opacity.
  private mutating func parseColor(_ bytes: Span<UInt8>) throws(LineFault) {
    let first = try float(bytes)
    skipSpaces(bytes)
    if isAtLineEnd(bytes) { return }
    let color = Vector3(first, try float(bytes), try float(bytes))
    skipSpaces(bytes)
    if !isAtLineEnd(bytes) { _ = try float(bytes) }
    OBJBlock.pad(&block.colors, to: block.positions.count - 1)
    block.colors.append(color)
  }

  // MARK: Faces

  /// A corner as written; indices are as in ``OBJIndices``.
  struct Corner {
    var vertex: UInt32 = 0
    var texture = OBJIndices.missing
    var normal = OBJIndices.missing
    /// Bits 0, 1 and 2: whether the vertex, texture and normal index is relative to the block.
    var relative: UInt8 = 0
  }

  mutating func parseFace(_ bytes: Span<UInt8>) throws(LineFault) {
    let firstFace = block.faceCount
    skipSpaces(bytes)
    if isAtLineEnd(bytes) { return parseBare("f") }
    let first = try parseCorner(bytes)
    var previous = try parseCorner(bytes)
    var cornerCount = 2
    skipSpaces(bytes)
    repeat {
      let corner = try parseCorner(bytes)
      append(first)
      append(previous)
      append(corner)
      previous = corner
      cornerCount += 1
      skipSpaces(bytes)
    } while !isAtLineEnd(bytes)
    if cornerCount > 3 {
      block.polygons.append(FacePolygon(firstFace: firstFace, cornerCount: cornerCount))
    }
    if let limits {
      block.textureIndices.listIfFollowing(block.corners.values[...])
      block.normalIndices.listIfFollowing(block.corners.values[...])
      try checkCorners(from: 3 * firstFace, limits)
    }
  }

  mutating func parseCorner(_ bytes: Span<UInt8>) throws(LineFault) -> Corner {
    skipSpaces(bytes)
    if isAtLineEnd(bytes) { throw fault("a face needs at least three corners") }
    var corner = Corner()
    var isRelative = false
    corner.vertex = try index(bytes, block.positions.count, &isRelative)
    if isRelative { corner.relative = 1 }
    if position < end, bytes[position] == UInt8(ascii: "/") {
      position += 1
      if !isCornerPartEnd(bytes) {
        corner.texture = try index(bytes, block.textureCoordinates.count, &isRelative)
        if isRelative { corner.relative |= 2 }
      }
      if position < end, bytes[position] == UInt8(ascii: "/") {
        position += 1
        if !isCornerPartEnd(bytes) {
          corner.normal = try index(bytes, block.normals.count, &isRelative)
          if isRelative { corner.relative |= 4 }
        }
      }
    }
    guard position == end || bytes[position] <= 0x20 || bytes[position] == 0x5C else {
      throw unexpected(bytes, "a vertex index")
    }
    return corner
  }

  /// Reads an index, which counts from 1, or if negative backwards from the last of `count`
  /// elements.
  @inline(__always)
  private mutating func index(
    _ bytes: Span<UInt8>, _ count: Int, _ isRelative: inout Bool
  ) throws(LineFault) -> UInt32 {
    let start = position
    isRelative = position < end && bytes[position] == 0x2D
    if isRelative { position += 1 }
    var digits: UInt64 = 0
    let firstDigit = position
    Digits.read(bytes, &position, end: end, into: &digits)
    guard position > firstDigit, position - firstDigit <= 18 else {
      position = start
      throw unexpected(bytes, "a vertex index")
    }
    let value = Int(digits)
    guard value > 0 else { throw fault("an index of 0; indices of OBJ count from 1") }
    guard value < (isRelative ? Int(Int32.max) : Int(UInt32.max)) else {
      throw fault("index \(isRelative ? -value : value) is out of range")
    }
    return isRelative ? OBJIndices.relative(count - value) : UInt32(value - 1)
  }

  private mutating func append(_ corner: Corner) {
    if corner.relative & 1 != 0 { block.corners.relative.append(block.corners.values.count) }
    block.corners.values.append(corner.vertex)
    let place = block.corners.values.count - 1
    appendTexture(of: corner, at: place)
    appendNormal(of: corner, at: place)
  }

  mutating func appendTexture(of corner: Corner, at index: Int) {
    block.textureIndices.append(
      corner.texture, isRelative: corner.relative & 2 != 0, at: index, of: block.corners)
  }

  mutating func appendNormal(of corner: Corner, at index: Int) {
    block.normalIndices.append(
      corner.normal, isRelative: corner.relative & 4 != 0, at: index, of: block.corners)
  }

  /// Checks the corners of the last face against the counts of the whole file.
  private func checkCorners(from first: Int, _ limits: Limits) throws(LineFault) {
    let parts = [
      (block.corners, 0, "vertex", "vertices"),
      (block.textureIndices, 1, "texture coordinate", "texture coordinates"),
      (block.normalIndices, 2, "normal", "normals"),
    ]
    for (indices, part, name, names) in parts {
      let relative = indices.relative.reversed().prefix { $0 >= first }
      for place in first..<max(first, indices.values.count) {
        let value = indices.values[place]
        if value == OBJIndices.missing { continue }
        let isRelative = relative.contains(place)
        let index = isRelative ? limits.before[part] + OBJIndices.offset(value) : Int(value)
        guard index >= 0, index < limits.total[part] else {
          throw fault(
            "the face refers to \(name) \(index + 1), but there are \(limits.total[part]) \(names)")
        }
      }
    }
  }

  // MARK: Text

  @inline(__always)
  private mutating func float(_ bytes: Span<UInt8>) throws(LineFault) -> Float {
    skipSpaces(bytes)
    guard let value = Decimal.float(bytes, &position, end: end) else {
      throw unexpected(bytes, "a number")
    }
    return value
  }

  private mutating func double(_ bytes: Span<UInt8>) throws(LineFault) -> Double {
    skipSpaces(bytes)
    guard let value = Decimal.double(bytes, &position, end: end) else {
      throw unexpected(bytes, "a number")
    }
    return value
  }

  @inline(__always)
  mutating func skipSpaces(_ bytes: Span<UInt8>) {
    while position < end {
      let byte = bytes[position]
      if byte == 0x20 || byte == 0x09 {
        position += 1
      } else if byte == 0x5C, let next = lineBreak(bytes, position + 1) {
        position = next
        line += 1
      } else {
        return
      }
    }
  }

  /// The position after the line break at `index`, or nil if there is none.
  @inline(__always)
  private func lineBreak(_ bytes: Span<UInt8>, _ index: Int) -> Int? {
    guard index < end else { return nil }
    if bytes[index] == 0x0A { return index + 1 }
    guard bytes[index] == 0x0D else { return nil }
    return index + 1 < end && bytes[index + 1] == 0x0A ? index + 2 : index + 1
  }

  @inline(__always)
  private func isSpace(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
    index < end && (bytes[index] == 0x20 || bytes[index] == 0x09)
  }

  @inline(__always)
  func isAtLineEnd(_ bytes: Span<UInt8>) -> Bool {
    position == end || bytes[position] == 0x0A || bytes[position] == 0x0D
      || bytes[position] == UInt8(ascii: "#")
  }

  @inline(__always)
  private func isCornerPartEnd(_ bytes: Span<UInt8>) -> Bool {
    position == end || bytes[position] <= 0x20 || bytes[position] == UInt8(ascii: "/")
  }

  /// Moves to the end of the line; a backslash does not continue a comment.
  private mutating func skipComment(_ bytes: Span<UInt8>) {
    while position < end, bytes[position] != 0x0A, bytes[position] != 0x0D { position += 1 }
  }

  /// Moves to the end of the statement, across lines joined by a backslash.
  mutating func skipStatement(_ bytes: Span<UInt8>) {
    while position < end, bytes[position] != 0x0A, bytes[position] != 0x0D {
      if bytes[position] == 0x5C, let next = lineBreak(bytes, position + 1) {
        position = next
        line += 1
      } else {
        position += 1
      }
    }
  }

  /// Skips the end of the line; anything else is one value too many.
  @inline(__always)
  private mutating func endLine(_ bytes: Span<UInt8>) throws(LineFault) {
    skipSpaces(bytes)
    guard position < end else { return }
    if bytes[position] == UInt8(ascii: "#") { skipComment(bytes) }
    guard position < end else { return }
    guard let next = lineBreak(bytes, position) else {
      throw unexpected(bytes, "the end of the line")
    }
    position = next
    line += 1
  }

  func fault(_ message: String) -> LineFault { LineFault(line: line, message: message) }

  private func unexpected(_ bytes: Span<UInt8>, _ expectation: String) -> LineFault {
    var wordEnd = position
    while wordEnd < end, bytes[wordEnd] > 0x20 { wordEnd += 1 }
    return wordEnd == position
      ? fault("expected \(expectation), but the line ends")
      : fault("expected \(expectation), but found \(quoted(bytes, position..<wordEnd))")
  }
}
