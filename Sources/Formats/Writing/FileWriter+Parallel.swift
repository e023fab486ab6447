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
    let chunkCount = (count + chunkSize - 1) / chunkSize
    let sequence = OrderedSequence(writer: self, chunkCount: chunkCount)
    // As many threads come as there are cores; those that come too late find no chunk.
    DispatchQueue.concurrentPerform(iterations: min(chunkCount, 1 << 8, Parallel.maximumThreads)) {
      _ in
      var buffer = ByteBuffer()
      while let chunk = sequence.nextChunk() {
        buffer.removeAll()
        encode(chunk * chunkSize..<min(count, (chunk + 1) * chunkSize), &buffer)
        sequence.write(buffer, asChunk: chunk)
      }
    }
    try sequence.rethrow()
  }
}

/// Hands out chunks in order to those who encode them, and lets them write in the same order.
///
/// A chunk is handed out only after all before it, so whoever waits for its turn waits for someone
/// who is at work.
private final class OrderedSequence: @unchecked Sendable {
  private let writer: FileWriter
  private let chunkCount: Int
  private let next = Atomic(0)
  private let failure = Mutex<(any Error)?>(nil)
  /// Signalled when it is the chunk's turn to be written.
  private let turns: [DispatchSemaphore]

  init(writer: FileWriter, chunkCount: Int) {
    self.writer = writer
    self.chunkCount = chunkCount
    turns = (0..<chunkCount).map { _ in DispatchSemaphore(value: 0) }
    turns.first?.signal()
  }

  /// The first chunk that nobody has taken, or nil when there is none or writing has failed.
  func nextChunk() -> Int? {
    guard failure.withLock({ $0 == nil }) else { return nil }
    let chunk = next.add(1, ordering: .relaxed).oldValue
    return chunk < chunkCount ? chunk : nil
  }

  func write(_ buffer: borrowing ByteBuffer, asChunk chunk: Int) {
    turns[chunk].wait()
    defer { if chunk + 1 < chunkCount { turns[chunk + 1].signal() } }
    guard failure.withLock({ $0 == nil }) else { return }
    do {
      try unsafe buffer.withBytes { try unsafe writer.write($0) }
    } catch {
      failure.withLock { $0 = error }
    }
  }

  func rethrow() throws {
    if let error = failure.withLock({ $0 }) { throw error }
  }
}
