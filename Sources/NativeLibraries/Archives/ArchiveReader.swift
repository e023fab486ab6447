internal import CArchive
import MeshPipeline

/// Reads a zip, a 7z or a tar (plain, gzip, bzip2, xz or zstd) as a stream, entry by entry, with
/// libarchive.
///
/// Nothing is unpacked or stored: an entry's bytes are read before the next entry, or skipped.
/// Entries that must not be unpacked are returned with the reason.
@safe
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
  private let archive: OpaquePointer
  /// Where names are converted, for all archives: making one takes longer than most entries do.
  nonisolated(unsafe) private static let unicode = unsafe meshpipe_new_unicode()
  private let limits: Limits
  private let archiveSize: Int
  private let hasZipDirectory: Bool
  /// Of names that are not in Unicode.
  private let codePage: CodePage?
  private var entryCount = 0
  private var byteCount = 0
  private var bombCount = 0
  private var block = [UInt8](repeating: 0, count: 1 << 18)

  /// Opens an archive.
  ///
  /// - Parameter readsNames: Whether names that are not in Unicode are read as Windows means them.
  package init(_ path: String, limits: Limits = Limits(), readsNames: Bool = true) throws {
    guard let status = try FileSystem.status(of: path) else { throw FileError(.read, path) }
    guard let archive = unsafe archive_read_new() else {
      throw NativeLibraryError("libarchive", "is out of memory")
    }
    self.path = path
    self.limits = limits
    archiveSize = status.size
    hasZipDirectory = try Self.hasZipDirectory(path)
    codePage = readsNames && hasZipDirectory ? Self.codePage(ofNamesIn: path, status) : nil
    unsafe self.archive = archive
    // Filters that libarchive would delegate to programs in the PATH are excluded.
    unsafe archive_read_support_format_zip(archive)
    unsafe archive_read_support_format_7zip(archive)
    unsafe archive_read_support_format_tar(archive)
    unsafe archive_read_support_filter_gzip(archive)
    unsafe archive_read_support_filter_bzip2(archive)
    unsafe archive_read_support_filter_xz(archive)
    unsafe archive_read_support_filter_zstd(archive)
    guard unsafe archive_read_open_filename(archive, path.systemPath, 1 << 18) == ARCHIVE_OK else {
      throw fault("is not a readable archive")
    }
  }

  deinit { unsafe archive_read_free(archive) }

  /// The next entry; nil at the end.
  ///
  /// - Throws: An ``ArchiveError`` if the archive is damaged, or has too many entries.
  package func next() throws(ArchiveError) -> Entry? {
    let former = unsafe meshpipe_begin_unicode(Self.unicode)
    defer { unsafe meshpipe_end_unicode(former) }
    var found: OpaquePointer?
    var result: Int32
    repeat {
      result = unsafe archive_read_next_header(archive, &found)
      if result == ARCHIVE_RETRY, damage == nil { damage = fault("is damaged") }
    } while result == ARCHIVE_RETRY
    if result == ARCHIVE_EOF { return nil }
    guard result == ARCHIVE_OK || result == ARCHIVE_WARN || result == ARCHIVE_FAILED,
      let found = unsafe found
    else { throw fault("is damaged or truncated") }
    entryCount += 1
    guard entryCount <= limits.entries else {
      throw ArchiveError(path: path, reason: "has more than \(limits.entries) entries")
    }
    var entry = unsafe entry(found)
    if result == ARCHIVE_FAILED { entry.refusal = entry.refusal ?? "it is damaged\(words)" }
    return entry
  }

  /// The number of oversized entries of a zip after which the rest is abandoned.
  private static var maximumBombs: Int { 64 }

  private func entry(_ entry: OpaquePointer) -> Entry {
    // The raw name is used if the library can't convert it to UTF-8.
    let text = unsafe archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry)
    let name = unsafe text.map { unsafe self.name(of: $0) } ?? ""
    let type = UInt32(unsafe archive_entry_filetype(entry))
    let isLink = unsafe archive_entry_hardlink(entry) != nil
    let kind: Entry.Kind =
      isLink ? .other : type == 0o100_000 ? .file : type == 0o040_000 ? .folder : .other
    let plain = Self.plainName(name)
    var refusal = plain.isEmpty && kind == .file ? "it has no name" : Self.refusal(ofName: name)
    let isMisnamed = refusal != nil
    if kind == .other {
      refusal = isLink || type == 0o120_000 ? "it is a link" : "it is neither a file nor a folder"
    } else if refusal == nil, unsafe archive_entry_is_encrypted(entry) != 0 {
      refusal = "it is encrypted"
    }
    let size = unsafe archive_entry_size_is_set(entry) != 0 ? archive_entry_size(entry) : nil
    return Entry(
      name: plain, kind: kind, size: size.map { max(0, Int($0)) }, refusal: refusal,
      isMisnamed: isMisnamed)
  }

  /// In a name of unknown encoding, each non-ASCII byte becomes an escape such as `%8E`, so that
  /// different names stay different.
  @unsafe
  private func name(of text: UnsafePointer<CChar>) -> String {
    if let name = unsafe String(validatingCString: text) { return name }
    var bytes: [UInt8] = []
    while case let byte = unsafe UInt8(bitPattern: text[bytes.count]), byte != 0 {
      bytes.append(byte)
    }
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
    let (countBefore, positionBefore) = (byteCount, position)
    while true {
      let count = unsafe block.withUnsafeMutableBytes { buffer in
        unsafe archive_read_data(archive, buffer.baseAddress, buffer.count)
      }
      if count == 0 { return }
      if count == ARCHIVE_RETRY { continue }
      guard count > 0 else {
        throw fault("is damaged", concernsEntryAlone: count != ARCHIVE_FATAL || isZip)
      }
      byteCount += count
      // The entries of a zip are independent, so the others are not affected.
      if isZip, byteCount - countBefore > limits.bytes(forArchiveOf: position - positionBefore) {
        bombCount += 1
        byteCount = countBefore
        throw tooLarge(byteCount, concernsEntryAlone: bombCount <= Self.maximumBombs)
      }
      guard byteCount <= limits.bytes(forArchiveOf: archiveSize) else { throw tooLarge(byteCount) }
      try body(block[..<count])
    }
  }

  /// Skips the bytes of the current entry, counting them.
  ///
  /// In a zip and in an uncompressed tar this costs nothing.
  /// - Throws: An ``ArchiveError`` if the bytes are damaged, or exceed the archive's limit.
  package func skip() throws(ArchiveError) {
    if isZip && hasZipDirectory { return }
    if unsafe isTar && archive_filter_code(archive, 0) == ARCHIVE_FILTER_NONE { return }
    while true {
      var (start, count, offset) = unsafe (UnsafeRawPointer?.none, 0, Int64(0))
      let result = unsafe archive_read_data_block(archive, &start, &count, &offset)
      if result == ARCHIVE_EOF { return }
      if result == ARCHIVE_RETRY { continue }
      guard result == ARCHIVE_OK || result == ARCHIVE_WARN else {
        throw fault("is damaged or truncated", concernsEntryAlone: result != ARCHIVE_FATAL)
      }
      byteCount += count
      // A 7z is read at several positions, so only its total size is meaningful.
      let packed = isTar ? position : archiveSize
      guard byteCount <= limits.bytes(forArchiveOf: packed) else { throw tooLarge(byteCount) }
    }
  }

  /// Whether entries can be read independently, so that damage affects only one of them.
  package var isZip: Bool {
    unsafe archive_format(archive) & ARCHIVE_FORMAT_BASE_MASK == ARCHIVE_FORMAT_ZIP
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
    unsafe archive_format(archive) & ARCHIVE_FORMAT_BASE_MASK == ARCHIVE_FORMAT_TAR
  }

  /// The number of bytes of the archive's file read so far.
  private var position: Int { Int(unsafe archive_filter_bytes(archive, -1)) }

  private func tooLarge(_ count: Int, concernsEntryAlone: Bool = false) -> ArchiveError {
    let what =
      count > limits.bytes
      ? "more than \(limits.bytes >> 20) MiB" : "more than \(limits.ratio) times its size"
    return ArchiveError(
      path: path, reason: "unpacks to \(what)", concernsEntryAlone: concernsEntryAlone)
  }

  private func fault(_ problem: String, concernsEntryAlone: Bool = false) -> ArchiveError {
    ArchiveError(path: path, reason: problem + words, concernsEntryAlone: concernsEntryAlone)
  }

  /// The library's description of the last error.
  private var words: String {
    unsafe archive_error_string(archive).map { unsafe ": \(String(cString: $0))" } ?? ""
  }
}
