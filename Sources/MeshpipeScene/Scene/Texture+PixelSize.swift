extension Texture {
  /// Width and height of the image in pixels, read from its header; nil if unknown.
  public var pixelSize: SIMD2<Int>? {
    Self.pixelSize(inHead: bytes) ?? (encoding == .tga ? Self.tgaSize(bytes) : nil)
  }

  /// Width and height of an image that begins with these bytes; nil if its kind is not recognised.
  package static func pixelSize(inHead bytes: [UInt8]) -> SIMD2<Int>? {
    pngSize(bytes) ?? jpegSize(bytes) ?? webpSize(bytes) ?? avifSize(bytes) ?? ktx2Size(bytes)
      ?? bmpSize(bytes) ?? rarePixelSize(bytes)
  }

  private static func pngSize(_ bytes: [UInt8]) -> SIMD2<Int>? {
    guard bytes.count >= 24, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return nil }
    return SIMD2(big(bytes, 16, 4), big(bytes, 20, 4))
  }

  /// The size is in the first frame header (SOF), after segments of any length.
  private static func jpegSize(_ bytes: [UInt8]) -> SIMD2<Int>? {
    guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
    var offset = 2
    while offset + 9 <= bytes.count, bytes[offset] == 0xFF {
      let marker = bytes[offset + 1]
      if marker == 0xFF {
        offset += 1
      } else if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
        return SIMD2(big(bytes, offset + 7, 2), big(bytes, offset + 5, 2))
      } else if marker == 0x01 || (0xD0...0xD7).contains(marker) {
        offset += 2
      } else {
        offset += 2 + big(bytes, offset + 2, 2)
      }
    }
    return nil
  }

  private static func webpSize(_ bytes: [UInt8]) -> SIMD2<Int>? {
    guard bytes.count >= 30, bytes.starts(with: Array("RIFF".utf8)),
      bytes[8..<12].elementsEqual("WEBP".utf8)
    else { return nil }
    if bytes[12..<16].elementsEqual("VP8X".utf8) {
      return SIMD2(little(bytes, 24, 3) + 1, little(bytes, 27, 3) + 1)
    }
    if bytes[12..<16].elementsEqual("VP8L".utf8) {
      let bits = little(bytes, 21, 4)
      return SIMD2(bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
    }
    return SIMD2(little(bytes, 26, 2) & 0x3FFF, little(bytes, 28, 2) & 0x3FFF)
  }

  private static func avifSize(_ bytes: [UInt8]) -> SIMD2<Int>? {
    guard bytes.count >= 12, bytes[4..<8].elementsEqual("ftyp".utf8) else { return nil }
    // All that describes a picture comes first.
    return HEIFHeader(Array(bytes.prefix(1 << 18)), fileLength: bytes.count).size
  }

  private static func ktx2Size(_ bytes: [UInt8]) -> SIMD2<Int>? {
    guard bytes.count >= 28, bytes.starts(with: Encoding.ktx2Identifier) else { return nil }
    return SIMD2(little(bytes, 20, 4), little(bytes, 24, 4))
  }

  private static func bmpSize(_ bytes: [UInt8]) -> SIMD2<Int>? {
    guard bytes.count >= 26, bytes.starts(with: Array("BM".utf8)) else { return nil }
    let height = Int32(truncatingIfNeeded: little(bytes, 22, 4))
    return SIMD2(little(bytes, 18, 4), Int(height.magnitude))
  }

  private static func tgaSize(_ bytes: [UInt8]) -> SIMD2<Int>? {
    guard bytes.count >= 18 else { return nil }
    return SIMD2(little(bytes, 12, 2), little(bytes, 14, 2))
  }

  /// A number with its highest byte first; 0 beyond the end.
  static func big(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    guard offset + count <= bytes.count else { return 0 }
    return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// A number with its lowest byte first; 0 beyond the end.
  static func little(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    guard offset + count <= bytes.count else { return 0 }
    return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
