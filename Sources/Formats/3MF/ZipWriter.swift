import MeshPipeline
import Synchronization

/// Writes a ZIP archive with uncompressed files and without times.
///
/// APPNOTE.TXT of PKWARE, 4.3; no file and no archive of 4 GiB or more.
final class ZipWriter: Sendable {
  private struct Entry {
    var name: String
    /// The offset of its local header.
    var offset: Int
    var checksum = CRC32()
    var length = 0
  }

  private struct State {
    var entries: [Entry] = []
  }

  private let state = Mutex(State())
  nonisolated(unsafe) private let writer: FileWriter

  init(to writer: FileWriter) { unsafe self.writer = writer }

  /// Adds a small file.
  func add(_ name: String, _ text: String) throws {
    try begin(name)
    try append(Array(text.utf8))
    try end()
  }

  /// Begins a file; subsequently appended bytes are part of it.
  func begin(_ name: String) throws {
    let offset = unsafe writer.byteCount
    let entry = Entry(name: name, offset: offset)
    state.withLock { $0.entries.append(entry) }
    try unsafe writer.write(elements: [0x0403_4b50] as [UInt32])
    try unsafe writer.write(fields(of: entry))
    try unsafe writer.write(Array(name.utf8))
  }

  func append(_ bytes: [UInt8]) throws {
    state.withLock { state in
      state.entries[state.entries.count - 1].checksum.add(bytes)
      state.entries[state.entries.count - 1].length += bytes.count
    }
    try unsafe writer.write(bytes)
  }

  /// Appends many items, encoded on all cores.
  func append(count: Int, encode: @Sendable (Range<Int>, inout ByteBuffer) -> Void) throws {
    try encodeInOrder(count: count, encode: encode) { [self] buffer in
      try append(buffer.bytes)
    }
  }

  /// Ends the file, when its checksum and length are known.
  func end() throws {
    guard let entry = state.withLock({ $0.entries.last }) else { return }
    guard unsafe writer.byteCount < Int(UInt32.max) else {
      throw UnwritableScene.tooLarge(format: "ZIP", limit: "4 GiB")
    }
    try unsafe writer.replace(at: entry.offset + 4, with: fields(of: entry))
  }

  /// Writes the central directory.
  func finish() throws {
    let entries = state.withLock { $0.entries }
    let start = unsafe writer.byteCount
    for entry in entries {
      try unsafe writer.write(elements: [0x0201_4b50] as [UInt32])
      try unsafe writer.write(elements: [20] as [UInt16])
      try unsafe writer.write(fields(of: entry))
      try unsafe writer.write(elements: [0, 0, 0, 0, 0] as [UInt16])
      try unsafe writer.write(UInt32(entry.offset))
      try unsafe writer.write(Array(entry.name.utf8))
    }
    let length = unsafe writer.byteCount - start
    try unsafe writer.write(elements: [0x0605_4b50] as [UInt32])
    let count = UInt16(entries.count)
    try unsafe writer.write(elements: [0, 0, count, count] as [UInt16])
    try unsafe writer.write(elements: [UInt32(length), UInt32(start)])
    try unsafe writer.write(elements: [0] as [UInt16])
  }

  /// The fields common to both headers of a file: from the version to the length of the extra
  /// field.
  private func fields(of entry: Entry) -> [UInt8] {
    var buffer = ByteBuffer()
    buffer.append(UInt16(20))  // version 2.0
    buffer.append(UInt16(1 << 11))  // names are UTF-8
    buffer.append(UInt16(0))  // stored
    buffer.append(UInt16(0))  // midnight
    buffer.append(UInt16(1 << 5 | 1))  // of the first of January 1980, where ZIP's time begins
    buffer.append(entry.checksum.value)
    buffer.append(UInt32(truncatingIfNeeded: entry.length))
    buffer.append(UInt32(truncatingIfNeeded: entry.length))
    buffer.append(UInt16(entry.name.utf8.count))
    buffer.append(UInt16(0))
    return buffer.bytes
  }
}

/// The checksum of ZIP and PNG (ISO 3309), four bytes at a time.
struct CRC32 {
  private var state: UInt32 = .max

  var value: UInt32 { ~state }

  mutating func add(_ bytes: [UInt8]) {
    let tables = Self.tables
    var state = self.state
    let blocks = bytes.count / 4
    for block in 0..<blocks {
      let word =
        UInt32(bytes[4 * block]) | UInt32(bytes[4 * block + 1]) << 8
        | UInt32(bytes[4 * block + 2]) << 16 | UInt32(bytes[4 * block + 3]) << 24
      state ^= word
      state =
        tables[768 + Int(state & 0xff)] ^ tables[512 + Int(state >> 8 & 0xff)]
        ^ tables[256 + Int(state >> 16 & 0xff)] ^ tables[Int(state >> 24)]
    }
    for byte in bytes[(4 * blocks)...] {
      state = tables[Int((state ^ UInt32(byte)) & 0xff)] ^ state >> 8
    }
    self.state = state
  }

  /// Four tables of 256: the effect of a byte followed by zero to three others.
  private static let tables: [UInt32] = {
    var tables = (0..<256 as Range<UInt32>).map { byte in
      (0..<8).reduce(byte) { value, _ in value >> 1 ^ (value & 1 == 0 ? 0 : 0xEDB8_8320) }
    }
    for index in 256..<1024 {
      let before = tables[index - 256]
      tables.append(tables[Int(before & 0xff)] ^ before >> 8)
    }
    return tables
  }()
}
