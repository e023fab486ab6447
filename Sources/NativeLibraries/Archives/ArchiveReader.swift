internal import CArchive
public import MeshPipeline

/// Reads a zip, a 7z or a tar (plain, gzip, bzip2, xz or zstd) as a stream, entry by entry, through
/// libarchive.
///
/// Nothing is unpacked and nothing is kept: an entry's bytes are asked for before the next entry is, or
/// are passed over. Entries that must not be unpacked come with the reason.
@safe
public final class ArchiveReader {
  /// What an archive may ask of the machine.
  public struct Limits: Sendable {
    public var entries = 200_000
    /// Bytes of all entries together.
    public var bytes = 1 << 36
    /// How many times larger than the archive its entries may be, above the first 64 MiB.
    public var ratio = 250

    public init() {}

    /// The bytes that an archive of this size may unpack to.
    func bytes(forArchiveOf size: Int) -> Int {
      let (product, overflows) = size.multipliedReportingOverflow(by: ratio)
      return min(bytes, overflows ? bytes : product + 1 << 26)
    }
  }

  public struct Entry: Sendable, Equatable {
    public enum Kind: Sendable { case file, folder, other }

    /// The path in the archive, with slashes.
    public var name: String
    public var kind: Kind
    /// Why the entry must not be unpacked; nil when it may be.
    public var refusal: String?
  }

  public let path: String
  private let archive: OpaquePointer
  private let limits: Limits
  private let byteLimit: Int
  private var entryCount = 0
  private var byteCount = 0
  private var block = [UInt8](repeating: 0, count: 1 << 18)

  /// Opens an archive.
  public init(_ path: String, limits: Limits = Limits()) throws {
    guard let status = try FileSystem.status(of: path) else { throw FileError(.read, path) }
    guard let archive = unsafe archive_read_new() else {
      throw NativeLibraryError("libarchive", "is out of memory")
    }
    self.path = path
    self.limits = limits
    unsafe self.archive = archive
    byteLimit = limits.bytes(forArchiveOf: status.size)
    // What the library can't do itself it would leave to programs of the PATH: those filters stay out.
    unsafe archive_read_support_format_zip(archive)
    unsafe archive_read_support_format_7zip(archive)
    unsafe archive_read_support_format_tar(archive)
    unsafe archive_read_support_filter_gzip(archive)
    unsafe archive_read_support_filter_bzip2(archive)
    unsafe archive_read_support_filter_xz(archive)
    unsafe archive_read_support_filter_zstd(archive)
    guard unsafe archive_read_open_filename(archive, path, 1 << 18) == ARCHIVE_OK else {
      throw fault("is no archive that can be read")
    }
  }

  deinit { unsafe archive_read_free(archive) }

  /// The next entry; nil at the end.
  ///
  /// - Throws: An ``ArchiveError`` when the archive is damaged, or has more entries than it may.
  public func next() throws(ArchiveError) -> Entry? {
    var entry: OpaquePointer?
    let result = unsafe archive_read_next_header(archive, &entry)
    if result == ARCHIVE_EOF { return nil }
    guard result == ARCHIVE_OK || result == ARCHIVE_WARN, let entry = unsafe entry else {
      throw fault("is damaged")
    }
    entryCount += 1
    guard entryCount <= limits.entries else {
      throw ArchiveError(path: path, reason: "has more than \(limits.entries) entries")
    }
    // The raw name stands in where the library can't turn it into UTF-8.
    let text = unsafe archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry)
    let name = unsafe text.map { unsafe String(cString: $0) } ?? ""
    let type = UInt32(unsafe archive_entry_filetype(entry))
    let isLink = unsafe archive_entry_hardlink(entry) != nil
    let kind: Entry.Kind =
      isLink ? .other : type == 0o100_000 ? .file : type == 0o040_000 ? .folder : .other
    var refusal = Self.refusal(ofName: name)
    if kind == .other {
      refusal = isLink || type == 0o120_000 ? "it is a link" : "it is neither a file nor a folder"
    } else if unsafe archive_entry_is_encrypted(entry) != 0 {
      refusal = "it is encrypted"
    }
    return Entry(name: String(name.map { $0 == "\\" ? "/" : $0 }), kind: kind, refusal: refusal)
  }

  /// Hands out the bytes of the entry that came last, a block at a time.
  ///
  /// - Throws: An ``ArchiveError`` when the entry is damaged, or the archive unpacks to more than it may;
  ///   and what `body` throws.
  public func forEachBlock(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
    while true {
      let count = unsafe block.withUnsafeMutableBytes { buffer in
        unsafe archive_read_data(archive, buffer.baseAddress, buffer.count)
      }
      if count == 0 { return }
      guard count > 0 else { throw fault("is damaged") }
      byteCount += count
      guard byteCount <= byteLimit else {
        throw ArchiveError(
          path: path,
          reason: "unpacks to more than \(byteLimit >> 20) MiB, which its size doesn't justify")
      }
      try body(block[..<count])
    }
  }

  /// Why a name must not become a path; nil when it may.
  static func refusal(ofName name: String) -> String? {
    let name = String(name.map { $0 == "\\" ? "/" : $0 })
    if name.isEmpty { return "it has no name" }
    if name.hasPrefix("/") { return "its name is an absolute path" }
    let parts = name.split(separator: "/")
    if parts.contains("..") { return "its name climbs out of the folder" }
    if parts.first?.dropFirst().first == ":" { return "its name begins with a drive" }
    if name.unicodeScalars.contains(where: { $0.value < 32 }) {
      return "its name holds a control character"
    }
    return nil
  }

  private func fault(_ problem: String) -> ArchiveError {
    let words = unsafe archive_error_string(archive).map { unsafe String(cString: $0) }
    return ArchiveError(path: path, reason: problem + (words.map { ": \($0)" } ?? ""))
  }
}

/// An archive that can't be read, or asks for more than it may.
public struct ArchiveError: UserError, Equatable {
  public var path: String
  public var reason: String

  public init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

  public var exitCode: ExitCode { .data }
  public var message: String { "\(path): the archive \(reason)" }
}
