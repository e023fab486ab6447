import MeshpipeBase

/// What pictures say beside their pixels: where, when and with which device they were taken.
package enum PictureMetadata {
  /// The same picture without it: what pixels and colours mean stays.
  ///
  /// - Returns: Nil for what is neither JPEG nor PNG, or is damaged.
  package static func removed(from bytes: [UInt8]) -> [UInt8]? {
    bytes.starts(with: [0xFF, 0xD8, 0xFF])
      ? withoutSegments(bytes) : bytes.starts(with: signature) ? withoutChunks(bytes) : nil
  }

  // MARK: JPEG

  /// Keeps JFIF, colour profiles and the kind of colours; what else applications and comments say goes.
  private static func withoutSegments(_ bytes: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = [0xFF, 0xD8]
    var place = 2
    while place + 4 <= bytes.count, bytes[place] == 0xFF {
      let kind = bytes[place + 1]
      if kind == 0xFF {
        // Filling.
        place += 1
        continue
      }
      // Image data, which only their own markers interrupt, last to the end of the picture: what follows it is another.
      if kind == 0xDA { return result + bytes[place..<end(ofImageIn: bytes, from: place)] }
      let end = place + 2 + Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
      guard end <= bytes.count, end >= place + 4 else { return nil }
      let segment = bytes[place..<end]
      let isProfile = kind == 0xE2 && segment.dropFirst(4).starts(with: "ICC_PROFILE".utf8)
      let isMetadata = (0xE1...0xEF).contains(kind) && kind != 0xEE && !isProfile || kind == 0xFE
      if !isMetadata { result += segment }
      place = end
    }
    return nil
  }

  private static func end(ofImageIn bytes: [UInt8], from start: Int) -> Int {
    var place = start
    while let mark = bytes[place...].firstIndex(of: 0xFF), mark + 1 < bytes.count {
      if bytes[mark + 1] == 0xD9 { return mark + 2 }
      place = mark + 1
    }
    return bytes.count
  }

  // MARK: PNG

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let chunksOfMetadata: Set = ["tEXt", "zTXt", "iTXt", "eXIf", "tIME"]

  private static func withoutChunks(_ bytes: [UInt8]) -> [UInt8]? {
    var result = signature
    var place = signature.count
    while place + 12 <= bytes.count {
      let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= bytes.count - place - 12 else { return nil }
      let kind = String(decoding: bytes[place + 4..<place + 8], as: UTF8.self)
      let end = place + 12 + length
      if !chunksOfMetadata.contains(kind) { result += bytes[place..<end] }
      if kind == "IEND" { return result }
      place = end
    }
    return nil
  }
}
