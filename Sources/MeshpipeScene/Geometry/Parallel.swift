import Dispatch
import MeshpipeBase
import Synchronization

/// Loops over all cores whose result does not depend on the number of cores.
public enum Parallel {
  /// Performs something whose loops use at most this many threads, and so do loops inside them.
  ///
  /// Without it loops use all cores.
  public static func withThreads<Result, Failure: Error>(
    _ count: Int, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // The task-local's own function forgets the type of errors.
    let outcome = $limit.withValue(max(1, count)) {
      Swift.Result { () throws(Failure) in try body() }
    }
    return try outcome.get()
  }

  @TaskLocal private static var limit = Int.max

  /// The maximum number of threads for a loop here; `Int.max` for as many as there are cores.
  public static var maximumThreads: Int {
    // Including the caller.
    limit == 1 || ThreadSupply.isPlenty ? limit : min(limit, ThreadSupply.count + 1)
  }

  /// Performs a loop on other threads, which inherit the limit and the run.
  static func onThreads(_ iterations: Int, _ body: @Sendable (Int) -> Void) {
    let (limit, run) = (limit, CurrentRun.current)
    DispatchQueue.concurrentPerform(iterations: iterations) { iteration in
      $limit.withValue(limit) {
        CurrentRun.$current.withValue(run) { body(iteration) }
      }
    }
  }

  /// Runs `body` for each chunk of `0..<count` on all cores, and returns when all are done.
  ///
  /// The chunks depend only on `count` and `chunkSize`, so that per-chunk results combined in chunk
  /// order are the same on any machine.
  public static func forEachChunk(
    of count: Int, chunkSize: Int = 1 << 14, _ body: @Sendable (_ chunk: Int, Range<Int>) -> Void
  ) {
    let chunks = (count + chunkSize - 1) / chunkSize
    forEach(0..<chunks) { chunk in
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
      // Each chunk initialises only its own element.
      nonisolated(unsafe) let base = unsafe buffer
      forEachChunk(of: count, chunkSize: chunkSize) { chunk, range in
        unsafe base.initializeElement(at: chunk, to: body(range))
      }
      initializedCount = chunks
    }
  }

  /// Runs `body` for each number of `range` on all cores, and returns when all are done.
  public static func forEach(_ range: Range<Int>, _ body: @Sendable (Int) -> Void) {
    let limit = maximumThreads
    guard limit > 1, range.count > 1 else { return range.forEach(body) }
    // As many workers as threads, each of which takes the next free number: a worker inherits once, not for each number.
    let next = Atomic(range.lowerBound)
    onThreads(min(limit, range.count, ThreadSupply.count + 1)) { _ in
      while true {
        let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard number < range.upperBound else { return }
        body(number)
      }
    }
  }
}
