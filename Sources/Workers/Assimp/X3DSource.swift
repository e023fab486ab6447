/// Converts the text of an X3D file for Assimp 5.2.
///
/// The standard requires quoted URLs within the quoted attribute (`url='"a.png" "b.png"'`); Assimp
/// rejects such a file and accepts only a bare name.
enum X3DSource {
  /// Replaces each list of URLs by its first, keeping the length in bytes.
  static func readable(_ bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    let attribute = Array("url=".utf8)
    var offset = 0
    while offset + attribute.count + 2 < bytes.count {
      guard bytes[offset] == attribute[0],
        bytes[offset..<offset + attribute.count].elementsEqual(attribute)
      else {
        offset += 1
        continue
      }
      offset += attribute.count
      let quote = bytes[offset]
      guard quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\""),
        let end = bytes[(offset + 1)...].firstIndex(of: quote)
      else { continue }
      let bare = firstAddress(in: bytes[offset + 1..<end])
      // Damaged text may have grown when decoded.
      guard bare.count < end - offset else { continue }
      let padding = repeatElement(UInt8(ascii: " "), count: end - offset - 1 - bare.count)
      // The spaces go after the attribute.
      result.replaceSubrange(offset...end, with: [quote] + bare + [quote] + padding)
      offset = end
    }
    return result
  }

  private static func firstAddress(in list: ArraySlice<UInt8>) -> [UInt8] {
    var text = String(decoding: list, as: UTF8.self)
    for escape in ["&quot;", "&#34;", "&#x22;"] {
      while let range = text.firstRange(of: escape) { text.replaceSubrange(range, with: "\"") }
    }
    let parts = text.split(separator: "\"").filter { part in part.contains { $0 != " " } }
    return Array((parts.first.map { String($0) } ?? "").utf8)
  }
}
