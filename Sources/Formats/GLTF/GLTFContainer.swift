import MeshPipeline

/// The JSON of a glTF file and the binary part of a GLB.
struct GLTFContainer {
  let path: String
  let json: JSONValue
  /// The binary part of a GLB.
  let binary: GLTFBytes?
  /// A tolerated fault of the file, for a warning; nil if there is none.
  let remark: String?

  /// Opens a file; the first bytes, not the name, decide whether it is a GLB.
  init(_ file: MappedFile) throws {
    path = file.path
    let isBinary = file.withBytes { $0.count >= 12 && $0.word(at: 0) as UInt32 == 0x4654_6C67 }
    guard isBinary else {
      (binary, remark) = (nil, nil)
      json = try Self.parse(file, 0..<file.count)
      return
    }
    var chunks: [(type: UInt32, range: Range<Int>)] = []
    let (version, length) = file.withBytes {
      (Int($0.word(at: 4) as UInt32), Int($0.word(at: 8) as UInt32))
    }
    func fault(_ offset: Int, _ message: String) -> ReadingError {
      .byte(path: file.path, offset: offset, message)
    }
    guard version == 2 else { throw fault(4, GLTFExtensions.wrongVersion("\(version)")) }
    guard length <= file.count else {
      throw fault(8, "the header claims \(length) bytes, but the file has \(file.count)")
    }
    var offset = 12
    var isPadded = true
    while offset + 8 <= length, chunks.count < 2 {
      let (size, type) = file.withBytes {
        (Int($0.word(at: offset) as UInt32), $0.word(at: offset + 4) as UInt32)
      }
      guard size <= length - offset - 8 else {
        throw fault(offset, "a chunk of \(size) bytes does not fit into the file")
      }
      chunks.append((type, offset + 8..<offset + 8 + size))
      let end = offset + 8 + size
      offset = end + (4 - size % 4) % 4
      // Some writers forget to pad chunks to multiples of four: then the next one follows directly.
      if size % 4 != 0, Self.isBinaryChunk(file, at: end), !Self.isBinaryChunk(file, at: offset) {
        (offset, isPadded) = (end, false)
      }
    }
    remark = isPadded ? nil : "a chunk is not padded to four bytes, which other programs may refuse"
    guard let first = chunks.first, first.type == 0x4E4F_534A else {
      throw fault(12, "the first chunk is not JSON")
    }
    json = try Self.parse(file, first.range)
    binary =
      chunks.count > 1 && chunks[1].type == Self.binaryType ? .file(file, chunks[1].range) : nil
  }

  /// `BIN` and a zero.
  private static let binaryType: UInt32 = 0x004E_4942

  private static func isBinaryChunk(_ file: MappedFile, at offset: Int) -> Bool {
    file.withBytes { bytes in
      offset + 8 <= bytes.count && bytes.word(at: offset + 4) as UInt32 == binaryType
    }
  }

  private static func parse(_ file: MappedFile, _ range: Range<Int>) throws -> JSONValue {
    // Checked before all of it is copied: the file may be anything of any length.
    let first = file.withBytes { bytes in range.prefix(4096).first { bytes[$0] > 0x20 } }
    let mark: UInt8 = 0xEF
    guard let first,
      file.withBytes({
        $0[first] == UInt8(ascii: "{") || $0[first] == mark
          || $0[first] == UInt8(ascii: "/") || $0[first] == UInt8(ascii: "[")
      })
    else {
      throw ReadingError.line(path: file.path, line: 1, "expected a JSON object")
    }
    let bytes = file.withBytes { [UInt8](copying: $0.extracting(range)) }
    let result = JSONReader.read(bytes, file: file.path)
    guard let value = result.value, case .object = value.content else {
      let error = result.diagnostics.first { $0.severity == .error }
      throw ReadingError.line(
        path: file.path, line: error?.position.line ?? 1,
        error.map { "invalid JSON: \($0.message)" } ?? "expected a JSON object")
    }
    return value
  }
}

/// Bytes in a file or in memory.
enum GLTFBytes: Sendable {
  case file(MappedFile, Range<Int>)
  case memory([UInt8])

  var count: Int {
    switch self {
    case .file(_, let range): range.count
    case .memory(let bytes): bytes.count
    }
  }

  func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch self {
    case .file(let file, let range):
      try file.withBytes { bytes throws(Failure) in try body(bytes.extracting(range)) }
    case .memory(let bytes): try body(bytes.span)
    }
  }
}
