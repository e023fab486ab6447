import MeshPipeline

/// The text of an XML file as Assimp can read it, which knows UTF-8 only.
enum XMLText {
  /// The bytes in UTF-8: those of a text in UTF-16, known by its first bytes, are turned into it.
  static func utf8(_ bytes: [UInt8]) -> [UInt8] {
    guard let isBigEndian = isBigEndianUTF16(bytes.prefix(4)) else { return bytes }
    let units = (0..<bytes.count / 2).lazy.map { index in
      let (first, second) = (UInt16(bytes[2 * index]), UInt16(bytes[2 * index + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  /// The order of bytes of a text in UTF-16; nil when it is none.
  static func isBigEndianUTF16(_ head: ArraySlice<UInt8>) -> Bool? {
    let mark = UInt8(ascii: "<")
    if head.starts(with: [0xFE, 0xFF]) || head.starts(with: [0, mark]) { return true }
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [mark, 0]) { return false }
    return nil
  }
}
