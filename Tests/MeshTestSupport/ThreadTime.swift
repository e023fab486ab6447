import Foundation
import Testing

/// The CPU seconds that the calling thread spends in `body`.
///
/// Unlike a time limit it leaves out the time in which a test waits for its turn: on two cores that is minutes.
package func threadSeconds(_ body: () throws -> Void) rethrows -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
  let start = now()
  try body()
  return now() - start
}

/// Expects work on eight times as many elements to take about eight times as long.
///
/// Work that grows with the square of the number takes sixty-four times as long, on any machine.
///
/// - Parameter work: Takes the number of elements; called for `count` and for an eighth of it.
public func expectProportionalTime(
  upTo count: Int, sourceLocation: SourceLocation = #_sourceLocation, _ work: (Int) throws -> Void
) rethrows {
  // The smaller of two, since another process may have emptied the cache meanwhile.
  func seconds(_ count: Int) throws -> Double {
    try min(threadSeconds { try work(count) }, threadSeconds { try work(count) })
  }
  let (small, large) = (try seconds(count / 8), try seconds(count))
  #expect(large < 24 * small, "\(small) s, then \(large) s", sourceLocation: sourceLocation)
}

extension Trait where Self == TimeLimitTrait {
  /// For tests of what must come to an end: the limit also counts the time in which a test waits for its turn.
  package static var neverHangs: Self { .timeLimit(.minutes(60)) }
}
