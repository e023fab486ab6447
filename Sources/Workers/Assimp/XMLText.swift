/// The text of an XML file for Assimp, which only supports UTF-8.
enum XMLText {
  /// The bytes in UTF-8, converted from UTF-16 if the first bytes show it.
  static func utf8(_ bytes: [UInt8]) -> [UInt8] {
    guard let isBigEndian = isBigEndianUTF16(bytes.prefix(4)) else { return bytes }
    let units = (0..<bytes.count / 2).lazy.map { index in
      let (first, second) = (UInt16(bytes[2 * index]), UInt16(bytes[2 * index + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  /// The byte order of UTF-16 text; nil for other text.
  static func isBigEndianUTF16(_ head: ArraySlice<UInt8>) -> Bool? {
    let mark = UInt8(ascii: "<")
    if head.starts(with: [0xFE, 0xFF]) || head.starts(with: [0, mark]) { return true }
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [mark, 0]) { return false }
    return nil
  }
}
