import MeshPipeline

/// The points of a PCD file that are compressed by LZF, field by field.
struct PCDCompression {
  let file: MappedFile
  let header: PCDHeader

  /// The most bytes that LZF makes of one.
  private static let largestRatio = 132

  /// The points as records, one after another.
  func records() throws -> MappedFile {
    let start = header.bodyOffset
    guard file.count >= start + 8 else { throw fault(file.count, "the file ends in the header") }
    let (packed, size) = file.withBytes { bytes in
      (Int(bytes.word(at: start) as UInt32), Int(bytes.word(at: start + 4) as UInt32))
    }
    guard packed <= file.count - start - 8 else {
      throw fault(start, "claims \(packed) compressed bytes, but the file is too short")
    }
    let (wanted, isOver) = header.pointCount.multipliedReportingOverflow(by: header.recordSize)
    guard !isOver, size == wanted, size <= packed * Self.largestRatio else {
      throw fault(
        start + 4,
        "\(header.pointCount) points can't be in \(packed) compressed and \(size) other bytes")
    }
    let columns = file.withBytes { Self.decompressed($0, start + 8..<start + 8 + packed, size) }
    guard let columns else { throw fault(start + 8, "the compressed points are damaged") }
    return try MappedFile(path: file.path, count: size) { records in
      interleave(columns, &records)
    }
  }

  private func fault(_ offset: Int, _ message: String) -> ReadingError {
    .byte(path: file.path, offset: offset, message)
  }

  /// Puts the fields of each point together.
  private func interleave(_ columns: [UInt8], _ records: inout MutableSpan<UInt8>) {
    var (column, offset) = (0, 0)
    for field in header.fields {
      let size = field.size * field.count
      for point in 0..<header.pointCount {
        let (from, to) = (column + point * size, point * header.recordSize + offset)
        for byte in 0..<size { records[to + byte] = columns[from + byte] }
      }
      column += size * header.pointCount
      offset += size
    }
  }

  /// Decompresses LZF, the format of Marc Lehmann's library.
  ///
  /// - Returns: Nil unless the bytes are exactly those of `size` bytes.
  static func decompressed(_ bytes: Span<UInt8>, _ range: Range<Int>, _ size: Int) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(size)
    var position = range.lowerBound
    while position < range.upperBound {
      let control = Int(bytes[position])
      position += 1
      if control < 32 {
        // Bytes as they are.
        guard position + control < range.upperBound, output.count + control < size else {
          return nil
        }
        for _ in 0...control {
          output.append(bytes[position])
          position += 1
        }
        continue
      }
      var length = control >> 5
      if length == 7 {
        guard position < range.upperBound else { return nil }
        length += Int(bytes[position])
        position += 1
      }
      guard position < range.upperBound else { return nil }
      let from = output.count - (control & 31) << 8 - Int(bytes[position]) - 1
      position += 1
      guard from >= 0, output.count + length + 2 <= size else { return nil }
      for index in from..<from + length + 2 { output.append(output[index]) }
    }
    return output.count == size ? output : nil
  }
}
