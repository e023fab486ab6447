import MeshPipeline

/// The colours of facets in the two bytes after each, for which there are two conventions of 5 bits per channel.
///
/// VisCAM and SolidView: bit 15 says that the facet has a colour, blue is in the lowest bits. Materialise Magics, by
/// `COLOR=` with four bytes in the header: bit 15 says that the facet has that colour of the whole object, red is in the
/// lowest bits; MeshLab sets the bit for all facets, and means their own colours.
struct STLColors {
  /// That of the whole object in Magics' convention.
  private let ofObject: Color?
  private let words: [UInt16]

  private static let isMarked: UInt16 = 0x8000

  /// - Parameter words: The attribute bytes of each facet.
  init(header: Span<UInt8>, words: [UInt16]) {
    ofObject = Self.objectColor(header)
    self.words = words
  }

  /// The colour after `COLOR=`.
  private static func objectColor(_ header: Span<UInt8>) -> Color? {
    let key = Array("COLOR=".utf8)
    guard header.count >= key.count + 4 else { return nil }
    for start in 0...header.count - key.count - 4
    where key.indices.allSatisfy({ header[start + $0] == key[$0] }) {
      let first = start + key.count
      return Color(
        red: header[first], green: header[first + 1], blue: header[first + 2],
        alpha: header[first + 3])
    }
    return nil
  }

  /// One for each facet; nil if the file has none.
  var colors: [Color]? {
    guard let ofObject else {
      guard words.contains(where: { $0 & Self.isMarked != 0 }) else { return nil }
      return words.map { word in
        word & Self.isMarked == 0
          ? .white : Self.color(red: word >> 10, green: word >> 5, blue: word)
      }
    }
    // Zeros are what programs write that give the object's colour alone.
    let areMarked = words.allSatisfy { $0 & Self.isMarked != 0 }
    if words.allSatisfy({ $0 == words.first }), areMarked || words.first == 0 {
      return words.map { _ in ofObject }
    }
    return words.map { word in
      word & Self.isMarked != 0 && !areMarked
        ? ofObject : Self.color(red: word, green: word >> 5, blue: word >> 10)
    }
  }

  private static func color(red: UInt16, green: UInt16, blue: UInt16) -> Color {
    func byte(_ part: UInt16) -> UInt8 { UInt8((UInt32(part & 31) * 255 + 15) / 31) }
    return Color(red: byte(red), green: byte(green), blue: byte(blue))
  }
}
