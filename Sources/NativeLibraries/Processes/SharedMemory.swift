internal import CSandbox
import MeshPipeline
import POSIX

/// A file in memory shared with a child, for the arrays of messages.
///
/// It has no name and so leaves nothing behind. Its size is fixed, so the child can neither grow
/// nor truncate it. This side copies it into its own arrays and never maps it, so later changes by
/// the child have no effect.
final class SharedMemory {
  /// The child's descriptor number.
  static let childDescriptor: Int32 = 3
  /// The alignment of arrays.
  private static let alignment = 64

  let descriptor: Int32
  let size: Int
  private var end = 0

  /// - Parameter size: Its size in bytes; untouched ones take no memory.
  /// - Returns: Nil if the system does not support such files (all except Linux).
  init?(size: Int) {
    descriptor = sandbox_shared_memory(UInt64(max(1, size)))
    guard descriptor >= 0 else { return nil }
    self.size = size
  }

  /// The memory that this process, a child, has inherited.
  init(inheritedOf size: Int) {
    descriptor = Self.childDescriptor
    self.size = size
  }

  deinit { close(descriptor) }

  /// Forgets what was stored, and returns the pages of it that are many.
  func rewind() {
    if end > Self.keptSize {
      sandbox_free_shared_memory(descriptor, UInt64(Self.keptSize), UInt64(end - Self.keptSize))
    }
    end = 0
  }

  /// Notes what the other side has stored.
  func noteEnd(_ offset: Int) { end = max(end, min(offset, size)) }

  /// The bytes that stay in memory for the next messages: a photograph of a phone.
  private static let keptSize = 1 << 26
}

extension SharedMemory: WireMemory {
  func store(_ bytes: RawSpan) throws -> Int? {
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

  func load(from offset: Int, into buffer: inout MutableRawSpan) throws {
    let total = buffer.byteCount
    guard offset <= size, total <= size - offset else {
      throw WireError.content("an array reaches beyond the end of the shared memory")
    }
    var filled = 0
    while filled < total {
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
        return unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
      }
      if count > 0 {
        filled += count
      } else if count == 0 || errno != EINTR {
        throw WireError.truncated
      }
    }
  }
}
