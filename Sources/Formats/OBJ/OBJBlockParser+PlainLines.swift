import MeshPipeline

/// The fast path for typical lines.
///
/// It reports no faults: anything unusual is left to the general path, and so is a line that ends
/// less than `reach` bytes before the block does, so that words can be read without bounds checks.
extension OBJBlockParser {
  /// More bytes than a plain line has: a keyword, six numbers of up to 18 bytes, and the lookahead
  /// of the last.
  private static var reach: Int { 160 }

  /// Reads lines up to the first one that is not plain.
  ///
  /// Plain lines are `v`, `vn` and `vt` with the required numbers, and `f` with three corners with
  /// absolute indices, separated by single spaces. Positions far from zero are not.
  @inline(never)
  mutating func parsePlainLines(_ bytes: Span<UInt8>) {
    while position + Self.reach <= end {
      var place = position + 2
      let isPlain =
        switch bytes.word(at: position) as UInt16 {
        case 0x2076: origin == .zero && parsePlainPosition(bytes, &place)
        case 0x2066: parsePlainFace(bytes, &place)
        case 0x6E76: parsePlainNormal(bytes, &place)
        case 0x7476: parsePlainTextureCoordinate(bytes, &place)
        default: false
        }
      guard isPlain else { return }
      position = place
      line += 1
    }
  }

  // MARK: Vertices

  @inline(__always)
  private mutating func parsePlainPosition(_ bytes: Span<UInt8>, _ place: inout Int) -> Bool {
    guard let point = Self.plainVector(bytes, &place) else { return false }
    if Self.endPlainLine(bytes, &place) {
      block.positions.append(point)
      return true
    }
    guard Self.takeSpace(bytes, &place), let color = Self.plainVector(bytes, &place),
      Self.endPlainLine(bytes, &place)
    else { return false }
    block.positions.append(point)
    OBJBlock.pad(&block.colors, to: block.positions.count - 1)
    block.colors.append(color)
    return true
  }

  @inline(__always)
  private mutating func parsePlainNormal(_ bytes: Span<UInt8>, _ place: inout Int) -> Bool {
    guard Self.takeSpace(bytes, &place), let normal = Self.plainVector(bytes, &place),
      Self.endPlainLine(bytes, &place)
    else { return false }
    block.normals.append(normal)
    return true
  }

  @inline(__always)
  private mutating func parsePlainTextureCoordinate(
    _ bytes: Span<UInt8>, _ place: inout Int
  ) -> Bool {
    guard Self.takeSpace(bytes, &place), let u = Decimal.plain(bytes, &place),
      Self.takeSpace(bytes, &place), let v = Decimal.plain(bytes, &place)
    else { return false }
    if !Self.endPlainLine(bytes, &place) {
      guard Self.takeSpace(bytes, &place), Decimal.plain(bytes, &place) != nil,
        Self.endPlainLine(bytes, &place)
      else { return false }
    }
    let coordinate = Vector2(u, v)
    guard coordinate.isPlaceInTexture else { return false }
    block.textureCoordinates.append(coordinate)
    return true
  }

  @inline(__always)
  private static func plainVector(_ bytes: Span<UInt8>, _ place: inout Int) -> Vector3? {
    guard let x = Decimal.plain(bytes, &place), takeSpace(bytes, &place),
      let y = Decimal.plain(bytes, &place), takeSpace(bytes, &place),
      let z = Decimal.plain(bytes, &place)
    else { return nil }
    return Vector3(x, y, z)
  }

  // MARK: Faces

  @inline(__always)
  private mutating func parsePlainFace(_ bytes: Span<UInt8>, _ place: inout Int) -> Bool {
    guard let a = Self.plainCorner(bytes, &place), Self.takeSpace(bytes, &place),
      let b = Self.plainCorner(bytes, &place), Self.takeSpace(bytes, &place),
      let c = Self.plainCorner(bytes, &place), Self.endPlainLine(bytes, &place)
    else { return false }
    let first = block.corners.values.count
    block.corners.values.append(a.vertex)
    block.corners.values.append(b.vertex)
    block.corners.values.append(c.vertex)
    let vertices = (a.vertex, b.vertex, c.vertex)
    if !block.textureIndices.appendUsual(
      (a.texture, b.texture, c.texture), vertices: vertices, at: first)
    {
      for (offset, corner) in [a, b, c].enumerated() {
        appendTexture(of: corner, at: first + offset)
      }
    }
    if !block.normalIndices.appendUsual(
      (a.normal, b.normal, c.normal), vertices: vertices, at: first)
    {
      for (offset, corner) in [a, b, c].enumerated() {
        appendNormal(of: corner, at: first + offset)
      }
    }
    return true
  }

  /// Reads a corner in one of its four forms, with absolute indices.
  @inline(__always)
  private static func plainCorner(_ bytes: Span<UInt8>, _ offset: inout Int) -> Corner? {
    let vertex: UInt64 = bytes.word(at: offset)
    let (number, count) = Digits.leading(vertex)
    guard count > 0, number > 0 else { return nil }
    var corner = Corner(vertex: UInt32(truncatingIfNeeded: number &- 1))
    offset &+= count
    guard bytes[offset] == UInt8(ascii: "/") else { return corner }
    offset &+= 1
    if bytes[offset] != UInt8(ascii: "/") {
      let texture = plainIndex(
        bytes, &offset, after: vertex, vertexCount: count, vertexIndex: corner.vertex)
      guard let texture else { return nil }
      corner.texture = texture
      if bytes[offset] != UInt8(ascii: "/") { return corner }
    }
    offset &+= 1
    guard
      let normal = plainIndex(
        bytes, &offset, after: vertex, vertexCount: count, vertexIndex: corner.vertex)
    else {
      return nil
    }
    corner.normal = normal
    return corner
  }

  /// Reads an index of up to eight digits; the caller verifies that no more follow.
  ///
  /// An index that repeats the vertex's ends after the same length, so the next position does not
  /// depend on its digits.
  @inline(__always)
  private static func plainIndex(
    _ bytes: Span<UInt8>, _ position: inout Int, after vertex: UInt64, vertexCount: Int,
    vertexIndex: UInt32
  ) -> UInt32? {
    let text: UInt64 = bytes.word(at: position)
    let difference = (text ^ vertex) &<< UInt64(truncatingIfNeeded: 64 &- 8 &* vertexCount)
    if difference == 0, bytes[position &+ vertexCount] < 0x30 {
      position &+= vertexCount
      return vertexIndex
    }
    let (number, count) = Digits.leading(text)
    guard count > 0, number > 0 else { return nil }
    position &+= count
    return UInt32(truncatingIfNeeded: number &- 1)
  }

  // MARK: Text

  @inline(__always)
  private static func takeSpace(_ bytes: Span<UInt8>, _ offset: inout Int) -> Bool {
    guard bytes[offset] == 0x20 else { return false }
    offset &+= 1
    return true
  }

  @inline(__always)
  private static func endPlainLine(_ bytes: Span<UInt8>, _ offset: inout Int) -> Bool {
    if bytes[offset] == 0x0A {
      offset &+= 1
      return true
    }
    guard bytes[offset] == 0x0D, bytes[offset &+ 1] == 0x0A else { return false }
    offset &+= 2
    return true
  }
}
