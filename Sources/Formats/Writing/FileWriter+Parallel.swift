import MeshPipeline

extension FileWriter {
  /// Writes many items that are encoded on all cores and written in order.
  ///
  /// - Parameters:
  ///   - count: The number of items.
  ///   - chunkSize: The number of items that one core encodes at a time.
  ///   - encode: Appends the bytes of a range of items to the buffer; called by many threads.
  func write(
    count: Int, chunkSize: Int = 1 << 14,
    encode: @Sendable (Range<Int>, inout ByteBuffer) -> Void
  ) throws {
    try encodeInOrder(count: count, chunkSize: chunkSize, encode: encode) { buffer in
      try unsafe buffer.withBytes { try unsafe write($0) }
    }
  }
}

/// Encodes many items on all cores, and passes their bytes on in order.
///
/// - Parameters:
///   - encode: Appends the bytes of a range of items to the buffer; called by many threads.
///   - output: Receives the bytes of one range; called by one thread at a time, in order.
func encodeInOrder(
  count: Int, chunkSize: Int = 1 << 14, encode: @Sendable (Range<Int>, inout ByteBuffer) -> Void,
  output: (borrowing ByteBuffer) throws -> Void
) throws {
  try Parallel.inOrder(count: (count + chunkSize - 1) / chunkSize, in: { ByteBuffer() }) {
    chunk, buffer in
    buffer.removeAll()
    encode(chunk * chunkSize..<min(count, (chunk + 1) * chunkSize), &buffer)
  } take: { buffer in
    try output(buffer)
  }
}
