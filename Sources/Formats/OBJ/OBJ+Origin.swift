import MeshPipeline

extension OBJ {
  /// The places in a file where positions are looked for.
  private static let sampleCount = 256
  /// The bytes that are searched for one from there: also past comments at the beginning of a file.
  private static let sampleLength = 1 << 12

  /// An origin near the file's positions, by some of them; zero if none is needed.
  ///
  /// - Parameter bytes: The file, which may be damaged: that is found later.
  static func origin(of bytes: Span<UInt8>, metersPerUnit: Double) -> SIMD3<Double> {
    // In most files the first position shows that they are near zero.
    guard let first = position(in: bytes, from: textStart(of: bytes)),
      (0..<3).contains(where: {
        DistantOrigin.isFar(2 * first[$0], metersPerUnit: metersPerUnit)
      })
    else { return .zero }
    let others = (1..<sampleCount).compactMap {
      position(in: bytes, from: nextLine(of: bytes, from: $0 * (bytes.count / sampleCount)))
    }
    return DistantOrigin.place(of: [first] + others, metersPerUnit: metersPerUnit)
  }

  /// The first position among the lines from a place on.
  private static func position(in bytes: Span<UInt8>, from start: Int) -> SIMD3<Double>? {
    var line = start
    let limit = min(bytes.count, start + sampleLength)
    while line < limit {
      if let position = position(in: bytes, atLine: line) { return position }
      line = nextLine(of: bytes, from: line)
    }
    return nil
  }

  private static func position(in bytes: Span<UInt8>, atLine line: Int) -> SIMD3<Double>? {
    guard line + 1 < bytes.count, bytes[line] == UInt8(ascii: "v"), isBlank(bytes[line + 1]) else {
      return nil
    }
    var offset = line + 1
    var position = SIMD3<Double>.zero
    for axis in 0..<3 {
      while offset < bytes.count, bytes[offset] == 0x20 || bytes[offset] == 0x09 { offset += 1 }
      guard let value = Decimal.double(bytes, &offset, end: bytes.count) else { return nil }
      position[axis] = value
    }
    return position
  }

  /// The start of the line after a place; the end of the file if there is none.
  private static func nextLine(of bytes: Span<UInt8>, from offset: Int) -> Int {
    var offset = offset
    while offset < bytes.count, bytes[offset] != 0x0A, bytes[offset] != 0x0D { offset += 1 }
    return min(bytes.count, offset + 1)
  }
}
