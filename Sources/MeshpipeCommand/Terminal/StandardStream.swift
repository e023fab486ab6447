import MeshPipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The two streams that the command writes to: what was asked for to one, all else to the other.
enum StandardStream: Int32, Sendable {
  case output = 1
  case errors = 2

  /// What messages call the stream.
  var name: String { self == .output ? "standard output" : "standard error" }

  /// Writes all of a text; to standard output without anything that a terminal would take for a command.
  ///
  /// Names of files, materials and stages may hold such things. Lines on standard error have colours, and are
  /// cleaned where they are put together.
  func write(_ text: String) throws(FileError) {
    try write(Array((self == .output ? text.withoutTerminalCommands : text).utf8))
  }

  /// Writes all of the bytes, however the stream chops them.
  func write(_ bytes: [UInt8]) throws(FileError) {
    var done = 0
    while done < bytes.count {
      let written = unsafe bytes[done...].withUnsafeBytes { rest in
        unsafe systemWrite(rawValue, rest.baseAddress, rest.count)
      }
      if written > 0 {
        done += written
      } else if errno != EINTR {
        throw FileError(.write, name)
      }
    }
  }

  /// Whether a person watches.
  var isTerminal: Bool { isatty(rawValue) == 1 }
}

@unsafe
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(file, bytes, count)
}

extension FileError {
  /// Whether the reader of our output went away, as `head` does: nothing that a user must be told.
  var isClosedStandardOutput: Bool {
    code == EPIPE && path == StandardStream.output.name
  }
}
