import Dispatch
import Synchronization

extension Parallel {
  /// Produces pieces on all cores and consumes them in order, one at a time.
  ///
  /// Each thread reuses one place for its pieces, so that memory stays in the cache, and waits
  /// until all earlier pieces are consumed.
  ///
  /// - Parameters:
  ///   - place: Creates the storage for pieces.
  ///   - make: Produces the piece with a number; called by many threads.
  ///   - take: Consumes a piece; called by one thread at a time, in order. After it throws no more
  ///     are produced.
  public static func inOrder<Piece: ~Copyable, Failure: Error>(
    count: Int, in place: @Sendable () -> Piece, make: @Sendable (Int, inout Piece) -> Void,
    take: (inout Piece) throws(Failure) -> Void
  ) throws(Failure) {
    let threads = min(count, maximumThreads, 1 << 8)
    guard threads > 1 else {
      var piece = place()
      for number in 0..<count {
        make(number, &piece)
        try take(&piece)
      }
      return
    }
    let turns = Turns<Failure>(count: count)
    withoutActuallyEscaping(take) { take in
      // Called by one thread at a time, in turn.
      nonisolated(unsafe) let take = take
      // Threads that start when no pieces are left return at once.
      onThreads(threads) { _ in
        var piece = place()
        while let number = turns.next() {
          make(number, &piece)
          turns.take(number) { () throws(Failure) in try unsafe take(&piece) }
        }
      }
    }
    try turns.rethrow()
  }
}

/// Hands out numbers in order to many threads, and lets them act in the same order.
///
/// A number is handed out only after all before it, so a thread always waits for one that is
/// working.
private final class Turns<Failure: Error>: Sendable {
  private let count: Int
  private let given = Atomic(0)
  private let failure = Mutex<Failure?>(nil)
  /// Signalled when it is the number's turn.
  private let turns: [DispatchSemaphore]

  init(count: Int) {
    self.count = count
    turns = (0..<count).map { _ in DispatchSemaphore(value: 0) }
    turns.first?.signal()
  }

  /// The first free number; nil if there is none or something has failed.
  func next() -> Int? {
    guard failure.withLock({ $0 == nil }) else { return nil }
    let number = given.add(1, ordering: .relaxed).oldValue
    return number < count ? number : nil
  }

  func take(_ number: Int, _ action: () throws(Failure) -> Void) {
    turns[number].wait()
    defer { if number + 1 < count { turns[number + 1].signal() } }
    guard failure.withLock({ $0 == nil }) else { return }
    do throws(Failure) {
      try action()
    } catch {
      failure.withLock { $0 = error }
    }
  }

  func rethrow() throws(Failure) {
    if let error = failure.withLock({ $0 }) { throw error }
  }
}
