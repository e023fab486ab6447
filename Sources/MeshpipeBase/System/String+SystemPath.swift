import POSIX

/// File names as text, although the system allows any bytes (Linux).
///
/// An invalid UTF-8 byte is represented by a private-use scalar, `U+10F700` plus the byte, and
/// converted back for system calls. So every name can be stored, joined and compared like others;
/// only displaying it needs care (``withoutControlCharacters``).
extension String {
  /// A name from the system.
  package init(systemPath bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    if let text = String(validating: bytes, as: UTF8.self), !text.hasForeignBytes {
      self = text
      return
    }
    self = ""
    var rest = bytes[...]
    while let first = rest.first {
      // The shortest valid prefix is one scalar. Scalars that represent bytes are escaped, or two
      // names could become equal.
      let scalar = (1...4).lazy.compactMap { String(validating: rest.prefix($0), as: UTF8.self) }
        .first
      if let scalar, !scalar.hasForeignBytes {
        self += scalar
        rest = rest.dropFirst(scalar.utf8.count)
      } else {
        unicodeScalars.append(ForeignByte.scalar(for: first))
        rest = rest.dropFirst()
      }
    }
  }

  /// A zero-terminated name.
  @unsafe
  package init(systemPath text: UnsafePointer<CChar>) {
    unsafe self.init(
      systemPath: UnsafeBufferPointer(start: text, count: strlen(text)).map {
        UInt8(bitPattern: $0)
      })
  }

  /// The name for the system, zero-terminated.
  package var systemPath: [CChar] { systemBytes.map { CChar(bitPattern: $0) } + [0] }

  /// The bytes of a name, or of a text with names in it.
  package var systemBytes: [UInt8] {
    guard hasForeignBytes else { return Array(utf8) }
    return unicodeScalars.flatMap { scalar in
      ForeignByte.byte(of: scalar).map { [$0] } ?? Array(String(scalar).utf8)
    }
  }

  /// The name where valid text is required, such as in a model: invalid bytes become `_`.
  package var withoutForeignBytes: String {
    guard hasForeignBytes else { return self }
    return String(
      String.UnicodeScalarView(unicodeScalars.map { ForeignByte.isScalar($0) ? "_" : $0 }))
  }

  private var hasForeignBytes: Bool {
    // Only the scalars of the last plane begin with this byte.
    utf8.contains(0xF4) && unicodeScalars.contains(where: ForeignByte.isScalar)
  }
}

/// Invalid bytes of names, as scalars.
enum ForeignByte {
  private static let base: UInt32 = 0x10_F700

  static func scalar(for byte: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(base + UInt32(byte)) ?? "\u{FFFD}"
  }

  static func byte(of scalar: Unicode.Scalar) -> UInt8? {
    isScalar(scalar) ? UInt8(scalar.value - base) : nil
  }

  static func isScalar(_ scalar: Unicode.Scalar) -> Bool {
    (base + 0x80...base + 0xFF).contains(scalar.value)
  }

  /// The displayed form: `\xE9`.
  static func text(of byte: UInt8) -> String { "\\x" + String(byte, radix: 16, uppercase: true) }
}
