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
}
