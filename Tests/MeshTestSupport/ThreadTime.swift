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

extension Trait where Self == TimeLimitTrait {
  /// For tests of what must come to an end: the limit also counts the time in which a test waits for its turn.
  package static var neverHangs: Self { .timeLimit(.minutes(60)) }
}
