/// Apple's LZFSE compression, used by Record3D for depth maps; decoding only.
///
/// According to the published format (https://github.com/lzfse/lzfse): a stream of blocks, each
/// uncompressed, compressed with LZVN, or with finite state entropy coding. Any input gives data or
/// an error.
package enum LZFSE {
  /// Whether data begins like a stream.
  package static func isPresent(in bytes: [UInt8]) -> Bool {
    bytes.count >= 4 && bytes.starts(with: Array("bvx".utf8)) && BlockKind(bytes, at: 0) != nil
  }

  /// Decompresses a stream.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of decompressed bytes.
  ///   - path: The file's name for errors.
  /// - Throws: If the data is damaged, truncated or longer than the limit.
  package static func decode(
    _ bytes: [UInt8], limit: Int, path: String
  ) throws(ImageError) -> [UInt8] {
    do throws(Fault) {
      return try decode(bytes, limit: limit)
    } catch {
      throw ImageError(path, "invalid LZFSE data: \(error.reason)")
    }
  }

  /// The problem with a stream.
  struct Fault: Error {
    var reason: String

    init(_ reason: String) { self.reason = reason }

    static let cutOff = Fault("it is truncated")
    static let damaged = Fault("a block is damaged")
  }

  /// The fourth letter of a block's mark, after `bvx`.
  private enum BlockKind: UInt8 {
    case end = 0x24
    case stored = 0x2D
    case expandedTables = 0x31
    case compressedTables = 0x32
    case lzvn = 0x6E

    init?(_ bytes: [UInt8], at offset: Int) {
      guard bytes.count - offset >= 4, bytes[offset..<offset + 3].elementsEqual("bvx".utf8) else {
        return nil
      }
      self.init(rawValue: bytes[offset + 3])
    }
  }

  private static func decode(_ bytes: [UInt8], limit: Int) throws(Fault) -> [UInt8] {
    var output = LZOutput(limit: limit)
    var offset = 0
    while true {
      guard bytes.count - offset >= 4 else { throw .cutOff }
      guard let kind = BlockKind(bytes, at: offset) else { throw Fault("a block has no header") }
      switch kind {
      case .end: return output.bytes
      case .stored:
        let count = try number(bytes, offset + 4, 4)
        try output.appendLiterals(of: bytes, from: offset + 8, count: count)
        offset += 8 + count
      case .lzvn:
        let (size, count) = (try number(bytes, offset + 4, 4), try number(bytes, offset + 8, 4))
        guard bytes.count - offset - 12 >= count else { throw .cutOff }
        try LZVN.decode(bytes, offset + 12..<offset + 12 + count, size: size, into: &output)
        offset += 12 + count
      case .expandedTables, .compressedTables:
        let header = try LZFSEHeader(
          bytes, at: offset, hasCompressedTables: kind == .compressedTables)
        offset += header.size
        guard bytes.count - offset >= header.payloadSize else { throw .cutOff }
        try LZFSEBlock.decode(header, bytes, at: offset, into: &output)
        offset += header.payloadSize
      }
    }
  }

  /// A little-endian number of at most 7 bytes.
  static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) throws(Fault) -> Int {
    guard offset >= 0, bytes.count - offset >= count else { throw .cutOff }
    var value = 0
    for index in 0..<count { value |= Int(bytes[offset + index]) << (8 * index) }
    return value
  }
}

/// The decoder's output, which later parts may repeat.
struct LZOutput {
  private(set) var bytes: [UInt8] = []
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  /// Appends bytes of the input unchanged.
  mutating func appendLiterals(
    of source: [UInt8], from start: Int, count: Int
  ) throws(LZFSE.Fault) {
    guard source.count - start >= count else { throw .cutOff }
    try makeRoom(count)
    bytes.append(contentsOf: source[start..<start + count])
  }

  /// Appends earlier output; the match may overlap itself.
  mutating func appendMatch(distance: Int, count: Int) throws(LZFSE.Fault) {
    guard count > 0 else { return }
    guard distance > 0, distance <= bytes.count else { throw .damaged }
    try makeRoom(count)
    for _ in 0..<count { bytes.append(bytes[bytes.count - distance]) }
  }

  private func makeRoom(_ count: Int) throws(LZFSE.Fault) {
    guard count <= limit - bytes.count else {
      throw LZFSE.Fault("it is longer than the expected \(limit) bytes")
    }
  }
}
