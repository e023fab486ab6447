import Dispatch
import MeshpipeBase

import Synchronization

/// Loops over all cores whose result does not depend on the number of cores.
public enum Parallel {
  /// The maximum number of threads for loops from now on; by default all cores.
  public static var maximumThreads: Int {
    get {
      let wanted = limit.load(ordering: .relaxed)
      // Including the caller.
      return wanted == 1 || ThreadSupply.isPlenty ? wanted : min(wanted, ThreadSupply.count + 1)
    }
    set { limit.store(max(1, newValue), ordering: .relaxed) }
  }

  private static let limit = Atomic(Int.max)

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
    guard limit < range.count else {
      return DispatchQueue.concurrentPerform(iterations: range.count) {
        body(range.lowerBound + $0)
      }
    }
    // As many workers as threads allowed, each of which takes the next free number.
    let next = Atomic(range.lowerBound)
    DispatchQueue.concurrentPerform(iterations: limit) { _ in
      while true {
        let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard number < range.upperBound else { return }
        body(number)
      }
    }
  }
}
