#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The signals by which the system ends a process that writes where nothing can be written.
public enum WriteSignals {
  /// Makes a closed pipe and a file size limit errors of a write, and not the end of the process.
  public static func ignore() {
    for number in [SIGPIPE, SIGXFSZ] { _ = signal(number, SIG_IGN) }
  }
}
