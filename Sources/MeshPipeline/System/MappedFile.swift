#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The bytes of a file, mapped into memory; those of a pipe are read into it.
///
/// A regular file costs no copy: its pages come from the system's cache when they are touched. It
/// must not be cut short by another program meanwhile.
public final class MappedFile: Sendable {
  public let path: String
  private let memory: Memory

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: A regular file, a pipe, or a terminal.
  ///   - allowsPipes: Whether anything but a regular file is taken; side files that a scan names
  ///     must not make the program wait for a pipe.
  public init(path: String, allowsPipes: Bool = true) throws(FileError) {
    self.path = path
    // Without O_NONBLOCK, opening a pipe would wait for its writer before it could be refused.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | (allowsPipes ? 0 : O_NONBLOCK))
    guard descriptor >= 0 else { throw FileError(.read, path) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(.read, path) }
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

  /// The number of bytes.
  public var count: Int { memory.count }

  /// Calls `body` with all bytes; the span must not leave the closure.
  @inlinable
  public func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe Span(_unsafeElements: buffer))
  }

  @usableFromInline
  var buffer: UnsafeBufferPointer<UInt8> { unsafe memory.buffer }

  /// Tells the system that the bytes in `range` are not needed soon, so that they count as free.
  ///
  /// They can still be read: they come back from the file.
  public func release(_ range: Range<Int>) { memory.release(range) }
}

extension MappedFile {
  /// The memory behind a file, given back at the end.
  ///
  /// Sendable because nobody writes to it once it is made.
  @safe
  private final class Memory: @unchecked Sendable {
    let buffer: UnsafeBufferPointer<UInt8>
    private let isMapped: Bool

    var count: Int { unsafe buffer.count }

    init(mapping descriptor: Int32, count: Int, path: String) throws(FileError) {
      isMapped = count > 0
      guard count > 0 else {
        unsafe buffer = UnsafeBufferPointer(start: nil, count: 0)
        return
      }
      let address = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0)
      guard let address = unsafe address, unsafe address != MAP_FAILED else {
        throw FileError(.read, path)
      }
      unsafe buffer = UnsafeBufferPointer(
        start: address.assumingMemoryBound(to: UInt8.self), count: count)
    }

    init(reading descriptor: Int32, path: String) throws(FileError) {
      isMapped = false
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

    func release(_ range: Range<Int>) {
      guard isMapped, let base = unsafe buffer.baseAddress else { return }
      let page = Int(getpagesize())
      let start = (range.lowerBound + page - 1) / page * page
      let end = min(range.upperBound, count) / page * page
      guard start < end else { return }
      _ = unsafe madvise(
        UnsafeMutableRawPointer(mutating: base + start), end - start, MADV_DONTNEED)
    }

    deinit {
      guard let base = unsafe buffer.baseAddress else { return }
      let address = unsafe UnsafeMutableRawPointer(mutating: base)
      if isMapped { _ = unsafe munmap(address, unsafe buffer.count) } else { unsafe free(address) }
    }
  }
}

extension [UInt8] {
  /// Copies bytes that are only lent, such as those of a file.
  public init(copying span: Span<UInt8>) {
    self = unsafe span.withUnsafeBufferPointer { buffer in unsafe [UInt8](buffer) }
  }
}
