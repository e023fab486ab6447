import MeshPipeline
import POSIX

/// The command's two output streams: results go to one, messages to the other.
enum StandardStream: Int32, Sendable {
  case output = 1
  case errors = 2

  /// The name of the stream for messages.
  var name: String { self == .output ? "standard output" : "standard error" }

  /// Writes a text; to standard output without control characters.
  ///
  /// Names of files, materials and stages may contain terminal escape sequences. Lines on standard
  /// error are coloured, and sanitised where they are composed.
  func write(_ text: String) throws(FileError) {
    try write(Array((self == .output ? text.withoutTerminalCommands : text).utf8))
  }

  /// Writes all bytes, in as many calls as needed.
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

  /// Whether the stream is a terminal.
  var isTerminal: Bool { isatty(rawValue) == 1 }
}

@unsafe
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(file, bytes, count)
}

extension FileError {
  /// Whether the reader of our output has closed it, as `head` does, which is not an error.
  var isClosedStandardOutput: Bool {
    code == EPIPE && path == StandardStream.output.name
  }
}
