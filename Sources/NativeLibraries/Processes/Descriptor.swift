import MeshpipeBase
import MeshpipeScene
package import POSIX

/// A stream inherited by this process, as the end of a wire.
package struct Descriptor {
  let number: Int32

  package init(number: Int32) { self.number = number }
}

extension Descriptor: WireInput {
  package func read(into buffer: inout MutableRawSpan) throws {
    var filled = 0
    let total = buffer.byteCount
    while filled < total {
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe readDescriptor(
          number, into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]))
      }
      if count > 0 {
        filled += count
      } else if count == 0 || errno != EINTR {
        throw WireError.truncated
      }
    }
  }
}

extension Descriptor: WireOutput {
  package func write(_ bytes: RawSpan) throws {
    var written = 0
    while written < bytes.byteCount {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe writeDescriptor(number, UnsafeRawBufferPointer(rebasing: buffer[written...]))
      }
      if count > 0 {
        written += count
      } else if errno != EINTR {
        throw WireError.truncated
      }
    }
  }
}

extension Descriptor {
  #if canImport(Glibc)
    package static let coreLimit = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    package static var canOpenSocket: Bool { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0 }
  #else
    package static let coreLimit = RLIMIT_CORE
    package static var canOpenSocket: Bool { socket(AF_INET, SOCK_STREAM, 0) >= 0 }
  #endif
}

// Types with methods `read` and `write` need another name for the system's functions.

@unsafe
func readDescriptor(_ number: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
  unsafe read(number, buffer.baseAddress, buffer.count)
}

@unsafe
private func writeDescriptor(_ number: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
  unsafe write(number, buffer.baseAddress, buffer.count)
}
