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
    var threads: [pthread_t] = []
    for _ in 0..<wanted {
      #if canImport(Glibc)
        var thread = pthread_t()
      #else
        var thread: pthread_t?
      #endif
      let error = unsafe pthread_create(
        &thread, nil,
        { argument in
          #if canImport(Glibc)
            guard let argument = unsafe argument else { return nil }
          #endif
          unsafe Unmanaged<DispatchSemaphore>.fromOpaque(argument).takeUnretainedValue().wait()
          return nil
        }, Unmanaged.passUnretained(gate).toOpaque())
      guard error == 0 else { break }
      #if canImport(Glibc)
        threads.append(thread)
      #else
        if let thread = unsafe thread { threads.append(thread) }
      #endif
    }
    for _ in threads { gate.signal() }
    for thread in threads { pthread_join(thread, nil) }
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
