#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Names of files as text, where the system takes any bytes for a name (Linux).
///
/// A byte that belongs to no UTF-8 stands in the text as a scalar of its own for private use, `U+10F700` and the
/// byte, and is that byte again when the system is asked. So every name can be carried, joined, kept
/// in a journal and compared like others; only who shows it has to look (``withoutControlCharacters``).
extension String {
  /// A name as the system has it.
  public init(systemPath bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    if let text = String(validating: bytes, as: UTF8.self), !text.hasForeignBytes {
      self = text
      return
    }
    self = ""
    var rest = bytes[...]
    while let first = rest.first {
      // The shortest beginning that is text is one scalar. Those that stand for bytes are spelt out, or two names
      // would become one.
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

  /// A name that ends with a zero.
  @unsafe
  public init(systemPath text: UnsafePointer<CChar>) {
    unsafe self.init(
      systemPath: UnsafeBufferPointer(start: text, count: strlen(text)).map {
        UInt8(bitPattern: $0)
      })
  }

  /// The name as the system wants it, with a zero at its end.
  public var systemPath: [CChar] { systemBytes.map { CChar(bitPattern: $0) } + [0] }

  /// The bytes of a name, or of a text with names in it.
  public var systemBytes: [UInt8] {
    guard hasForeignBytes else { return Array(utf8) }
    return unicodeScalars.flatMap { scalar in
      ForeignByte.byte(of: scalar).map { [$0] } ?? Array(String(scalar).utf8)
    }
  }

  /// The text for places where it has to be one, such as names in a model: bytes that are no UTF-8 become `_`.
  public var withoutForeignBytes: String {
    guard hasForeignBytes else { return self }
    return String(
      String.UnicodeScalarView(unicodeScalars.map { ForeignByte.isScalar($0) ? "_" : $0 }))
  }

  private var hasForeignBytes: Bool {
    // Only the scalars of the last plane begin with this byte.
    utf8.contains(0xF4) && unicodeScalars.contains(where: ForeignByte.isScalar)
  }
}

/// Bytes of names that are no UTF-8, as scalars.
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

  /// As it is shown: `\xE9`.
  static func text(of byte: UInt8) -> String { "\\x" + String(byte, radix: 16, uppercase: true) }
}
