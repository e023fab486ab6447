internal import CMemory
import POSIX

/// The bytes of a file, mapped into memory; a pipe is read into memory.
///
/// A regular file needs no copy: its pages are loaded from the system's cache when touched. If
/// another program truncates it meanwhile, the lost part reads as zeros; call
/// ``requireUnchanged()`` after using the bytes.
public final class MappedFile: Sendable {
  /// The path by which it was opened.
  public let path: String
  private let memory: Memory
  /// The status of a regular file when it was opened.
  private let status: FileStatus?

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: A regular file, a pipe, or a terminal.
  ///   - allowsPipes: Whether to accept anything other than a regular file; side files named by a
  ///     scan must not make the program wait for a pipe.
  public init(path: String, allowsPipes: Bool = true) throws(FileError) {
    self.path = path
    // Without O_NONBLOCK, opening a pipe would wait for its writer before it could be rejected.
    let descriptor = unsafe open(
      path.systemPath, O_RDONLY | O_CLOEXEC | (allowsPipes ? 0 : O_NONBLOCK))
    guard descriptor >= 0 else { throw FileError(.read, path) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(.read, path) }
    self.status = status.st_mode & S_IFMT == S_IFREG ? FileStatus(status) : nil
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      memory = try Memory(mapping: descriptor, count: Int(status.st_size), path: path)
    case S_IFDIR:
      throw FileError(.read, path, code: EISDIR)
    case S_IFIFO where allowsPipes, S_IFSOCK where allowsPipes,
      S_IFCHR where isatty(descriptor) == 1:
      memory = try Memory(reading: descriptor, path: path)
    default:
      throw FileError(.read, path, code: EOPNOTSUPP)
    }
  }

  /// Bytes made from those of a file, such as its decompressed contents.
  ///
  /// - Parameter fill: Writes them; they are zero before.
  package init(path: String, count: Int, fill: (inout MutableSpan<UInt8>) -> Void) throws(FileError)
  {
    self.path = path
    status = nil
    memory = try Memory(making: count, path: path, fill: fill)
  }

  /// The number of bytes.
  public var count: Int { memory.count }

  /// Calls `body` with all bytes; the span must not escape the closure.
  @inlinable
  public func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe Span(_unsafeElements: buffer))
  }

  @usableFromInline
  var buffer: UnsafeBufferPointer<UInt8> { unsafe memory.buffer }

  /// Whether another program wrote to the file since it was opened, so that its bytes may be an
  /// inconsistent mix.
  ///
  /// A file that was replaced as a whole, or removed, counts as unchanged.
  public var hasChanged: Bool {
    guard let status else { return false }
    return memory.isDamaged || (try? status.isOutdated(at: path)) ?? false
  }

  /// Throws if ``hasChanged``.
  public func requireUnchanged() throws(FileError) {
    guard hasChanged else { return }
    // An unreadable page raises the same signal.
    let isWhole = (try? FileSystem.status(of: path))?.size == count
    throw FileError(.read, path, code: memory.isDamaged && isWhole ? EIO : FileError.changed)
  }

  /// Tells the system that the bytes in `range` are not needed soon, so that their memory can be
  /// freed.
  ///
  /// They can still be read: they are reloaded from the file.
  package func release(_ range: Range<Int>) { memory.release(range) }
}

extension MappedFile {
  /// The memory of a file, released at the end.
  ///
  /// Sendable because it is never written to after creation.
  @safe
  private final class Memory: @unchecked Sendable {
    let buffer: UnsafeBufferPointer<UInt8>
    /// Nil for bytes that were read.
    private let mapping: OpaquePointer?

    var count: Int { unsafe buffer.count }

    var isDamaged: Bool {
      unsafe mapping.map { unsafe meshpipe_mapping_is_damaged($0) != 0 } ?? false
    }

    init(mapping descriptor: Int32, count: Int, path: String) throws(FileError) {
      guard count > 0 else {
        unsafe mapping = nil
        unsafe buffer = UnsafeBufferPointer(start: nil, count: 0)
        return
      }
      guard let mapping = unsafe meshpipe_mapping_open(descriptor, count) else {
        throw FileError(.read, path)
      }
      unsafe self.mapping = unsafe mapping
      unsafe buffer = UnsafeBufferPointer(start: meshpipe_mapping_bytes(mapping), count: count)
    }

    init(reading descriptor: Int32, path: String) throws(FileError) {
      unsafe mapping = nil
      var capacity = 1 << 16
      var count = 0
      var start = unsafe malloc(capacity)
      while let room = unsafe start {
        let received = unsafe read(descriptor, room + count, capacity - count)
        if received == 0 { break }
        if received < 0 {
          if errno == EINTR { continue }
          let code = errno
          unsafe free(room)
          throw FileError(.read, path, code: code)
        }
        count += received
        if count == capacity {
          capacity *= 2
          let larger = unsafe realloc(room, capacity)
          if unsafe larger == nil { unsafe free(room) }
          unsafe start = larger
        }
      }
      guard let bytes = unsafe start else { throw FileError(.read, path, code: ENOMEM) }
      unsafe buffer = UnsafeBufferPointer(
        start: bytes.assumingMemoryBound(to: UInt8.self), count: count)
    }

    init(making count: Int, path: String, fill: (inout MutableSpan<UInt8>) -> Void)
      throws(FileError)
    {
      unsafe mapping = nil
      guard let start = unsafe calloc(max(count, 1), 1) else {
        throw FileError(.read, path, code: ENOMEM)
      }
      let bytes = unsafe start.assumingMemoryBound(to: UInt8.self)
      unsafe buffer = UnsafeBufferPointer(start: bytes, count: count)
      var span = unsafe MutableSpan(
        _unsafeElements: UnsafeMutableBufferPointer(start: bytes, count: count))
      fill(&span)
    }

    func release(_ range: Range<Int>) {
      guard unsafe mapping != nil, let base = unsafe buffer.baseAddress else { return }
      let page = Int(getpagesize())
      let start = (range.lowerBound + page - 1) / page * page
      let end = min(range.upperBound, count) / page * page
      guard start < end else { return }
      _ = unsafe madvise(
        UnsafeMutableRawPointer(mutating: base + start), end - start, MADV_DONTNEED)
    }

    deinit {
      if let mapping = unsafe mapping {
        unsafe meshpipe_mapping_close(mapping)
      } else if let base = unsafe buffer.baseAddress {
        unsafe free(UnsafeMutableRawPointer(mutating: base))
      }
    }
  }
}

extension [UInt8] {
  /// Copies borrowed bytes, such as those of a file.
  package init(copying span: Span<UInt8>) {
    self = unsafe span.withUnsafeBufferPointer { buffer in unsafe [UInt8](buffer) }
  }
}
