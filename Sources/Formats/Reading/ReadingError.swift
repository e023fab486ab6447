package import MeshPipeline

/// Why a file can't be read as a scene.
package enum ReadingError: UserError, Equatable {
  /// A text file is invalid at a line, counted from 1.
  case line(path: String, line: Int, String)
  /// A binary file is invalid at a byte, counted from 0.
  case byte(path: String, offset: Int, String)
  /// A file is invalid as a whole or in an element named by the text.
  case content(path: String, String)

  package var exitCode: ExitCode { .data }

  package var message: String {
    switch self {
    case .line(let path, let line, let text): "\(path):\(line): \(text)"
    case .byte(let path, let offset, let text): "\(path): byte \(offset): \(text)"
    case .content(let path, let text): "\(path): \(text)"
    }
  }
}

/// A fault at a line of a part of a text file, before the part's position in the file is known.
struct LineFault: Error {
  /// Lines before the faulty one in the same part.
  var line: Int
  var message: String
}

/// Bytes of a damaged file for a message: short, printable, in quotes.
func quoted(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
  var text = "'"
  for index in range.prefix(24) {
    let byte = bytes[index]
    text.unicodeScalars.append(byte >= 32 && byte < 127 ? Unicode.Scalar(byte) : "?")
  }
  return text + (range.count > 24 ? "…'" : "'")
}

/// The name of another file, in whatever encoding it is given.
func fileName(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
  String(systemPath: [UInt8](copying: bytes.extracting(range)))
}

/// Bytes in a file as text, with invalid UTF-8 repaired.
func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
  String(decoding: [UInt8](copying: bytes.extracting(range)), as: UTF8.self)
}
