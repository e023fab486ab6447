internal import CArchive
import MeshpipeBase
import MeshpipeScene
import POSIX

/// The archive that is open, and its file.
@safe final class OpenArchive {
  fileprivate let handle: OpaquePointer
  private let file: Int32

  /// - Parameter file: A descriptor of its own, which it closes.
  fileprivate init?(file: Int32) {
    guard let handle = unsafe archive_read_new() else {
      close(file)
      return nil
    }
    unsafe self.handle = handle
    self.file = file
    // Filters that libarchive would delegate to programs in the PATH are excluded.
    unsafe archive_read_support_format_zip(handle)
    unsafe archive_read_support_format_7zip(handle)
    unsafe archive_read_support_format_tar(handle)
    unsafe archive_read_support_filter_gzip(handle)
    unsafe archive_read_support_filter_bzip2(handle)
    unsafe archive_read_support_filter_xz(handle)
    unsafe archive_read_support_filter_zstd(handle)
  }

  deinit {
    unsafe archive_read_free(handle)
    close(file)
  }

  /// Whether it has a kind that is supported.
  fileprivate func open() -> Bool {
    // A cell before this one may have read from it.
    lseek(file, 0, SEEK_SET)
    return unsafe archive_read_open_fd(handle, file, 1 << 18) == ARCHIVE_OK
  }

  /// The library's description of the last error.
  fileprivate var words: String {
    unsafe archive_error_string(handle).map { unsafe String(cString: $0) } ?? ""
  }

  /// The number of bytes of the file read so far.
  fileprivate var position: Int { Int(unsafe archive_filter_bytes(handle, -1)) }

  /// The kind of the archive, and whether it is not packed as a whole.
  fileprivate var form: Int {
    let format = unsafe Int(archive_format(handle) & ARCHIVE_FORMAT_BASE_MASK)
    let isPlain = unsafe archive_filter_code(handle, 0) == ARCHIVE_FILTER_NONE
    return format << 1 | (isPlain ? 1 : 0)
  }
}

/// Archives: what the library says of them is passed on, to be judged outside of the cell.
extension DecoderService {
  /// Opens an archive.
  func openArchive(_ files: [Int32]) -> CellMessage {
    archive = nil
    guard let file = files.first else { return CellMessage(.damaged, text: "no file came") }
    guard let opened = OpenArchive(file: file) else {
      return CellMessage(.missing, text: "is out of memory")
    }
    guard opened.open() else { return CellMessage(.damaged, text: opened.words) }
    archive = opened
    return CellMessage(.done)
  }

  /// Moves to the next entry: answers the library's code, type and marks, size, length of the name, bytes of the file read
  /// before and after, the kind of archive and a status; with the name and, of a file, at most a number of its first
  /// bytes.
  func archiveEntry(_ request: CellMessage) -> CellMessage {
    ArchiveLocale.inUnicode { nextEntry(request) }
  }

  private func nextEntry(_ request: CellMessage) -> CellMessage {
    guard let archive, let most = request.numbers.first else { return CellMessage(.damaged) }
    var found: OpaquePointer?
    let result = unsafe archive_read_next_header(archive.handle, &found)
    let isThere = result == ARCHIVE_OK || result == ARCHIVE_WARN || result == ARCHIVE_FAILED
    guard isThere, let entry = unsafe found else {
      let code = isThere ? ARCHIVE_FATAL : result
      return CellMessage(.done, [Int(code), 0, -1, 0, archive.position], text: archive.words)
    }
    // The raw name is used if the library can't convert it to UTF-8.
    let text = unsafe archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry)
    var bytes = unsafe text.map { unsafe Self.bytes(of: $0) } ?? []
    let type = Int(unsafe archive_entry_filetype(entry))
    let isLink = unsafe archive_entry_hardlink(entry) != nil
    let isEncrypted = unsafe archive_entry_is_encrypted(entry) != 0
    let hasSize = unsafe archive_entry_size_is_set(entry) != 0
    let size = unsafe hasSize ? max(0, Int(archive_entry_size(entry))) : -1
    var numbers = [
      Int(result), type << 2 | (isEncrypted ? 2 : 0) | (isLink ? 1 : 0), size, bytes.count,
      archive.position, archive.position, archive.form,
    ]
    var words = result == ARCHIVE_OK ? "" : archive.words
    let isFile = type == 0o100_000 && !isLink && !isEncrypted
    if most > 0, isFile, result == ARCHIVE_OK {
      let status = Self.read(from: archive, most, into: &bytes)
      numbers[5] = archive.position
      numbers.append(status)
      if status < 0 { words = archive.words }
    }
    return CellMessage(.done, numbers, text: words, bytes: bytes)
  }

  /// At most a number of bytes of the entry: answers a status and the bytes of the file read so far.
  func archiveBytes(_ request: CellMessage) -> CellMessage {
    guard let archive, let most = request.numbers.first else { return CellMessage(.damaged) }
    var bytes: [UInt8] = []
    let status = Self.read(from: archive, most, into: &bytes)
    return CellMessage(
      .done, [status, archive.position], text: status < 0 ? archive.words : "", bytes: bytes)
  }

  /// Passes over at most a number of bytes of the entry, and a block: answers a status, the bytes of the file read so far
  /// and the number of bytes.
  func archiveSkip(_ request: CellMessage) -> CellMessage {
    guard let archive, let most = request.numbers.first else { return CellMessage(.damaged) }
    var total = 0
    while total < most {
      var (start, count, offset) = unsafe (UnsafeRawPointer?.none, 0, Int64(0))
      let result = unsafe archive_read_data_block(archive.handle, &start, &count, &offset)
      if result == ARCHIVE_RETRY { continue }
      if result == ARCHIVE_OK || result == ARCHIVE_WARN {
        total += count
        continue
      }
      let isEnd = result == ARCHIVE_EOF
      return CellMessage(
        .done, [isEnd ? 0 : Int(result), archive.position, total],
        text: isEnd ? "" : archive.words)
    }
    return CellMessage(.done, [1, archive.position, total])
  }

  /// Appends bytes of the entry.
  ///
  /// - Returns: 1 if there may be more, 0 at the end, and otherwise an error of the library.
  private static func read(
    from archive: OpenArchive, _ most: Int, into bytes: inout [UInt8]
  ) -> Int {
    let start = bytes.count
    var status = 1
    let read = unsafe [UInt8](unsafeUninitializedCapacity: start + most) { buffer, filled in
      for index in 0..<start { unsafe buffer[index] = bytes[index] }
      filled = start
      while filled < start + most {
        let count = unsafe archive_read_data(
          archive.handle, buffer.baseAddress.map { unsafe $0 + filled }, start + most - filled)
        if count == ARCHIVE_RETRY { continue }
        guard count > 0 else {
          status = count
          break
        }
        filled += count
      }
    }
    bytes = read
    return status
  }

  private static func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
    unsafe [UInt8](
      UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }
}
