extension Texture {
  /// Width and height of a picture of a kind that few models have; nil if it is another.
  ///
  /// - Parameter bytes: The file, or its beginning; a TIFF may say it only at its end.
  static func rarePixelSize(_ bytes: [UInt8]) -> SIMD2<Int>? {
    func starts(_ text: String) -> Bool { bytes.starts(with: text.utf8) }
    var size = SIMD2<Int>.zero
    if starts("GIF8") {
      size = SIMD2(little(bytes, 6, 2), little(bytes, 8, 2))
    } else if starts("DDS ") {
      size = SIMD2(little(bytes, 16, 4), little(bytes, 12, 4))
    } else if starts("8BPS") {
      size = SIMD2(big(bytes, 18, 4), big(bytes, 14, 4))
    } else if bytes.starts(with: [0xFF, 0x4F, 0xFF, 0x51]) {
      // The grid's end less the picture's place on it.
      size =
        SIMD2(big(bytes, 8, 4), big(bytes, 12, 4)) &- SIMD2(big(bytes, 16, 4), big(bytes, 20, 4))
    } else if bytes.starts(with: [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20]) {
      guard let box = place(of: "ihdr", in: bytes) else { return nil }
      size = SIMD2(big(bytes, box + 8, 4), big(bytes, box + 4, 4))
    } else if bytes.starts(with: [0x76, 0x2F, 0x31, 0x01]) {
      // What is shown; pixels may be given for a part of it only.
      guard let attribute = place(of: "displayWindow\0box2i\0", in: bytes) else { return nil }
      let corners = (0..<4).map { corner in
        Int(Int32(truncatingIfNeeded: little(bytes, attribute + 24 + 4 * corner, 4)))
      }
      size = SIMD2(corners[2] - corners[0] + 1, corners[3] - corners[1] + 1)
    } else {
      return TIFFHeader(bytes)?.size
    }
    return size.min() > 0 ? size : nil
  }

  /// Where a mark is in the first bytes of a file.
  private static func place(of mark: String, in bytes: [UInt8]) -> Int? {
    let mark = Array(mark.utf8)
    let last = min(bytes.count, 1 << 16) - mark.count
    guard last >= 0 else { return nil }
    return (0...last).first { start in
      bytes[start] == mark[0] && bytes[start..<start + mark.count].elementsEqual(mark)
    }
  }
}
