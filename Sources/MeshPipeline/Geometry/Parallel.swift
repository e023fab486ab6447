import Dispatch

/// Loops over all cores whose result does not depend on how many there are.
public enum Parallel {
  /// Runs `body` for each chunk of `0..<count`, on all cores, and returns when all are done.
  ///
  /// The chunks depend on `count` and `chunkSize` alone, so that per-chunk results combined in
  /// chunk order are the same on any machine.
  public static func forEachChunk(
    of count: Int, chunkSize: Int = 1 << 14, _ body: @Sendable (_ chunk: Int, Range<Int>) -> Void
  ) {
    let chunks = (count + chunkSize - 1) / chunkSize
    guard chunks > 1 else {
      if count > 0 { body(0, 0..<count) }
      return
    }
    DispatchQueue.concurrentPerform(iterations: chunks) { chunk in
      body(chunk, chunk * chunkSize..<min(count, (chunk + 1) * chunkSize))
    }
  }

  /// The results of `body` for each chunk of `0..<count`, computed on all cores, in chunk order.
  @inlinable
  public static func mapChunks<Result: Sendable>(
    of count: Int, chunkSize: Int = 1 << 14, _ body: @Sendable (Range<Int>) -> Result
  ) -> [Result] {
    let chunks = (count + chunkSize - 1) / chunkSize
    return unsafe [Result](unsafeUninitializedCapacity: chunks) { buffer, initializedCount in
      // Each chunk initialises the one element that is its own.
      nonisolated(unsafe) let base = unsafe buffer
      forEachChunk(of: count, chunkSize: chunkSize) { chunk, range in
        unsafe base.initializeElement(at: chunk, to: body(range))
      }
      initializedCount = chunks
    }
  }

  /// The array of `body(0)` to `body(count - 1)`, computed on all cores.
  @inlinable
  public static func map<Element: Sendable>(
    count: Int, chunkSize: Int = 1 << 14, _ body: @Sendable (Int) -> Element
  ) -> [Element] {
    unsafe [Element](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      nonisolated(unsafe) let base = unsafe buffer
      forEachChunk(of: count, chunkSize: chunkSize) { _, range in
        for index in range { unsafe base.initializeElement(at: index, to: body(index)) }
      }
      initializedCount = count
    }
  }
}
