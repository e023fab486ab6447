import MeshPipeline
import NativeLibraries

/// Unpacks single members of an archive to files.
struct MemberUnpacking {
  private let reader: ArchiveReader
  private let limit: Int

  /// - Parameter limit: The maximum size of a member in bytes.
  init(_ reader: ArchiveReader, limit: Int) {
    self.reader = reader
    self.limit = limit
  }

  /// Writes the reader's current member; its folder is created if necessary.
  ///
  /// The file is not synced, since it is not needed after a power cut.
  /// - Returns: The number of its bytes, and their SHA-256.
  /// - Throws: An ``ArchiveError`` if the member is damaged or longer than allowed.
  func unpack(_ entry: ArchiveReader.Entry, to path: String) throws -> (count: Int, hash: String) {
    let limit = min(limit, entry.size ?? .max)
    try FileSystem.createFolder(FileSystem.folder(of: path))
    let file = try FileWriter(creating: path)
    var hash = SHA256()
    try reader.forEachBlock { block in
      guard block.count <= limit - file.byteCount else {
        let isLimit = limit < entry.size ?? .max
        let reason =
          isLimit
          ? "has more than \(ByteSize.text(of: limit)) (--max-bytes)" : "is longer than it says"
        throw ArchiveError(path: reader.path, reason: reason, concernsEntryAlone: true)
      }
      hash.update(block)
      try file.write(block)
    }
    if let size = entry.size, file.byteCount < size {
      throw ArchiveError(
        path: reader.path, reason: "is shorter than it says", concernsEntryAlone: true)
    }
    try file.finish(synchronizing: false)
    return (file.byteCount, hash.finish())
  }
}
