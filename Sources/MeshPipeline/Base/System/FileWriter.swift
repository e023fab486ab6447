#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file being written from beginning to end, through a buffer, every call checked.
///
/// The file is complete only when ``finish()`` has returned. A writer that is dropped before closes
/// its file and leaves it as it is.
public final class FileWriter {
  public let path: String
  /// The number of bytes given to the writer so far.
  public private(set) var byteCount = 0

  private let stage: StageContext?
  private var descriptor: Int32
  private let closesDescriptor: Bool
  private var buffer: [UInt8] = []

  /// Bytes are handed to the system when about this many have come together.
  private static let bufferSize = 1 << 18

  /// Makes a new file, or empties the one that is there.
  ///
  /// - Parameters:
  ///   - path: Where; its folder must exist.
  ///   - stage: The run that the file belongs to, asked for cancellation at every buffer's end.
  public init(creating path: String, in stage: StageContext? = nil) throws(FileError) {
    self.path = path
    self.stage = stage
    closesDescriptor = true
    descriptor = unsafe open(path.systemPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw FileError(.create, path) }
    buffer.reserveCapacity(Self.bufferSize)
  }

  /// Writes to a descriptor that is open already, such as standard output, and leaves it open.
  ///
  /// - Parameter name: What messages call it.
  public init(descriptor: Int32, name: String, in stage: StageContext? = nil) {
    path = name
    self.stage = stage
    self.descriptor = descriptor
    closesDescriptor = false
    buffer.reserveCapacity(Self.bufferSize)
  }

  deinit {
    if closesDescriptor, descriptor >= 0 { close(descriptor) }
  }

  /// Writes bytes.
  public func write(_ bytes: [UInt8]) throws {
    if bytes.count < Self.bufferSize / 4 {
      byteCount += bytes.count
      buffer += bytes
      if buffer.count >= Self.bufferSize { try flush() }
    } else {
      try unsafe bytes.withUnsafeBytes { try unsafe write($0) }
    }
  }

  /// Writes a text as UTF-8.
  public func write(_ text: String) throws {
    let before = buffer.count
    buffer.append(contentsOf: text.utf8)
    byteCount += buffer.count - before
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Writes the elements of an array as they lie in memory: little-endian on every machine that
  /// meshpipe runs on.
  ///
  /// - Precondition: The type has no padding.
  public func write<Element: BitwiseCopyable>(elements: [Element]) throws {
    try unsafe elements.withUnsafeBytes { try unsafe write($0) }
  }

  /// Writes an integer, little-endian.
  public func write<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) throws {
    try write(elements: [value.littleEndian])
  }

  /// Writes raw memory.
  @unsafe
  public func write(_ bytes: UnsafeRawBufferPointer) throws {
    byteCount += bytes.count
    if bytes.count < Self.bufferSize / 4 {
      unsafe buffer.append(contentsOf: bytes)
      if buffer.count >= Self.bufferSize { try flush() }
    } else {
      try flush()
      try unsafe send(bytes)
    }
  }

  /// Replaces bytes that were written before, such as a length that is known only now.
  ///
  /// - Precondition: They were written, and the file is one that can be gone back in.
  public func replace(at offset: Int, with bytes: [UInt8]) throws {
    precondition(offset >= 0 && offset + bytes.count <= byteCount)
    try flush()
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
        return unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
      }
      if count >= 0 {
        done += count
      } else if errno != EINTR {
        throw FileError(.write, path)
      }
    }
  }

  /// Hands the rest to the system, waits until it is on the disk, and closes the file.
  ///
  /// A descriptor that was given to the writer is neither waited for nor closed.
  /// - Parameter synchronizing: Whether to wait for the disk; files that nobody needs after a power cut
  ///   do without.
  public func finish(synchronizing: Bool = true) throws {
    try flush()
    guard closesDescriptor, descriptor >= 0 else { return }
    let synchronized =
      !synchronizing || fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP
    let synchronizationCode = errno
    let closed = close(descriptor) == 0
    let closingCode = errno
    descriptor = -1
    if !synchronized { throw FileError(.write, path, code: synchronizationCode) }
    if !closed, closingCode != EINTR { throw FileError(.write, path, code: closingCode) }
  }

  private func flush() throws {
    guard !buffer.isEmpty else { return }
    try unsafe buffer.withUnsafeBytes { try unsafe send($0) }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes in pieces small enough that a wish to stop is heard soon.
  private func send(_ bytes: UnsafeRawBufferPointer) throws {
    var offset = 0
    while offset < bytes.count {
      try stage?.checkCancellation()
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset...])
      let count = unsafe systemWrite(descriptor, rest.baseAddress, min(rest.count, 1 << 24))
      if count >= 0 {
        offset += count
      } else if errno != EINTR {
        throw FileError(.write, path)
      }
    }
  }
}

/// The system's `write`, which the methods of the same name hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, count)
}
