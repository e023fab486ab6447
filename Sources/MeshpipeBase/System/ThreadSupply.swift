import Dispatch
import POSIX

/// The number of threads that the system allows this process.
package enum ThreadSupply {
  /// The number of threads besides the first that could be started at the first query, up to the
  /// number of cores.
  ///
  /// Dispatch waits forever for a thread that can't be started.
  package static let count = tried(wanted)

  /// Whether there are as many as cores.
  package static let isPlenty = count >= wanted

  private static let wanted = max(1, min(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 256))

  private static func tried(_ wanted: Int) -> Int {
    let gate = DispatchSemaphore(value: 0)
    var threads: [SystemThread] = []
    for _ in 0..<wanted {
      guard let thread = SystemThread({ gate.wait() }) else { break }
      threads.append(thread)
    }
    for _ in threads { gate.signal() }
    for thread in threads { thread.join() }
    return threads.count
  }
}

/// No thread is available for work that needs one.
package struct NoThreads: UserError {
  package init() {}
  package var exitCode: ExitCode { .temporary }
  package var message: String {
    "the system allows this process no more threads (see 'ulimit -u' and the limit of the container)"
  }
}
