internal import CArchive
package import MeshpipeBase
import POSIX

/// Reads a zip, a 7z or a tar (plain, gzip, bzip2, xz or zstd) as a stream, entry by entry, with
/// libarchive in a cell.
///
/// Names, kinds and limits are judged here. Nothing is unpacked or stored: an entry's bytes are read before the next entry, or skipped.
/// Entries that must not be unpacked are returned with the reason.
package final class ArchiveReader {
  /// The limits of an archive.
  package struct Limits: Sendable {
    package var entries = 200_000
    /// The total bytes of all entries.
    package var bytes = 1 << 36
    /// The maximum ratio of the entries' size to the archive's.
    package var ratio = 250
    /// The bytes that any archive may contain, however small.
    package var ratioFloor = 1 << 26

    package init() {}

    /// The maximum unpacked size of an archive with this size.
    func bytes(forArchiveOf size: Int) -> Int {
      let (product, overflows) = size.multipliedReportingOverflow(by: ratio)
      let (sum, overflowsToo) = product.addingReportingOverflow(ratioFloor)
      return min(bytes, overflows || overflowsToo ? bytes : sum)
    }
  }

  package struct Entry: Sendable, Equatable {
    package enum Kind: Sendable { case file, folder, other }

    /// The path in the archive, with single slashes and no trailing one.
    package var name: String
    package var kind: Kind
    /// Length in bytes according to the archive; nil if unknown.
    package var size: Int?
    /// Why the entry must not be unpacked; nil if it may be.
    package var refusal: String?
    /// Whether the reason is the name itself, so that it does not show where the entry belongs.
    package var isMisnamed = false
  }

  package let path: String
  /// The first damage that was skipped to find the next entry.
  package private(set) var damage: ArchiveError?
  private let cell: ArchiveCell
  private let limits: Limits
  private let archiveSize: Int
  private let hasZipDirectory: Bool
  /// Of names that are not in Unicode.
  private let codePage: CodePage?
  private var entryCount = 0
  private var byteCount = 0
  private var bombCount = 0

  /// Opens an archive.
  ///
  /// - Parameters:
  ///   - readsNames: Whether names that are not in Unicode are read as Windows means them.
  ///   - run: What ends waiting for the library when it is cancelled.
  package init(
    _ path: String, limits: Limits = Limits(), readsNames: Bool = true,
    for run: (any Cancellable)? = nil
  ) throws {
    guard let status = try FileSystem.status(of: path) else { throw FileError(.read, path) }
    self.path = path
    self.limits = limits
    archiveSize = status.size
    hasZipDirectory = try Self.hasZipDirectory(path)
    codePage = readsNames && hasZipDirectory ? Self.codePage(ofNamesIn: path, status) : nil
    let file = unsafe open(path.systemPath, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw FileError(.read, path, code: errno) }
    defer { close(file) }
    let opening: ArchiveCell.Opening
    do throws(CellFailure) {
      opening = try ArchiveCell.open(
        file, mostBytes: limits.bytes(forArchiveOf: status.size), for: run)
    } catch {
      throw Self.error(error, path)
    }
    switch opening {
    case .opened(let cell): self.cell = cell
    case .unreadable(let words):
      throw ArchiveError(path: path, reason: "is not a readable archive" + Self.colon(words))
    case .missing(let words): throw NativeLibraryError("libarchive", words)
    }
  }

  /// The next entry; nil at the end.
  ///
  /// - Throws: An ``ArchiveError`` if the archive is damaged, or has too many entries.
  package func next() throws -> Entry? {
    var found: ArchiveCell.Entry
    repeat {
      found = try answer { () throws(CellFailure) in try cell.next() }
      if found.result == ARCHIVE_RETRY, damage == nil {
        damage = fault("is damaged", found.words)
      }
    } while found.result == ARCHIVE_RETRY
    if found.result == ARCHIVE_EOF { return nil }
    guard [ARCHIVE_OK, ARCHIVE_WARN, ARCHIVE_FAILED].contains(Int32(found.result)) else {
      throw fault("is damaged or truncated", found.words)
    }
    entryCount += 1
    guard entryCount <= limits.entries else {
      throw ArchiveError(path: path, reason: "has more than \(limits.entries) entries")
    }
    var entry = entry(found)
    if found.result == ARCHIVE_FAILED {
      entry.refusal = entry.refusal ?? "it is damaged\(Self.colon(found.words))"
    }
    return entry
  }

  /// The number of oversized entries of a zip after which the rest is abandoned.
  private static var maximumBombs: Int { 64 }

  private func entry(_ found: ArchiveCell.Entry) -> Entry {
    let name = name(of: found.name)
    let kind: Entry.Kind =
      found.isLink
      ? .other : found.type == 0o100_000 ? .file : found.type == 0o040_000 ? .folder : .other
    let plain = Self.plainName(name)
    var refusal = plain.isEmpty && kind == .file ? "it has no name" : Self.refusal(ofName: name)
    let isMisnamed = refusal != nil
    if kind == .other {
      refusal =
        found.isLink || found.type == 0o120_000
        ? "it is a link" : "it is neither a file nor a folder"
    } else if refusal == nil, found.isEncrypted {
      refusal = "it is encrypted"
    }
    return Entry(
      name: plain, kind: kind, size: found.size, refusal: refusal, isMisnamed: isMisnamed)
  }

  /// In a name of unknown encoding, each non-ASCII byte becomes an escape such as `%8E`, so that
  /// different names stay different.
  private func name(of bytes: [UInt8]) -> String {
    if let name = String(validating: bytes, as: UTF8.self) { return name }
    if let name = codePage?.text(of: bytes) { return name }
    var name = ""
    for byte in bytes {
      let digits = String(byte, radix: 16, uppercase: true)
      name += byte < 128 ? String(Unicode.Scalar(byte)) : "%\(digits)"
    }
    return name
  }

  /// Passes on the bytes of the current entry, block by block.
  ///
  /// - Throws: An ``ArchiveError`` if the entry is damaged, or the archive exceeds its limits; and
  ///   errors of `body`.
  package func forEachBlock(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
    let (countBefore, positionBefore) = (byteCount, cell.position)
    while true {
      let part = try answer { () throws(CellFailure) in try cell.part() }
      if !part.bytes.isEmpty {
        byteCount += part.bytes.count
        // The entries of a zip are independent, so the others are not affected.
        let packed = part.position - positionBefore
        if isZip, byteCount - countBefore > limits.bytes(forArchiveOf: packed) {
          bombCount += 1
          byteCount = countBefore
          throw tooLarge(byteCount, concernsEntryAlone: bombCount <= Self.maximumBombs)
        }
        guard byteCount <= limits.bytes(forArchiveOf: archiveSize) else {
          throw tooLarge(byteCount)
        }
        try body(part.bytes)
      }
      if part.status == 0 { return }
      guard part.status > 0 else {
        let isFatal = part.status == ARCHIVE_FATAL
        throw fault("is damaged", part.words, concernsEntryAlone: !isFatal || isZip)
      }
    }
  }

  /// Skips the bytes of the current entry, counting them.
  ///
  /// In a zip and in an uncompressed tar this costs nothing.
  /// - Throws: An ``ArchiveError`` if the bytes are damaged, or exceed the archive's limit.
  package func skip() throws {
    if isZip && hasZipDirectory { return }
    if isTar && cell.isPlain { return }
    while true {
      let (part, count) = try answer { () throws(CellFailure) in try cell.skip() }
      byteCount += count
      // A 7z is read at several positions, so only its total size is meaningful.
      let packed = isTar ? part.position : archiveSize
      guard byteCount <= limits.bytes(forArchiveOf: packed) else { throw tooLarge(byteCount) }
      if part.status == 0 { return }
      guard part.status > 0 else {
        let isFatal = part.status == ARCHIVE_FATAL
        throw fault("is damaged or truncated", part.words, concernsEntryAlone: !isFatal)
      }
    }
  }

  /// Whether entries can be read independently, so that damage affects only one of them.
  package var isZip: Bool {
    cell.format == ARCHIVE_FORMAT_ZIP
  }

  /// Whether a zip has its central directory at the end; a truncated one is read from the
  /// beginning.
  private static func hasZipDirectory(_ path: String) throws -> Bool {
    try MappedFile(path: path, allowsPipes: false).withBytes { bytes in
      // As far back as the library searches.
      for index in (max(0, bytes.count - 1 << 14)..<max(0, bytes.count - 3)).reversed()
      where bytes[index] == 0x50 && bytes[index + 1] == 0x4B && bytes[index + 2] == 5
        && bytes[index + 3] == 6
      {
        return true
      }
      return false
    }
  }

  private var isTar: Bool {
    cell.format == ARCHIVE_FORMAT_TAR
  }

  private func tooLarge(_ count: Int, concernsEntryAlone: Bool = false) -> ArchiveError {
    let what =
      count > limits.bytes
      ? "more than \(limits.bytes >> 20) MiB" : "more than \(limits.ratio) times its size"
    return ArchiveError(
      path: path, reason: "unpacks to \(what)", concernsEntryAlone: concernsEntryAlone)
  }

  /// - Parameter words: The library's description of the error.
  private func fault(
    _ problem: String, _ words: String, concernsEntryAlone: Bool = false
  ) -> ArchiveError {
    ArchiveError(
      path: path, reason: problem + Self.colon(words), concernsEntryAlone: concernsEntryAlone)
  }

  private static func colon(_ words: String) -> String { words.isEmpty ? "" : ": \(words)" }

  private func answer<Result>(_ body: () throws(CellFailure) -> Result) throws -> Result {
    do throws(CellFailure) {
      return try body()
    } catch {
      throw Self.error(error, path)
    }
  }

  private static func error(
    _ failure: CellFailure, _ path: String
  ) -> any Error {
    if failure == .cancelled { return Cancelled() }
    return ArchiveError(
      path: path, reason: failure.reason(.archive), exitCode: failure.exitCode)
  }
}
