internal import CPDF

/// A drawing of several pages as PDF, made with libharu.
///
/// The bytes depend on what is drawn and on the versions of libharu and zlib alone: there is no date in them, and letters
/// are those of Helvetica, which every reader of PDF has. Lengths are points of 1/72 inch from the lower left corner of the page.
@safe package final class PDFDocument {
  /// Why the library can't be used, with the way out; nil if it can.
  package static var fault: NativeLibraryError? {
    guard let reason = unsafe meshpipe_pdf_fault() else { return nil }
    return NativeLibraryError("libharu", unsafe String(cString: reason))
  }

  private let document: OpaquePointer

  /// - Throws: ``fault``, or that there is no memory.
  package init(title: String) throws(NativeLibraryError) {
    if let fault = Self.fault { throw fault }
    let made = unsafe Self.bytes(of: title).withUnsafeBufferPointer {
      unsafe meshpipe_pdf_create($0.baseAddress)
    }
    guard let made = unsafe made else {
      throw NativeLibraryError("libharu", "has no memory for a document")
    }
    unsafe document = made
  }

  deinit { unsafe meshpipe_pdf_free(document) }

  /// Whether every letter of a text can be shown.
  package static func canShow(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { byte(of: $0) != nil }
  }

  /// A text in Windows-1252, with a question mark for what it lacks, ended by a zero.
  private static func bytes(of text: String) -> [CChar] {
    text.unicodeScalars.map { CChar(bitPattern: byte(of: $0) ?? UInt8(ascii: "?")) } + [0]
  }

  private static func byte(of scalar: Unicode.Scalar) -> UInt8? {
    switch scalar.value {
    case 0x20...0x7E, 0xA0...0xFF: UInt8(scalar.value)
    default: punctuation[scalar]
    }
  }

  /// What Windows-1252 has where Latin-1 has control characters.
  private static let punctuation: [Unicode.Scalar: UInt8] = [
    "€": 0x80, "‚": 0x82, "ƒ": 0x83, "„": 0x84, "…": 0x85, "†": 0x86, "‡": 0x87, "ˆ": 0x88,
    "‰": 0x89, "Š": 0x8A, "‹": 0x8B, "Œ": 0x8C, "Ž": 0x8E, "‘": 0x91, "’": 0x92, "“": 0x93,
    "”": 0x94, "•": 0x95, "–": 0x96, "—": 0x97, "˜": 0x98, "™": 0x99, "š": 0x9A, "›": 0x9B,
    "œ": 0x9C, "ž": 0x9E, "Ÿ": 0x9F,
  ]

  /// Adds a page, on which everything after it is drawn.
  package func addPage(size: SIMD2<Double>) {
    unsafe meshpipe_pdf_add_page(document, Float(size.x), Float(size.y))
  }

  /// Sets the colour of lines, areas and texts, red, green and blue from 0 to 1, and the width of lines.
  package func setPen(_ color: SIMD3<Double>, width: Double) {
    unsafe meshpipe_pdf_set_pen(
      document, Float(color.x), Float(color.y), Float(color.z), Float(width))
  }

  /// Begins a part of a path.
  package func move(to point: SIMD2<Double>) {
    unsafe meshpipe_pdf_move(document, Float(point.x), Float(point.y))
  }

  /// Continues the path straight.
  package func line(to point: SIMD2<Double>) {
    unsafe meshpipe_pdf_line(document, Float(point.x), Float(point.y))
  }

  /// Continues the path by a cubic Bézier curve.
  package func curve(
    to end: SIMD2<Double>, _ first: SIMD2<Double>, _ second: SIMD2<Double>
  ) {
    let numbers = [first.x, first.y, second.x, second.y, end.x, end.y].map { Float($0) }
    unsafe numbers.withUnsafeBufferPointer {
      unsafe meshpipe_pdf_curve(document, $0.baseAddress)
    }
  }

  /// Joins the end of the part of the path to its beginning.
  package func closePath() { unsafe meshpipe_pdf_close(document) }

  /// Draws the path as a line, and ends it.
  package func strokePath() { unsafe meshpipe_pdf_stroke(document) }

  /// Fills what is in an odd number of the path's parts, and ends it.
  package func fillPath() { unsafe meshpipe_pdf_fill(document) }

  /// Writes a text from a place on its baseline, turned counterclockwise by an angle of this cosine and sine.
  package func write(
    _ text: String, at position: SIMD2<Double>, size: Double, cosine: Double, sine: Double
  ) {
    unsafe Self.bytes(of: text).withUnsafeBufferPointer {
      unsafe meshpipe_pdf_text(
        document, $0.baseAddress, Float(size), Float(position.x), Float(position.y), Float(cosine),
        Float(sine))
    }
  }

  /// Draws a JPEG in a rectangle.
  package func draw(jpeg: [UInt8], at corner: SIMD2<Double>, size: SIMD2<Double>) {
    unsafe jpeg.withUnsafeBufferPointer {
      unsafe meshpipe_pdf_image(
        document, $0.baseAddress, $0.count, Float(corner.x), Float(corner.y), Float(size.x),
        Float(size.y))
    }
  }

  /// Ends the document, to which nothing can be added then: the bytes of the file.
  ///
  /// - Throws: What the library could not do.
  package func finish() throws(NativeLibraryError) -> [UInt8] {
    var message = [CChar](repeating: 0, count: 128)
    let count = unsafe message.withUnsafeMutableBufferPointer {
      unsafe meshpipe_pdf_finish(document, $0.baseAddress, $0.count)
    }
    guard count > 0 else {
      let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw NativeLibraryError("libharu", String(decoding: text, as: UTF8.self))
    }
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { target, length in
      length = unsafe meshpipe_pdf_copy(document, target.baseAddress, count)
    }
  }
}
