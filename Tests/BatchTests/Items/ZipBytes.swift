/// A zip made by hand of stored entries, right or wrong.
struct ZipBytes {
  private var body: [UInt8] = []
  private var directory: [UInt8] = []
  private var count = 0

  /// Adds an entry.
  ///
  /// - Parameters:
  ///   - isDamaged: Whether the checksum is a wrong one.
  ///   - isEncrypted: Whether the entry says that it is.
  ///   - mode: The file type and permissions of Unix: 0o120777 is a link.
  ///   - statedSize: What the headers say that the entry unpacks to.
  mutating func add(
    _ name: String, _ contents: [UInt8], isDamaged: Bool = false, isEncrypted: Bool = false,
    mode: Int = 0o100_644, statedSize: Int? = nil
  ) {
    let checksum = Self.crc32(contents) ^ (isDamaged ? 1 : 0)
    let flags = (isEncrypted ? 1 : 0) | 0x800
    var common = Self.bytes(20, 2) + Self.bytes(flags, 2) + Self.bytes(0, 6)
    common += Self.bytes(Int(checksum), 4) + Self.bytes(contents.count, 4)
    common += Self.bytes(statedSize ?? contents.count, 4) + Self.bytes(name.utf8.count, 2)
    directory += [0x50, 0x4B, 1, 2] + Self.bytes(0x314, 2) + common + Self.bytes(0, 8)
    directory += Self.bytes(mode << 16, 4) + Self.bytes(body.count, 4) + Array(name.utf8)
    body += [0x50, 0x4B, 3, 4] + common + Self.bytes(0, 2) + Array(name.utf8) + contents
    count += 1
  }

  /// The bytes of the whole file.
  var finished: [UInt8] {
    let end = [0x50, 0x4B, 5, 6] + Self.bytes(0, 4) + Self.bytes(count, 2) + Self.bytes(count, 2)
    return body + directory + end + Self.bytes(directory.count, 4) + Self.bytes(body.count, 4)
      + Self.bytes(0, 2)
  }

  /// Little-endian.
  private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { rest, _ in
        rest >> 1 ^ (rest & 1 == 1 ? 0xEDB8_8320 : 0)
      }
    }
  }
}
