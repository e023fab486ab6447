import Dispatch
import MeshPipeline
import Synchronization

extension FileWriter {
  /// Writes many items whose bytes are put together on all cores, and written in order.
  ///
  /// - Parameters:
  ///   - count: The number of items.
  ///   - chunkSize: How many items one core puts together at a time.
  ///   - encode: Appends the bytes of a range of items to the buffer.
  func write(
    count: Int, chunkSize: Int = 1 << 14,
    encode: @Sendable (Range<Int>, inout ByteBuffer) -> Void
  ) throws {
    let writer = UncheckedWriter(self)
    try encodeInOrder(count: count, chunkSize: chunkSize, encode: encode) { buffer in
      try unsafe buffer.withBytes { try unsafe writer.writer.write($0) }
    }
  }
}

/// A writer that several threads use one after the other.
private struct UncheckedWriter: @unchecked Sendable {
  let writer: FileWriter
  init(_ writer: FileWriter) { self.writer = writer }
}

/// Puts the bytes of many items together on all cores, and hands them on in order.
///
/// - Parameters:
///   - encode: Appends the bytes of a range of items to the buffer; called by many threads.
///   - output: Takes the bytes of one range; called by one thread at a time, in order.
func encodeInOrder(
  count: Int, chunkSize: Int, encode: @Sendable (Range<Int>, inout ByteBuffer) -> Void,
  output: @escaping @Sendable (borrowing ByteBuffer) throws -> Void
) throws {
  let chunkCount = (count + chunkSize - 1) / chunkSize
  let sequence = OrderedSequence(chunkCount: chunkCount, output: output)
  // As many threads come as there are cores; those that come too late find no chunk.
  DispatchQueue.concurrentPerform(iterations: min(chunkCount, 1 << 8, Parallel.maximumThreads)) {
    _ in
    var buffer = ByteBuffer()
    while let chunk = sequence.nextChunk() {
      buffer.removeAll()
      encode(chunk * chunkSize..<min(count, (chunk + 1) * chunkSize), &buffer)
      sequence.hand(on: buffer, ofChunk: chunk)
    }
  }
  try sequence.rethrow()
}

/// Gives out chunks in order to those who encode them, and hands on the results in the same order.
///
/// A chunk is given out only after all before it, so whoever waits for its turn waits for someone
/// who is at work.
private final class OrderedSequence: Sendable {
  private let chunkCount: Int
  private let output: @Sendable (borrowing ByteBuffer) throws -> Void
  private let next = Atomic(0)
  private let failure = Mutex<(any Error)?>(nil)
  /// Signalled when it is the chunk's turn.
  private let turns: [DispatchSemaphore]

  init(chunkCount: Int, output: @escaping @Sendable (borrowing ByteBuffer) throws -> Void) {
    self.chunkCount = chunkCount
    self.output = output
    turns = (0..<chunkCount).map { _ in DispatchSemaphore(value: 0) }
    turns.first?.signal()
  }

  /// The first chunk that nobody has taken, or nil when there is none or writing has failed.
  func nextChunk() -> Int? {
    guard failure.withLock({ $0 == nil }) else { return nil }
    let chunk = next.add(1, ordering: .relaxed).oldValue
    return chunk < chunkCount ? chunk : nil
  }

  func hand(on buffer: borrowing ByteBuffer, ofChunk chunk: Int) {
    turns[chunk].wait()
    defer { if chunk + 1 < chunkCount { turns[chunk + 1].signal() } }
    guard failure.withLock({ $0 == nil }) else { return }
    do {
      try output(buffer)
    } catch {
      failure.withLock { $0 = error }
    }
  }

  func rethrow() throws {
    if let error = failure.withLock({ $0 }) { throw error }
  }
}
