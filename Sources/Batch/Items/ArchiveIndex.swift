import Captures
import MeshPipeline
import NativeLibraries

/// The contents of an archive, by name.
struct ArchiveIndex: Sendable {
  /// In the order of the archive, without folders and hidden files.
  var files: [ListedFile] = []
  /// Entries that must not be unpacked, and whose names don't show where they belong.
  var misnamed: [ListedFile] = []
  /// The contents of nested archives, by entry, except those nested too deeply.
  var inner: [Int: ArchiveIndex] = [:]
  /// Why the archive could not be read completely.
  var damage: BatchItem.Fault?
}

/// Lists archives without unpacking them; nested archives are written to disk temporarily.
struct ArchiveIndexing {
  let limits: ItemLimits
  let temporaryFolder: String
  let cancellation: Cancellation
  private var entriesLeft: Int

  init(limits: ItemLimits, temporaryFolder: String, cancellation: Cancellation) {
    self.limits = limits
    self.temporaryFolder = temporaryFolder
    self.cancellation = cancellation
    entriesLeft = limits.entries
  }

  /// Reads the names in an archive.
  ///
  /// - Parameter path: The path of a file on disk.
  /// - Throws: If cancelled, or if the temporary folder can't be written to; faults of the archive
  ///   are part of the result.
  static func index(
    _ path: String, limits: ItemLimits, temporaryFolder: String, cancellation: Cancellation
  ) throws -> ArchiveIndex {
    var indexing = ArchiveIndexing(
      limits: limits, temporaryFolder: temporaryFolder, cancellation: cancellation)
    return try indexing.index(path, nesting: 0)
  }

  private mutating func index(_ path: String, nesting: Int) throws -> ArchiveIndex {
    var index = ArchiveIndex()
    do {
      try read(path, nesting: nesting, into: &index)
    } catch let error as ArchiveError {
      index.damage = BatchItem.Fault(
        exitCode: error.exitCode, message: "the archive \(error.reason)")
    } catch let error as FileError where error.path == path {
      index.damage = BatchItem.Fault(exitCode: error.exitCode, message: error.message)
    }
    NameCollisions.refuse(in: &index.files)
    return index
  }

  private mutating func read(_ path: String, nesting: Int, into index: inout ArchiveIndex) throws {
    let reader = try ArchiveReader(
      path, limits: limits.reading(entries: entriesLeft), for: cancellation)
    var ordinal = -1
    while let entry = try reader.next() {
      if cancellation.isRequested { throw Cancelled() }
      ordinal += 1
      entriesLeft -= 1
      guard entry.kind != .folder, !ListedFile.isHidden(entry.name) else {
        try reader.skip()
        continue
      }
      let file = ListedFile(
        path: entry.name, size: entry.size ?? 0, ordinal: ordinal, refusal: entry.refusal)
      if entry.isMisnamed {
        index.misnamed.append(file)
        try reader.skip()
        continue
      }
      index.files.append(file)
      do {
        let isArchive = entry.refusal == nil && CaptureArchive.stem(of: entry.name) != nil
        if isArchive, nesting < limits.nesting {
          index.inner[ordinal] = try inner(entry, of: reader, nesting: nesting)
        } else {
          try reader.skip()
        }
      } catch let error as ArchiveError where error.path == path {
        index.files[index.files.count - 1].refusal = "it \(error.reason)"
        guard error.concernsEntryAlone else { throw error }
      }
    }
    if let damage = reader.damage { throw damage }
  }

  private mutating func inner(
    _ entry: ArchiveReader.Entry, of reader: ArchiveReader, nesting: Int
  ) throws -> ArchiveIndex {
    let folder = try FileSystem.createPrivateFolder(prefix: temporaryFolder + "/index-")
    defer { try? FileSystem.removeFolder(folder) }
    let path = "\(folder)/\(FileSystem.name(of: entry.name))"
    let unpacking = MemberUnpacking(reader, limit: limits.itemBytes)
    _ = try unpacking.unpack(entry, to: path)
    return try index(path, nesting: nesting + 1)
  }
}

extension ItemLimits {
  /// The remaining limits of one pass over an archive.
  func reading(entries: Int) -> ArchiveReader.Limits {
    var result = ArchiveReader.Limits()
    result.entries = entries
    result.bytes = archiveBytes
    result.ratio = ratio
    result.ratioFloor = ratioFloor
    return result
  }
}
