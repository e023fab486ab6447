import MeshPipeline
import NativeLibraries

/// Writes a 3MF package: a ZIP archive of parts, one after another.
struct ThreeMFPackageWriter {
  private let archive: ArchiveWriter
  private let stage: StageContext

  init(creating path: String, in stage: StageContext) throws {
    // A model is compressed to an eighth even by the fastest level; the default level takes three
    // times as long for another tenth.
    archive = try ArchiveWriter(creating: path, named: "package.zip", level: 1)
    self.stage = stage
  }

  /// Adds a part.
  func add(_ name: String, _ bytes: [UInt8]) throws { try archive.add(name, bytes) }

  /// Begins a part; it ends where the next one begins.
  func begin(_ name: String) throws { try archive.begin(name) }

  /// Appends a text to the part begun last.
  func append(_ text: String) throws { try append(Array(text.utf8)) }

  /// Appends many items, encoded on all cores.
  func append(count: Int, encode: @Sendable (Range<Int>, inout ByteBuffer) -> Void) throws {
    try encodeInOrder(count: count, encode: encode) { buffer in try append(buffer.bytes) }
  }

  private func append(_ bytes: [UInt8]) throws {
    try stage.checkCancellation()
    try archive.append(bytes[...])
  }

  func finish() throws { try archive.finish() }
}
