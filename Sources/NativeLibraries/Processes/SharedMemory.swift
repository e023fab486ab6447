internal import CSandbox
import MeshpipeBase
import MeshpipeScene
import POSIX

/// A file in memory shared with a child, for the arrays of messages.
///
/// It has no name and so leaves nothing behind. Its size is fixed, so the child can neither grow
/// nor truncate it. This side copies it into its own arrays and never maps it, so later changes by
/// the child have no effect. A child of ours maps it, so that decoders can write there.
@safe package final class SharedMemory {
  /// The child's descriptor number.
  package static let childDescriptor: Int32 = 3
  /// The alignment of arrays.
  private static let alignment = 64

  let descriptor: Int32
  package let size: Int
  private var end = 0
  /// In the child: its place in memory; nil if there is no room for it.
  private let start: UnsafeMutableRawPointer?

  /// - Parameter size: Its size in bytes; untouched ones take no memory.
  /// - Returns: Nil if the system does not support such files (all except Linux).
  package init?(size: Int) {
    descriptor = sandbox_shared_memory(UInt64(max(1, size)))
    unsafe start = nil
    guard descriptor >= 0 else { return nil }
    self.size = size
  }

  /// The memory that this process, a child, has inherited.
  init(inheritedOf size: Int) {
    descriptor = Self.childDescriptor
    self.size = size
    let mapped = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    unsafe start = mapped == MAP_FAILED ? nil : mapped
  }

  deinit {
    unsafe start.map { start in _ = unsafe munmap(start, size) }
    close(descriptor)
  }

  /// In the child: room for bytes in place of all that was stored; nil if there is too little.
  @unsafe func room(for count: Int) -> UnsafeMutableRawBufferPointer? {
    guard count <= size, let start = unsafe start else { return nil }
    end = count
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
  }

  /// The bytes that have pages.
  var residentBytes: Int {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? 512 * Int(status.st_blocks) : 0
  }

  /// Forgets what was stored.
  func rewind() { end = 0 }

  /// Returns the pages that are many, of whatever the child has stored.
  func trim() {
    if residentBytes > Self.keptSize { free(0..<size) }
  }

  /// Loads bytes, and returns their pages if they are many: at no time there are two copies of all.
  func take(from offset: Int, into buffer: inout MutableRawSpan) throws {
    try read(from: offset, into: &buffer) { self.free($0) }
  }

  private func free(_ range: Range<Int>) {
    let many = range.clamped(to: Self.keptSize..<max(Self.keptSize, size))
    guard !many.isEmpty else { return }
    sandbox_free_shared_memory(descriptor, UInt64(many.lowerBound), UInt64(many.count))
  }

  /// The bytes that stay in memory for the next messages: a photograph of a phone.
  static let keptSize = 1 << 26
  /// The most bytes that are loaded at once.
  private static let pieceSize = 1 << 24
}

extension SharedMemory: WireMemory {
  package func store(_ bytes: RawSpan) throws -> Int? {
    let start = end
    guard bytes.byteCount <= size - start else { return nil }
    var written = 0
    while written < bytes.byteCount {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
        return unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(start + written))
      }
      if count > 0 {
        written += count
      } else if errno != EINTR {
        return nil
      }
    }
    end = (start + written + Self.alignment - 1) / Self.alignment * Self.alignment
    return start
  }

  package func load(from offset: Int, into buffer: inout MutableRawSpan) throws {
    try read(from: offset, into: &buffer) { _ in }
  }

  /// - Parameter noteRead: Gets each range whose bytes were loaded.
  private func read(
    from offset: Int, into buffer: inout MutableRawSpan, _ noteRead: (Range<Int>) -> Void
  ) throws {
    let total = buffer.byteCount
    guard offset <= size, total <= size - offset else {
      throw WireError.content("an array reaches beyond the end of the shared memory")
    }
    var filled = 0
    while filled < total {
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        let rest = unsafe UnsafeMutableRawBufferPointer(
          rebasing: bytes[filled..<min(filled + Self.pieceSize, total)])
        return unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
      }
      if count > 0 {
        noteRead(offset + filled..<offset + filled + count)
        filled += count
      } else if count == 0 || errno != EINTR {
        throw WireError.truncated
      }
    }
  }
}
