import Dispatch
import Synchronization

extension Parallel {
  /// Makes pieces on all cores and takes them in order, one at a time.
  ///
  /// Each thread makes one piece after the other in the same place, so that memory is used again while it
  /// is in the cache, and waits with a piece until all before it are taken.
  ///
  /// - Parameters:
  ///   - place: Makes a place for pieces.
  ///   - make: Makes the piece with a number; called by many threads.
  ///   - take: Takes a piece; called by one thread at a time, in order. Once it throws no more are made.
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
      // Called by one thread at a time: whose turn it is.
      nonisolated(unsafe) let take = take
      // Threads that come when all pieces are given out find none.
      DispatchQueue.concurrentPerform(iterations: threads) { _ in
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

/// Gives out numbers in order to many threads, and lets them act in the same order.
///
/// A number is given out only after all before it, so whoever waits for its turn waits for someone
/// who is at work.
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

  /// The first number that nobody has, or nil when there is none or something has failed.
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
