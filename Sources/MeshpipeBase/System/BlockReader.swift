import POSIX

/// Reads a file in large blocks of equal size, except for the last.
package final class BlockReader {
  private static let blockSize = 1 << 18

  private let path: String
  private let descriptor: Int32
  private var block = [UInt8](repeating: 0, count: BlockReader.blockSize)

  package init(_ path: String) throws(FileError) {
    self.path = path
    descriptor = unsafe open(path.systemPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(.read, path) }
  }

  deinit { close(descriptor) }

  /// The next block; empty at the end of the file.
  package func next() throws(FileError) -> ArraySlice<UInt8> {
    var filled = 0
    while filled < Self.blockSize {
      let count = unsafe block.withUnsafeMutableBytes { buffer in
        unsafe read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
      }
      if count == 0 { break }
      if count > 0 { filled += count } else if errno != EINTR { throw FileError(.read, path) }
    }
    return block[..<filled]
  }
}
