import Dispatch
import MeshpipeBase
import Synchronization

/// A thread that lasts as long as this process.
///
/// The kernel ends a child that is tied to its parent when the thread that started it ends; one that this thread
/// starts ends with the process.
enum LastingThread {
  private static let work = Mutex<[@Sendable () -> Void]>([])
  private static let wake = DispatchSemaphore(value: 0)
  private static let thread = SystemThread {
    while true {
      wake.wait()
      work.withLock { $0.removeFirst() }()
    }
  }

  private final class Outcome<Result: Sendable>: Sendable {
    let result = Mutex<Result?>(nil)
    let isThere = DispatchSemaphore(value: 0)
  }

  /// Calls a function on that thread; nil if the system allows no more threads.
  static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
    guard thread != nil else { return nil }
    let outcome = Outcome<Result>()
    work.withLock { work in
      work.append {
        let result = body()
        outcome.result.withLock { $0 = result }
        outcome.isThere.signal()
      }
    }
    wake.signal()
    outcome.isThere.wait()
    return outcome.result.withLock { $0 }
  }
}
