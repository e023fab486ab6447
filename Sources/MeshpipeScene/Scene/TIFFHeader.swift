/// The first directory of a TIFF or BigTIFF file (TIFF 6.0, Adobe 1992; BigTIFF as libtiff has it).
package struct TIFFHeader: Sendable, Equatable {
  /// Width and height in pixels.
  package var size: SIMD2<Int>
  /// The method of compression: 1 none, 5 LZW, 7 JPEG, 8 deflate and so on.
  package var compression = 1
  /// Whether the picture is in tiles instead of strips.
  package var isTiled = false
  /// Whether offsets have 64 bits.
  package var isBig: Bool

  /// Nil for other files, and for one that ends before the directory does.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= 16, let numbers = TIFFNumbers(bytes) else { return nil }
    func number(_ offset: Int, _ count: Int) -> Int? { numbers.number(at: offset, bytes: count) }
    guard let mark = number(2, 2), mark == 42 || mark == 43 else { return nil }
    isBig = mark == 43
    let (counted, entry, word) = isBig ? (8, 20, 8) : (2, 12, 4)
    guard let start = isBig ? number(8, 8) : number(4, 4), let count = number(start, counted),
      count <= 4096
    else { return nil }
    size = .zero
    for index in 0..<count {
      let place = start + counted + entry * index
      guard let tag = number(place, 2), let type = number(place + 2, 2) else { return nil }
      // Bytes, shorts, longs and long longs; a single value is in its entry.
      let width = [1: 1, 3: 2, 4: 4, 16: 8][type] ?? word
      guard let value = number(place + 4 + word, min(width, word)) else { return nil }
      switch tag {
      case 256: size.x = value
      case 257: size.y = value
      case 259: compression = value
      case 322, 324: isTiled = true
      default: break
      }
    }
    // Both are numbers of 32 bits in any file that programs read.
    guard size.min() > 0, size.max() <= Int(UInt32.max) else { return nil }
  }
}

/// The numbers in a TIFF file, or in the EXIF data of a picture, which is one: the file says in which order their bytes are.
package struct TIFFNumbers: Sendable {
  private let bytes: [UInt8]
  private let isLittleEndian: Bool

  /// Nil for other files.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count > 8, bytes[0] == bytes[1], [0x49, 0x4D].contains(bytes[0]) else { return nil }
    self.bytes = bytes
    isLittleEndian = bytes[0] == 0x49
  }

  /// The unsigned number of 1 to 8 bytes at an offset; nil beyond the end, and if it is greater than an `Int` holds.
  package func number(at offset: Int, bytes count: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - count else { return nil }
    let part = bytes[offset..<offset + count]
    let value =
      isLittleEndian
      ? part.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      : part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(exactly: value)
  }
}
