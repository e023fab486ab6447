import MeshPipeline
import NativeLibraries

/// Writes a USDZ package: a ZIP archive without compression, in which the bytes of each file begin at a multiple of
/// 64 bytes, so that programs can map them (USDZ specification 1.3).
struct USDZPackage {
  private let writer: FileWriter
  private var contents: [UInt8] = []
  private var count = 0

  private static let alignment = 64
  /// The extra field that fills up to the next multiple: its number, as Pixar's writer has it, and its size.
  private static let paddingField: UInt16 = 0x1986
  private static let headerSize = 30
  private static let fieldHeaderSize = 4

  init(to writer: FileWriter) { self.writer = writer }

  /// Adds a file; the first is the root layer.
  mutating func add(_ name: String, _ parts: [CratePart]) throws {
    var sum = CRC32()
    for part in parts { unsafe part.withBytes { unsafe sum.update($0) } }
    let size = parts.reduce(0) { $0 + $1.byteCount }
    let offset = writer.byteCount
    let nameBytes = Array(name.utf8)
    let padding = Self.padding(after: offset + Self.headerSize + nameBytes.count)
    guard let shortSize = UInt32(exactly: size), let shortOffset = UInt32(exactly: offset),
      UInt32(exactly: offset + size + 1 << 16) != nil, count < Int(UInt16.max)
    else { throw UnwritableScene.tooLarge(format: USDZ.name, limit: "4 GiB") }
    let fields = Fields(
      isASCII: nameBytes.allSatisfy { $0 < 128 }, checksum: sum.value, size: shortSize,
      nameLength: UInt16(truncatingIfNeeded: nameBytes.count))
    try writer.write(fields.localHeader(extraLength: padding) + nameBytes)
    if padding > 0 {
      let rest = padding - Self.fieldHeaderSize
      try writer.write(Self.paddingField)
      try writer.write(UInt16(rest))
      try writer.write([UInt8](repeating: 0, count: rest))
    }
    for part in parts { try unsafe part.withBytes { try unsafe writer.write($0) } }
    contents += fields.entry(at: shortOffset) + nameBytes
    count += 1
  }

  /// The number of bytes to the next multiple, as many as a field needs.
  private static func padding(after offset: Int) -> Int {
    let rest = (alignment - offset % alignment) % alignment
    return rest > 0 && rest < fieldHeaderSize ? rest + alignment : rest
  }

  /// Writes the table of contents, and waits until the package is on disk.
  func finish() throws {
    let offset = writer.byteCount
    try writer.write(contents)
    try writer.write(0x0605_4B50 as UInt32)
    for value in [0, 0, UInt16(count), UInt16(count)] { try writer.write(value) }
    try writer.write(UInt32(contents.count))
    try writer.write(UInt32(offset))
    try writer.write(0 as UInt16)
    try writer.finish()
  }

  /// What the header of a file and its entry in the table of contents have in common.
  private struct Fields {
    var isASCII: Bool
    var checksum: UInt32
    var size: UInt32
    var nameLength: UInt16

    private static let version: UInt16 = 10
    /// 1 January 1980, the earliest day of a ZIP archive.
    private static let date: UInt16 = 1 << 5 | 1

    private func appendCommon(to bytes: inout [UInt8]) {
      let isUTF8: UInt16 = isASCII ? 0 : 1 << 11
      // Version, flags, no compression, time, date.
      for value in [Self.version, isUTF8, 0, 0, Self.date] { bytes.append(littleEndian: value) }
      for value in [checksum, size, size] { bytes.append(littleEndian: value) }
      bytes.append(littleEndian: nameLength)
    }

    func localHeader(extraLength: Int) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(littleEndian: 0x0403_4B50 as UInt32)
      appendCommon(to: &bytes)
      bytes.append(littleEndian: UInt16(extraLength))
      return bytes
    }

    func entry(at offset: UInt32) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(littleEndian: 0x0201_4B50 as UInt32)
      bytes.append(littleEndian: Self.version)
      appendCommon(to: &bytes)
      // No extra field and comment, on the first disk, no attributes.
      for value in [0, 0, 0, 0, 0, 0] as [UInt16] { bytes.append(littleEndian: value) }
      bytes.append(littleEndian: offset)
      return bytes
    }
  }
}
