import MeshpipeBase

/// What pictures say beside their pixels: where, when and with which device they were taken.
package enum PictureMetadata {
  /// The same picture with nothing but what pixels and colours mean.
  ///
  /// - Returns: Nil for what is neither JPEG nor PNG, or is damaged.
  package static func removed(from bytes: [UInt8]) -> [UInt8]? {
    bytes.starts(with: [0xFF, 0xD8, 0xFF])
      ? withoutSegments(bytes) : bytes.starts(with: signature) ? withoutChunks(bytes) : nil
  }

  // MARK: JPEG

  private static func withoutSegments(_ bytes: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = [0xFF, 0xD8]
    var place = 2
    var hasImage = false
    while let mark = bytes[place...].firstIndex(of: 0xFF), mark + 1 < bytes.count {
      let kind = bytes[mark + 1]
      // Filling, and strays between segments, which readers pass over.
      if kind == 0xFF || kind <= 1 || (0xD0...0xD8).contains(kind) {
        place = mark + (kind == 0xFF ? 1 : 2)
        continue
      }
      // What follows the end of the picture is another.
      if kind == 0xD9 { return hasImage ? result + [0xFF, 0xD9] : nil }
      guard mark + 4 <= bytes.count else { break }
      let end = mark + 2 + Int(bytes[mark + 2]) << 8 + Int(bytes[mark + 3])
      guard end <= bytes.count, end >= mark + 4 else { return hasImage ? result : nil }
      result += kept(bytes[mark..<end], kind)
      place = end
      if kind == 0xDA {
        hasImage = true
        place = self.end(ofScanIn: bytes, from: end)
        result += bytes[end..<place]
      }
    }
    return hasImage ? result : nil
  }

  /// What decoding needs of a segment: nothing of what applications and comments say.
  private static func kept(_ segment: ArraySlice<UInt8>, _ kind: UInt8) -> ArraySlice<UInt8> {
    let content = segment.dropFirst(4)
    switch kind {
    case 0xC0...0xC7, 0xC9...0xCF, 0xDA...0xDF: return segment
    // Without the small picture that may follow.
    case 0xE0 where content.starts(with: "JFIF\0".utf8) && content.count >= 14:
      return ([0xFF, 0xE0, 0, 16] + content.prefix(12) + [0, 0])[...]
    case 0xE2 where content.starts(with: "ICC_PROFILE\0".utf8): return segment
    case 0xEE where content.starts(with: "Adobe".utf8) && content.count >= 12:
      return ([0xFF, 0xEE, 0, 14] + content.prefix(12))[...]
    default: return []
    }
  }

  /// Where image data end that only their own markers interrupt.
  private static func end(ofScanIn bytes: [UInt8], from start: Int) -> Int {
    var place = start
    while let mark = bytes[place...].firstIndex(of: 0xFF), mark + 1 < bytes.count {
      let kind = bytes[mark + 1]
      guard kind == 0 || kind == 0xFF || (0xD0...0xD7).contains(kind) else { return mark }
      place = mark + (kind == 0xFF ? 1 : 2)
    }
    return bytes.count
  }

  // MARK: PNG

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// Those of the image, its colours and its animation.
  private static let keptChunks: Set = [
    "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "bKGD", "pHYs",
    "acTL", "fcTL", "fdAT",
  ]

  private static func withoutChunks(_ bytes: [UInt8]) -> [UInt8]? {
    var result = signature
    var place = signature.count
    while place + 12 <= bytes.count {
      let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= bytes.count - place - 12 else { return nil }
      let kind = String(decoding: bytes[place + 4..<place + 8], as: UTF8.self)
      let end = place + 12 + length
      if keptChunks.contains(kind) {
        result += bytes[place..<end]
      } else if bytes[place + 4] & 0x20 == 0 {
        // It changes what the others mean.
        return nil
      }
      if kind == "IEND" { return result }
      place = end
    }
    return nil
  }
}
