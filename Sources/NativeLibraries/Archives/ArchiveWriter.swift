internal import CArchive
import MeshpipeBase

/// Writes a zip, a 7z or a tar, entry by entry, with libarchive.
///
/// The bytes of the archive depend only on the names, bytes and order of the entries: times, owners
/// and modes are constant.
@safe
package final class ArchiveWriter {
  package let path: String
  private let archive: OpaquePointer
  private let isZip: Bool

  /// The supported extensions.
  package static let endings = [
    ".zip", ".7z", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".txz", ".tar.zst", ".tzst",
  ]

  /// Starts an archive.
  ///
  /// - Parameters:
  ///   - path: Its path; an existing file is replaced.
  ///   - name: A name with the archive's extension, if `path` doesn't have it.
  ///   - level: The compression level of a zip, from 1 for the fastest to 9; nil for zlib's default.
  package init(creating path: String, named name: String? = nil, level: Int? = nil) throws {
    guard let archive = unsafe archive_write_new() else {
      throw NativeLibraryError("libarchive", "is out of memory")
    }
    self.path = path
    unsafe self.archive = archive
    let name = (name ?? path).lowercased()
    isZip = name.hasSuffix(".zip")
    let isKnown = unsafe Self.choose(kindOf: name, for: archive)
    guard isKnown else {
      throw ArchiveError(
        path: path,
        reason: "can't be written; supported are \(Self.endings.joined(separator: ", "))")
    }
    if isZip, let level {
      unsafe archive_write_set_format_option(archive, "zip", "compression-level", String(level))
    }
    if unsafe archive_write_open_filename(archive, path.systemPath) != ARCHIVE_OK {
      throw FileError(.create, path, code: unsafe archive_errno(archive))
    }
  }

  deinit { unsafe archive_write_free(archive) }

  @unsafe
  private static func choose(kindOf name: String, for archive: OpaquePointer) -> Bool {
    if name.hasSuffix(".zip") { return unsafe archive_write_set_format_zip(archive) == ARCHIVE_OK }
    if name.hasSuffix(".7z") { return unsafe archive_write_set_format_7zip(archive) == ARCHIVE_OK }
    // The last block of a tar is not padded to a tape record.
    unsafe archive_write_set_bytes_in_last_block(archive, 1)
    unsafe archive_write_set_format_pax_restricted(archive)
    let ends = { (endings: String...) in endings.contains { name.hasSuffix($0) } }
    if ends(".tar") { return true }
    if ends(".tar.gz", ".tgz") {
      unsafe archive_write_add_filter_gzip(archive)
      return unsafe archive_write_set_options(archive, "gzip:!timestamp") == ARCHIVE_OK
    }
    if ends(".tar.bz2") { return unsafe archive_write_add_filter_bzip2(archive) == ARCHIVE_OK }
    if ends(".tar.xz", ".txz") { return unsafe archive_write_add_filter_xz(archive) == ARCHIVE_OK }
    if ends(".tar.zst", ".tzst") {
      return unsafe archive_write_add_filter_zstd(archive) == ARCHIVE_OK
    }
    return false
  }

  /// Adds bytes as a file.
  package func add(_ name: String, _ bytes: [UInt8]) throws {
    try add(name, size: bytes.count) { write in try write(bytes[...]) }
  }

  /// Adds a file on disk.
  package func add(_ name: String, file path: String) throws {
    guard let status = try FileSystem.status(of: path) else { throw FileError(.read, path) }
    try add(name, size: status.size) { write in
      let reader = try BlockReader(path)
      while case let block = try reader.next(), !block.isEmpty { try write(block) }
    }
  }

  /// Adds a file.
  ///
  /// - Parameters:
  ///   - name: Its path in the archive.
  ///   - size: The number of bytes from `body`; any other number is an error.
  ///   - body: Calls its argument with the bytes, block by block.
  package func add(
    _ name: String, size: Int, from body: ((ArraySlice<UInt8>) throws -> Void) throws -> Void
  ) throws {
    try begin(name, size: size)
    var left = size
    try body { block in
      left -= block.count
      guard left >= 0 else { return }
      try append(block)
    }
    guard left == 0 else {
      throw ArchiveError(
        path: path, reason: "can't be written: '\(name)' changed while it was read")
    }
  }

  /// Begins a file; it ends where the next one begins.
  ///
  /// - Parameter size: The number of bytes that will be appended; may be nil in a zip.
  package func begin(_ name: String, size: Int? = nil) throws {
    guard let entry = unsafe archive_entry_new() else {
      throw NativeLibraryError("libarchive", "is out of memory")
    }
    defer { unsafe archive_entry_free(entry) }
    ArchiveLocale.inUnicode { unsafe archive_entry_set_pathname_utf8(entry, name) }
    if let size { unsafe archive_entry_set_size(entry, Int64(size)) }
    unsafe archive_entry_set_filetype(entry, 0o100_000)
    unsafe archive_entry_set_perm(entry, 0o644)
    unsafe archive_entry_set_uid(entry, 0)
    unsafe archive_entry_set_gid(entry, 0)
    // Midnight of 1 January 1980 is the earliest time of a zip, in any time zone.
    if !isZip { unsafe archive_entry_set_mtime(entry, 315_532_800, 0) }
    if isZip, Self.isPacked(name) {
      unsafe archive_write_zip_set_compression_store(archive)
    } else if isZip {
      unsafe archive_write_zip_set_compression_deflate(archive)
    }
    try check(ArchiveLocale.inUnicode { unsafe archive_write_header(archive, entry) })
  }

  /// Appends bytes to the file begun last.
  package func append(_ bytes: ArraySlice<UInt8>) throws {
    try unsafe bytes.withUnsafeBytes { try unsafe write($0) }
  }

  /// Whether a file's bytes would not compress.
  private static func isPacked(_ name: String) -> Bool {
    let packed: Set<String> = ["png", "jpg", "jpeg", "webp", "zip", "usdz", "3mf", "heic", "mp4"]
    return packed.contains(fileExtension(of: name))
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws {
    var offset = 0
    while offset < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset...])
      let count = unsafe archive_write_data(archive, rest.baseAddress, rest.count)
      guard count > 0 else { throw failure() }
      offset += count
    }
  }

  /// Finishes the archive, and waits until it is on disk.
  package func finish() throws {
    try check(unsafe archive_write_close(archive))
    try FileSystem.synchronize(path)
  }

  private func check(_ result: Int32) throws {
    guard result == ARCHIVE_OK || result == ARCHIVE_WARN else { throw failure() }
  }

  private func failure() -> FileError {
    let code = unsafe archive_errno(archive)
    return FileError(.write, path, code: code > 0 ? code : 5)
  }
}
