import MeshPipeline

/// The bytes of a layer: a file, or a part of a package.
struct USDBytes: Sendable {
  let file: MappedFile
  /// Where the layer is in the file.
  let range: Range<Int>
  /// The file and, in a package, the layer in it, for errors.
  let path: String

  init(_ file: MappedFile, _ range: Range<Int>? = nil, named path: String) {
    self.file = file
    self.range = range ?? 0..<file.count
    self.path = path
  }

  var count: Int { range.count }

  /// An error at an offset in the layer.
  func fault(_ offset: Int, _ message: String) -> ReadingError {
    .byte(path: path, offset: max(0, offset), message)
  }

  /// Calls `body` with some of the bytes.
  ///
  /// - Throws: If they are not all in the layer.
  func with<Result>(
    _ part: Range<Int>, _ body: (Span<UInt8>) throws -> Result
  ) throws -> Result {
    guard part.lowerBound >= 0, part.upperBound <= count else {
      throw fault(part.lowerBound, "refers to bytes beyond the end of the layer")
    }
    let start = range.lowerBound
    return try file.withBytes {
      try body($0.extracting(start + part.lowerBound..<start + part.upperBound))
    }
  }

  /// The range of elements of some bytes each.
  func range(_ offset: Int, _ elements: Int, of size: Int) throws -> Range<Int> {
    guard offset >= 0, offset <= count, elements >= 0, elements <= (count - offset) / size else {
      throw fault(offset, "refers to \(elements) elements beyond the end of the layer")
    }
    return offset..<offset + elements * size
  }

  /// A little-endian integer.
  func integer<Word: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, _ type: Word.Type = Word.self
  ) throws -> Word {
    try with(range(offset, 1, of: Word.bitWidth / 8)) { $0.word(at: 0) }
  }

  /// A count or an offset of 64 bits, not negative.
  func size(at offset: Int) throws -> Int {
    let size: UInt64 = try integer(at: offset)
    guard let size = Int(exactly: size) else { throw fault(offset, "holds an implausible number") }
    return size
  }

  /// Little-endian integers, one after another.
  func integers<Word: FixedWidthInteger & BitwiseCopyable & Sendable>(
    at offset: Int, _ elements: Int, _ type: Word.Type = Word.self
  ) throws -> [Word] {
    let width = Word.bitWidth / 8
    return try with(range(offset, elements, of: width)) { bytes in
      (0..<elements).map { bytes.word(at: $0 * width) }
    }
  }
}
