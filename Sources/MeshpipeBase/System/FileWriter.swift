import POSIX

/// Writes a file from beginning to end through a buffer, checking every call.
///
/// The file is complete only after ``finish(synchronizing:)`` has returned. A writer that is dropped before
/// closes its file and leaves it incomplete.
public final class FileWriter {
  /// The path of the file, for messages.
  public let path: String
  /// The number of bytes given to the writer so far.
  public private(set) var byteCount = 0

  private let stage: (any Cancellable)?
  private var descriptor: Int32
  private let closesDescriptor: Bool
  private var buffer: [UInt8] = []

  /// The approximate buffer size in bytes.
  private static let bufferSize = 1 << 18

  /// Creates a file, or truncates an existing one.
  ///
  /// - Parameters:
  ///   - path: Its path; the folder must exist.
  ///   - stage: The run, checked for cancellation whenever the buffer is full.
  public init(creating path: String, in stage: (any Cancellable)? = nil) throws(FileError) {
    self.path = path
    self.stage = stage
    closesDescriptor = true
    descriptor = unsafe open(path.systemPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw FileError(.create, path) }
    buffer.reserveCapacity(Self.bufferSize)
  }

  /// Writes to an open descriptor, such as standard output, and leaves it open.
  ///
  /// - Parameter name: Its name for messages.
  package init(descriptor: Int32, name: String, in stage: (any Cancellable)? = nil) {
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

  /// Writes bytes.
  package func write(_ bytes: ArraySlice<UInt8>) throws {
    try unsafe bytes.withUnsafeBytes { try unsafe write($0) }
  }

  /// Writes a text as UTF-8.
  public func write(_ text: String) throws {
    let before = buffer.count
    buffer.append(contentsOf: text.utf8)
    byteCount += buffer.count - before
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Writes the bytes of a file.
  package func write(contentsOf path: String) throws {
    let reader = try BlockReader(path)
    while true {
      let block = try reader.next()
      if block.isEmpty { return }
      try write(block)
    }
  }

  /// Writes the elements of an array as in memory: little-endian on every supported machine.
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

  /// Writes the remaining bytes, waits until they are on disk, and closes the file.
  ///
  /// A descriptor given to the writer is neither synced nor closed.
  /// - Parameter synchronizing: Whether to wait for the disk; unnecessary for files that may be
  ///   lost in a power cut.
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

  /// Writes in pieces small enough for cancellation to take effect soon.
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

/// The system's `write`, which is hidden by methods of the same name.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, count)
}
