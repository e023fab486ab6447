import POSIX
import Synchronization

/// A table of characters that Windows uses for names and texts without Unicode, read by the system's `iconv`.
package struct CodePage: Sendable, Equatable {
  /// The number by which Windows knows it.
  package let number: Int

  /// The likely ones, the most usual first: consoles and ZIP files of western Europe and America, East Asia, and the
  /// others of Europe; then those of texts.
  package static let windows = [
    437, 850, 932, 936, 949, 950, 866, 852, 1252, 1251, 1250, 737, 857, 1253, 1254,
  ].map(CodePage.init)

  /// Those in use, by their numbers: opening one takes the system a hundred times as long as reading a name.
  private static let converters = Mutex<[Int: Converter]>([:])

  /// The text of bytes; nil if they are none in it, or the system does not know it.
  package func text(of bytes: [UInt8]) -> String? {
    let converted = Self.converters.withLock { known -> [UInt8]? in
      guard let converter = known[number] ?? Converter(number) else { return nil }
      known[number] = converter
      return converter.utf8(of: bytes)
    }
    guard let converted else { return nil }
    let text = String(validating: converted, as: UTF8.self)
    let hasControls =
      text?.unicodeScalars.contains { $0.value < 32 || (127..<160).contains($0.value) } ?? true
    return hasControls ? nil : text
  }

  /// What bytes may say, each text once.
  package static func readings(of bytes: [UInt8]) -> [String] {
    var found: [String] = []
    for page in windows {
      if let text = page.text(of: bytes), !found.contains(text) { found.append(text) }
    }
    return found
  }

  /// The code page in which most of some names are words, for names of which nothing says more.
  package static func likely(of names: [[UInt8]]) -> CodePage? {
    var best: (page: CodePage, share: Double)?
    for page in windows {
      let texts = names.compactMap { page.text(of: $0) }
      guard texts.count == names.count else { continue }
      let foreign = texts.joined().unicodeScalars.filter { $0.value > 127 }
      let share =
        Double(foreign.count(where: isUsualLetter)) / Double(max(1, foreign.count))
      if share > (best?.share ?? 0) + 1e-9 { best = (page, share) }
    }
    return best?.page
  }

  /// Whether a character is one of words, and not of frames, or of the narrow kana of old terminals.
  private static func isUsualLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic && !(0xFF61...0xFF9F).contains(scalar.value)
  }
}

/// The system's converter from a code page to UTF-8, which stays open.
@safe
private struct Converter {
  private let handle: iconv_t

  /// Nil if the system does not know the page.
  init?(_ number: Int) {
    guard let handle = unsafe iconv_open("UTF-8", "CP\(number)"),
      unsafe handle != UnsafeMutableRawPointer(bitPattern: -1)
    else { return nil }
    unsafe self.handle = handle
  }

  /// Nil if some bytes are not characters of the code page.
  func utf8(of bytes: [UInt8]) -> [UInt8]? {
    // Whatever the last text left behind is forgotten.
    unsafe iconv(handle, nil, nil, nil, nil)
    var input = bytes.map { CChar(bitPattern: $0) }
    var output = [CChar](repeating: 0, count: 4 * bytes.count + 16)
    let room = output.count
    let left = unsafe input.withUnsafeMutableBufferPointer { source -> Int? in
      unsafe output.withUnsafeMutableBufferPointer { target -> Int? in
        var (start, end) = (source.baseAddress, target.baseAddress)
        var (count, space) = (source.count, target.count)
        let result = unsafe iconv(handle, &start, &count, &end, &space)
        return result == 0 && count == 0 ? space : nil
      }
    }
    return left.map { left in output.prefix(room - left).map { UInt8(bitPattern: $0) } }
  }
}
