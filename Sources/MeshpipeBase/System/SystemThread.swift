import POSIX

/// A thread of the operating system.
package struct SystemThread {
  private let handle: pthread_t

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread; nil if the system allows no more.
  package init?(_ run: @escaping @Sendable () -> Void) {
    let body = unsafe Unmanaged.passRetained(Body(run))
    #if canImport(Glibc)
      var handle = pthread_t()
    #else
      var handle: pthread_t?
    #endif
    let error = unsafe pthread_create(
      &handle, nil,
      { argument in
        // Optional in Glibc's signature, but not in Darwin's.
        let argument: UnsafeMutableRawPointer? = unsafe argument
        guard let argument = unsafe argument else { return nil }
        unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, body.toOpaque())
    let started: pthread_t? = handle
    guard error == 0, let started else {
      unsafe body.release()
      return nil
    }
    self.handle = started
  }

  /// Waits until the thread has ended.
  package func join() { pthread_join(handle, nil) }
}
